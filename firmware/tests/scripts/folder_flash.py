"""A model of flash for files in a folder, for every interpreter.

As in littlefs, each file of a block's length is a block. As in flash, programming only clears bits.
"""

import os
from hashlib import sha256

if not hasattr(os, "urandom"):  # MicroPython's WebAssembly port
    from core.storage import erasable_record

    class Os:
        drawn = 0

        @classmethod
        def urandom(cls, size):
            cls.drawn += 1
            return sha256(str(cls.drawn).encode()).digest()[:size]

    erasable_record.os = Os

BLOCK = 4096
PAGE = 256


class FolderFlash:
    def __init__(self, root):
        self._folder = root + "/cutcard"
        self._paths = []  # the paths at the last query of the number of blocks

    def readblocks(self, block, buf, offset=0):
        with open(self._paths[block], "rb") as file:
            file.seek(offset)
            buf[:] = file.read(len(buf))

    def writeblocks(self, block, buf, offset):
        assert offset % PAGE == 0
        assert len(buf) == PAGE
        with open(self._paths[block], "rb") as file:
            old = bytearray(file.read())
        for at in range(len(buf)):
            old[offset + at] &= buf[at]
        with open(self._paths[block], "wb") as file:
            file.write(old)

    def ioctl(self, op, arg):
        if op == 4:
            self._paths = self._blocks()
        return len(self._paths) if op == 4 else BLOCK

    def _blocks(self):
        paths = [self._folder + "/" + name for name in sorted(os.listdir(self._folder))]
        return [path for path in paths if os.stat(path)[6] == BLOCK and not _is_folder(path)]


def _is_folder(path):
    return os.stat(path)[0] & 0x4000
