"""The reference of an attestation: the expected content of a device's flash, without its secrets.

A read-out contains the device's seed, perhaps its key, and data in blocks without a file. In a
reference both are blank: the device leaves the former out of its digest, and the latter are blank
after a scrub.
"""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
from pathlib import Path

from cutcard.bench.firmware import interpreter
from cutcard.image.compiling import SOURCES
from cutcard_firmware.core.image.attest import BLOCK, marked

_MAGIC = b"littlefs"
_BLANK = b"\xff" * BLOCK
# The interpreter with littlefs mounts the files and reports their blocks.
_SCRIPT = f"""
import sys
from core.image.attest import _in_use

class Image:
    def __init__(self, path, blocks):
        self.file = open(path, "rb")
        self.blocks = blocks
    def readblocks(self, block, buf, offset=0):
        self.file.seek(block * {BLOCK} + offset)
        self.file.readinto(buf)
    def ioctl(self, op, arg):
        return {{4: self.blocks, 5: {BLOCK}}}.get(op, 0)

work = _in_use(Image(sys.argv[1], int(sys.argv[2])))
try:
    while True:
        next(work)
except StopIteration as end:
    print(end.value[0].hex())
"""


HEAD = b"cutcard flash 1\n"  # of a reference file


class NoReferenceError(ValueError):
    """Raised if the file is no read-out of a chip with a cutcard device; the text has the
    reason."""


def load(data: bytes) -> bytes:
    """Return the flash contents in a file: a reference from `save`, or a read-out of the chip."""
    return data.removeprefix(HEAD) if data.startswith(HEAD) else from_read_out(data)


def save(flash: bytes) -> bytes:
    return HEAD + flash


def from_read_out(read_out: bytes) -> bytes:
    """Return a reference made from a read-out: every block without a file of the image is blank."""
    first = _first_block(read_out)
    files = read_out[first * BLOCK :]
    owned = _owned(files)
    kept = bytearray(read_out)
    for block in range(len(files) // BLOCK):
        if not marked(owned, block):
            at = (first + block) * BLOCK
            kept[at : at + BLOCK] = _BLANK
    return bytes(kept)


def _first_block(read_out: bytes) -> int:
    """Return the first block of the file system, which extends to the end of the chip.

    Its first block contains its length.
    """
    if not read_out or len(read_out) % BLOCK:
        raise NoReferenceError(
            f"{len(read_out)} bytes are not a multiple of the block size, {BLOCK}"
        )
    blocks = len(read_out) // BLOCK
    for block in range(blocks):
        head = read_out[block * BLOCK : block * BLOCK + 32]
        if head[8:16] == _MAGIC:
            size, count = struct.unpack("<II", head[24:32])
            if size == BLOCK and block - (blocks - count) in (0, 1):
                return blocks - int(count)
    raise NoReferenceError(
        "no littlefs up to the end was found: does the file have the entire chip?"
    )


def _owned(files: bytes) -> bytes:
    with tempfile.TemporaryDirectory(prefix="cutcard-") as folder:
        image, script = Path(folder) / "files.img", Path(folder) / "owned.py"
        image.write_bytes(files)
        script.write_text(_SCRIPT)
        done = subprocess.run(
            [*interpreter(), str(script), str(image), str(len(files) // BLOCK)],
            capture_output=True,
            text=True,
            env={**os.environ, "MICROPYPATH": str(SOURCES)},
        )
    if done.returncode:
        why = done.stderr.strip().splitlines() or [f"MicroPython ended with {done.returncode}"]
        raise NoReferenceError(f"its files cannot be read: {why[-1]}")
    return bytes.fromhex(done.stdout.strip())
