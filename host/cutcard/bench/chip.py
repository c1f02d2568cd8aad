"""The entire flash chip: MicroPython's own part first, then the file system.

On a board, the interpreter is in the same chip as the firmware. Here it is a program of this
computer, so the front of the chip contains as many of its bytes as fit on a Pico. They are not
executed, but an attestation of the device covers them.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from cutcard.bench.firmware import NO_MICROPYTHON, FirmwareError
from cutcard.bench.flash import BLOCK, FlashImage

MICROPYTHON_BLOCKS = 160  # of 512: a Pico's file system has the other 352
MICROPYTHON_SIZE = MICROPYTHON_BLOCKS * BLOCK


def micropython_part(image: Path) -> Path:
    """Return the file with MicroPython's part; make it from this bench's interpreter if missing."""
    if not image.exists():
        with _interpreter().open("rb") as program:
            image.write_bytes(program.read(MICROPYTHON_SIZE).ljust(MICROPYTHON_SIZE, b"\xff"))
    return image


def _interpreter() -> Path:
    module = importlib.util.find_spec("micropython_run")
    found = module.origin if module is not None else shutil.which("micropython")
    if not found:
        raise FirmwareError(NO_MICROPYTHON)
    return Path(found)


class ClipOnReader:
    """Read the chip block by block from its beginning, as a clip-on reader does."""

    def __init__(self, micropython: Path, files: FlashImage) -> None:
        self._micropython = micropython
        self._files = files

    @property
    def blocks(self) -> int:
        return (self._micropython.stat().st_size + self._files.image.stat().st_size) // BLOCK

    def read(self) -> bytes:
        return self._micropython.read_bytes() + self._files.image.read_bytes()

    def change(self, block: int, offset: int) -> None:
        """Change one byte."""
        at = block * BLOCK + offset
        front = self._micropython.stat().st_size
        file = self._micropython if at < front else self._files.image
        with file.open("r+b") as stream:
            stream.seek(at if at < front else at - front)
            old = stream.read(1)[0]
            stream.seek(-1, 1)
            stream.write(bytes((old ^ 0x5A,)))
