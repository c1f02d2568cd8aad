"""A flash chip as delivered by the maker: MicroPython's file system with an image.

A board on the table gets its first image by `cutcard flash`, through the prompt. That takes half a
minute and has separate tests, so an emulated chip starts programmed. It contains the same files,
written by MicroPython's own littlefs, and the boot stage sees no difference.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from cutcard.bench.filling import run_on_new_files
from cutcard.bench.firmware import cache
from cutcard.bench.flash import SIZE
from cutcard.chip.cache import tidy, used
from cutcard.image import compiling
from cutcard.image.build import Signer, build, texts
from cutcard.image.compiling import needs
from cutcard.image.image import Image
from cutcard.keys.history import KeyHistories
from cutcard.keys.store import SigningKeyStore
from cutcard.machines import Machine
from cutcard_firmware.core.image.manifest import MODULES

VERSION = 1
KEY = "chip"
PASSPHRASE = "an emulated chip has no secrets"

# Runs in MicroPython: copy a folder into the new file system.
_COPY = """
def copy(source, target):
    for entry in sorted(os.ilistdir(source)):
        old, new = source + "/" + entry[0], target + "/" + entry[0]
        if entry[1] == 0x4000:
            os.mkdir(new)
            copy(old, new)
        else:
            with open(old, "rb") as f, open(new, "wb") as t:
                t.write(f.read())
copy(sys.argv[2], "/flash")
"""


def programmed(machine: Machine) -> Path:
    """Return the file with the flash content after MicroPython; make it if it is missing."""
    made_of = (needs(), texts("rp2", machine), machine.values["board.console"], _compiler())
    digest = sha256(repr(made_of).encode()).hexdigest()[:24]
    file = folder() / f"{machine.name}-{digest}.img"
    with alone(file):
        if not file.exists():
            write(build("rp2", machine, VERSION, signer()), file)
            tidy(list(folder().glob("*.img")))
    used(file)
    return file


def _compiler() -> list[str]:
    """Return the parts that make an image from sources; other parts make another image."""
    return [file.read_text() for file in sorted(Path(compiling.__file__).parent.glob("*.py"))]


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Lock a file, so that one process makes it while others wait, and then use it."""
    lock = lock_for(file)
    try:
        yield
    finally:
        os.close(lock)


def lock_for(file: Path) -> int:
    """Wait until no other process makes this file. The lock ends when it is closed, or its holder
    ends."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(file.with_name(file.name + ".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def folder() -> Path:
    return cache().parent / "chip"


def signer() -> Signer:
    """Return the key that signs images of emulated chips, on this computer only."""
    store = SigningKeyStore(folder() / "keys")
    with alone(folder() / "keys"):  # two machines may be started together, both as the first
        if KEY not in {key.name for key in store.list()}:
            store.make(KEY, "image", PASSPHRASE, development=True)
    public = store.public(KEY)
    return Signer(store.open(KEY, PASSPHRASE), public, tuple(KeyHistories(store).of(public)))


def write(image: Image, file: Path) -> None:
    """Write the image into both slots, its identity, and the files that MicroPython starts."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as work:
        root, flash = Path(work) / "root", Path(work) / "flash"
        put(root / "cutcard" / "identity", image.new_identity().packed())
        for slot in "ab":
            put(root / "image" / slot / "manifest", image.manifest + image.signature)
            put(root / "image" / slot / MODULES, image.in_slot)
        for each in image.files:
            if each.name.startswith("/"):
                put(root / each.name[1:], each.data)
        flash.write_bytes(b"\xff" * SIZE)
        run_on_new_files(_COPY, flash, Path(work) / "copy.py", str(root))
        flash.replace(file)


def put(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
