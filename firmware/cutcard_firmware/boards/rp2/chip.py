"""The entire flash chip of a board, mapped into memory.

`bytes_at` is `uctypes.bytearray_at`, `files` the block device of the file system (`rp2.Flash()`),
which is at the chip's end. Reads bypass the cache, which contains the running code, and on RP2350
the address translation, which could show another part of the chip instead.
"""

from core.image.attest import BLOCK, PIECE

_WINDOW = {"RP2040": 0x13000000, "RP2350": 0x1C000000}
_LEAST, _MOST = 1 << 20, 1 << 24


class Chip:
    def __init__(self, name, bytes_at, files):
        self._bytes_at = bytes_at
        self._window = _window(name)
        self.files = files
        self.blocks = self._size() // BLOCK
        self.first = self.blocks - files.ioctl(4, 0)

    def read(self, block, offset):
        return self._bytes_at(self._window + block * BLOCK + offset, PIECE)

    def close(self):
        """Do nothing: the chip was not opened."""

    def _size(self):
        """Return the size of the chip.

        The chip ignores address bits that it does not have, so it ends where its first block
        appears again. A copy put there changes the number of blocks in the answer.
        """
        first = self._bytes_at(self._window, BLOCK)
        size = _LEAST
        while size < _MOST and self._bytes_at(self._window + size, BLOCK) != first:
            size *= 2
        return size


def _window(name):
    for chip in _WINDOW:
        if chip in name:
            return _WINDOW[chip]
    raise ValueError("no flash is known on " + name)
