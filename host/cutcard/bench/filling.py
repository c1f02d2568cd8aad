"""Fill a device's file system, or remove a file from it, by mounting it in MicroPython."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cutcard.bench.firmware import FirmwareError, interpreter
from cutcard.bench.flash import BLOCK, BLOCKS, PAGE

# Runs in MicroPython, on the image of a device that is switched off.
_FLASH = f"""
import os, sys, vfs

class Image:
    def __init__(self, path):
        self.file = open(path, "r+b")
    def readblocks(self, block, buf, offset=0):
        self.file.seek(block * {BLOCK} + offset)
        self.file.readinto(buf)
    def writeblocks(self, block, buf, offset=0):
        self.file.seek(block * {BLOCK} + offset)
        self.file.write(buf)
    def ioctl(self, op, arg):
        if op == 6:
            self.writeblocks(arg, b"\\xff" * {BLOCK})
        return {{4: {BLOCKS}, 5: {BLOCK}}}.get(op, 0)

flash = Image(sys.argv[1])
"""
_MAKE = f"vfs.VfsLfs2.mkfs(flash, progsize={PAGE})\n"
_MOUNTED = f'vfs.mount(vfs.VfsLfs2(flash, progsize={PAGE}), "/flash")\n'
_FILL = f"""
own = "/flash" + sys.argv[3]
leave = int(sys.argv[2])
chunk = b"x" * {BLOCK}
try:
    with open(own + "/filler", "ab") as file:
        for _ in range(os.statvfs("/flash")[3] - leave):
            file.write(chunk)
            file.flush()
except OSError:
    pass
if not leave:
    # Small files share the folder's blocks: fill these as well.
    for size in (200, 20, 1):
        try:
            for number in range(1000):
                with open(own + "/filler%d_%d" % (size, number), "wb") as file:
                    file.write(chunk[:size])
        except OSError:
            pass
"""
_FORGET = """
for file in os.ilistdir("/flash/cutcard/state"):
    os.remove("/flash/cutcard/state/" + file[0])
"""


def fill(image: Path, leave: int, folder: str, script: Path) -> None:
    """Leave about `leave` blocks free. Raises FirmwareError if the image cannot be mounted.

    Outside the device's own folder, the file is in no manifest, so an image does not start.
    """
    run_on_files(_FILL, image, script, str(leave), folder)


def forget(image: Path, script: Path) -> None:
    """Remove only the file with the device's state."""
    run_on_files(_FORGET, image, script)


def run_on_files(work: str, image: Path, script: Path, *arguments: str) -> None:
    """Run a MicroPython program on the files, which are mounted at /flash."""
    _run(_MOUNTED + work, image, script, *arguments)


def run_on_new_files(work: str, image: Path, script: Path, *arguments: str) -> None:
    """Run a MicroPython program on a new file system."""
    _run(_MAKE + _MOUNTED + work, image, script, *arguments)


def _run(work: str, image: Path, script: Path, *arguments: str) -> None:
    script.write_text(_FLASH + work + 'vfs.umount("/flash")\n')
    command = [*interpreter(), str(script), str(image), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise FirmwareError(f"the flash cannot be changed: {done.stderr.strip()}")
