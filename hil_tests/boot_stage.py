"""Run the boot check of an image in a flash without starting a device.

One MicroPython mounts the flash repeatedly and runs the image's own `start.mpy`, as a board does at
each start, through main.py's own view of the slot. Hundreds of states of a flash can be checked in
seconds.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from cutcard.bench.firmware import interpreter
from cutcard.bench.flash import BLOCK, BLOCKS, PAGE
from cutcard.image.compiling import SOURCES

_MAIN = (SOURCES / "start" / "main.py").read_text()
_VIEW = _MAIN[_MAIN.index("AIR =") : _MAIN.index("def may_look")]
_SCRIPT = f"""
import binascii, gc, hashlib, io, os, struct, sys, vfs

class Image:
    def __init__(self, path):
        self.file = open(path, "rb")
    def readblocks(self, block, buf, offset=0):
        self.file.seek(block * {BLOCK} + offset)
        self.file.readinto(buf)
    def writeblocks(self, block, buf, offset=0):
        raise OSError(30)
    def ioctl(self, op, arg):
        return {{4: {BLOCKS}, 5: {BLOCK}}}.get(op, 0)

class machine:
    class WDT:
        def __init__(self, timeout): pass
        def feed(self): pass

{_VIEW}
image = Image(sys.argv[1])
sys.path[:] = []
vfs.umount("/")
while sys.stdin.readline():
    vfs.mount(vfs.VfsLfs2(image, progsize={PAGE}), "/")
    with open("/cutcard/identity", "rb") as file:
        record = file.read(65)
    chosen = chr(record[0])
    try:
        view = View("/image/" + chosen, record[1:33] if chosen == "a" else record[33:])
        vfs.mount(view, "/" + chosen)
        sys.path[:] = ["/" + chosen]
        import start
        from core import identity
        verdict = start.look(chosen, chosen)
        print(identity.key_and_version("")[1] if not verdict[1] else "fault %d" % verdict[1])
    except Exception as error:
        print(repr(error))
    for name in list(sys.modules):
        if name == "start" or name.split(".")[0] == "core":
            del sys.modules[name]
    start = identity = view = None
    if sys.path:
        vfs.umount(sys.path.pop())
    vfs.umount("/")
    gc.collect()
"""


class BootStage:
    def __init__(self, folder: Path) -> None:
        self.flash = folder / "looked-at.img"
        self.flash.write_bytes(b"\xff" * BLOCK * BLOCKS)
        script = folder / "boot_stage.py"
        script.write_text(_SCRIPT)
        self._process = subprocess.Popen(
            [*interpreter(), "-X", "heapsize=192k", str(script), str(self.flash)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def look(self) -> str:
        """Return the version that would start from the current content of `flash`, or the fault."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def __enter__(self) -> BootStage:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
