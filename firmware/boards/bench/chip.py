"""The whole flash chip of the bench: what stands for MicroPython's own part, then the files."""

import os

from board import BLOCK, BLOCKS
from core.attest import PIECE


class Chip:
    def __init__(self, files, micropython):
        self.files = files
        self.first = os.stat(micropython)[6] // BLOCK  # block where the file system begins
        self.blocks = self.first + BLOCKS
        self._own = open(micropython, "rb")  # noqa: SIM115
        self._piece = bytearray(PIECE)

    def read(self, block, offset):
        """So many bytes of a block, good until the next call."""
        if block < self.first:
            self._own.seek(block * BLOCK + offset)
            self._own.readinto(self._piece)
        else:
            self.files.readblocks(block - self.first, self._piece, offset)
        return self._piece

    def close(self):
        self._own.close()
