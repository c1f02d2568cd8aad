"""The bench's end of a board: one pipe to motors, sensors, noise, flash and cable.

It provides the flash for littlefs, and replaces the chip's peripherals and stock MicroPython's own
drivers.

The bench (host/cutcard/bench) has the other end. Requests are sent on one stream, answers arrive on
another, little-endian. A message without an answer is buffered and sent with the next request, so
one turn of the main loop costs one write and one read.
"""

import struct
import sys

import vfs
from micropython import const

BLOCK = const(4096)
BLOCKS = const(352)
PAGE = const(256)
_OUT = const(512)  # a frame or a page with their heads, and some motor commands
_ANSWER = const(768)  # the most bytes of an answer


class Gone(Exception):
    """The bench has ended, so this board has no power."""


class Channel:
    def __init__(self, incoming=None, outgoing=None):
        self.out = bytearray(_OUT)
        self.filled = 0
        self.answer = bytearray(_ANSWER)
        self._view = memoryview(self.answer)
        self._out_view = memoryview(self.out)
        self._write = (outgoing or sys.stdout.buffer).write
        self._readinto = (incoming or sys.stdin.buffer).readinto

    def add(self, head, body=b""):
        """Buffer a message until the next request."""
        size = len(head) + len(body)
        if self.filled + size > _OUT:
            self.flush()
        at = self.filled
        self.out[at : at + len(head)] = head
        at += len(head)
        self.out[at : at + len(body)] = body
        self.filled = at + len(body)

    def flush(self):
        at = 0
        while at < self.filled:
            at += self._write(self._out_view[at : self.filled])
        self.filled = 0

    def ask(self, size):
        """Send all buffered messages; return `size` bytes of the answer."""
        self.flush()
        self.fetch(0, size)

    def wipe(self):
        """Erase sent messages, which may contain a key: a board's flash driver keeps no copy of a
        page."""
        for at in range(_OUT):
            self.out[at] = 0

    def fetch(self, start, size):
        # readinto fills the entire buffer, or finds that the other end has closed.
        if self._readinto(self._view[start : start + size]) != size:
            raise Gone


class Flash:
    """The block device of littlefs. Reads come from the image, which is a file."""

    def __init__(self, channel, image):
        self._channel = channel
        self._image = open(image, "rb")  # noqa: SIM115
        self._program = bytearray(7)

    def readblocks(self, block, buf, offset=0):
        self._image.seek(block * BLOCK + offset)
        self._image.readinto(buf)

    def writeblocks(self, block, buf, offset=None):
        if offset is None:
            offset = 0
            for each in range(len(buf) // BLOCK):
                self._erase(block + each)
        view = memoryview(buf)
        for at in range(0, len(buf), PAGE):
            self._write(block + (offset + at) // BLOCK, (offset + at) % BLOCK, view[at : at + PAGE])

    def ioctl(self, op, arg):
        if op == 4:
            return BLOCKS
        if op == 5:
            return BLOCK
        if op == 6:
            return self._erase(arg)
        return 0

    def _write(self, block, offset, page):
        struct.pack_into("<BHHH", self._program, 0, 0x50, block, offset, PAGE)
        self._channel.add(self._program, page)
        self._answered()
        self._channel.wipe()

    def _erase(self, block):
        self._channel.add(struct.pack("<BH", 0x45, block))
        return self._answered()

    def _answered(self):
        self._channel.ask(1)
        if self._channel.answer[0]:
            raise OSError(5)
        return 0


def mount(flash, where, mtime=True):
    """Mount the file system, and format it if that fails, as the stock _boot.py does."""
    try:
        files = vfs.VfsLfs2(flash, progsize=PAGE, mtime=mtime)
    except OSError:
        vfs.VfsLfs2.mkfs(flash, progsize=PAGE)
        files = vfs.VfsLfs2(flash, progsize=PAGE, mtime=mtime)
    vfs.mount(files, where)
