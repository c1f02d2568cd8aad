"""The entire flash chip of the bench: the file for MicroPython's own part, then the files."""

from core.image.attest import BLOCK, PIECE


class Chip:
    def __init__(self, files, micropython):
        self.files = files
        self.first = micropython.seek(0, 2) // BLOCK  # first block of the file system
        self.blocks = self.first + files.ioctl(4, 0)
        self._own = micropython
        self._piece = bytearray(PIECE)

    def read(self, block, offset):
        """Return bytes of a block, valid until the next call."""
        if block < self.first:
            self._own.seek(block * BLOCK + offset)
            self._own.readinto(self._piece)
        else:
            self.files.readblocks(block - self.first, self._piece, offset)
        return self._piece

    def close(self):
        """Do nothing: the parts belong to the board and stay open."""
