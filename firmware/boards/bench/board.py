"""A board whose motors, sensors, noise, flash and cable are at the other end of a pipe.

The bench (host/cutcard/bench) holds that end. Requests go out on stdout, answers come in
on stdin, little-endian; what wants no answer is kept and goes out with the next request,
so that one turn of the main loop costs one write and one read.
"""

import struct
import sys

import vfs
from core.sensors import LEVELS, Edges
from micropython import const, heap_lock, heap_unlock

BLOCK = const(4096)
BLOCKS = const(352)
PAGE = const(256)
_OUT = const(512)  # a frame or a page with their heads, and some motor commands
_ANSWER = const(768)  # the bench keeps its answers below this
_EDGE = const(6)  # bytes: time, sensor, value
_WAIT_HEAD = const(8)  # time, number of edges, number of bytes from the host


class Gone(Exception):
    """The bench is gone, so this board has no power."""


class Channel:
    def __init__(self):
        self.out = bytearray(_OUT)
        self.filled = 0
        self.answer = bytearray(_ANSWER)
        self._view = memoryview(self.answer)
        self._out_view = memoryview(self.out)
        self._write = sys.stdout.buffer.write
        self._readinto = sys.stdin.buffer.readinto

    def add(self, head, body=b""):
        """Keep a message until the next request."""
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
        """Send all that is kept; `size` bytes of the answer."""
        self.flush()
        self.fetch(0, size)

    def fetch(self, start, size):
        # readinto fills the whole of what it is given, or finds the other end gone.
        if self._readinto(self._view[start : start + size]) != size:
            raise Gone


class Flash:
    """The block device that littlefs lives on. Reads come from the image, which is a file."""

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

    def _erase(self, block):
        self._channel.add(struct.pack("<BH", 0x45, block))
        return self._answered()

    def _answered(self):
        self._channel.ask(1)
        if self._channel.answer[0]:
            raise OSError(5)
        return 0


class Board:
    root = "/flash"

    def __init__(self, image, micropython):
        self._micropython = micropython  # a file with the part of the chip before the files
        self._channel = channel = Channel()
        self.edges = Edges()
        self._drive = bytearray(4)
        self._send = bytearray(3)
        self._wait = bytearray(6)
        channel.add(b"S")
        channel.ask(13 + LEVELS)
        answer = channel.answer
        self._now, self.cause = struct.unpack_from("<IB", answer)
        self.serial = bytes(answer[5:13])
        self._levels = bytes(answer[13 : 13 + LEVELS])
        self._flash = Flash(channel, image)
        self._mount(self._flash)

    def _mount(self, flash):
        """As the stock _boot.py does: what cannot be mounted is formatted."""
        try:
            files = vfs.VfsLfs2(flash, progsize=PAGE)
        except OSError:
            vfs.VfsLfs2.mkfs(flash, progsize=PAGE)
            files = vfs.VfsLfs2(flash, progsize=PAGE)
        vfs.mount(files, self.root)

    def now(self):
        return self._now

    def levels(self):
        return self._levels

    def drive(self, actuator, value):
        struct.pack_into("<BBh", self._drive, 0, 0x44, actuator, value)
        self._channel.add(self._drive)

    def show(self, table, amount):
        """On a controller's meter and panel; what they show, they report."""
        self._channel.add(struct.pack("<BBI", 0x56, table, amount))

    def breathe(self):
        """Called in a long computation. Here the clock stands still meanwhile."""

    def send(self, data):
        struct.pack_into("<BH", self._send, 0, 0x54, len(data))
        self._channel.add(self._send, data)

    def fill(self, buf):
        self._channel.add(struct.pack("<BH", 0x4E, len(buf)))
        self._channel.ask(len(buf))
        buf[:] = memoryview(self._channel.answer)[: len(buf)]

    def chip(self):
        from chip import Chip

        sys.modules.pop("chip")  # the code goes when the chip does
        return Chip(self._flash, self._micropython)

    def feed_watchdog(self):
        self._channel.add(b"F")

    def ready(self):
        self._channel.add(b"R")

    def wait(self, milliseconds, busy, device):
        """Sleep until an edge, bytes from the host, or until the time is over."""
        channel = self._channel
        struct.pack_into("<BIB", self._wait, 0, 0x57, milliseconds, 1 if busy else 0)
        channel.add(self._wait)
        channel.ask(_WAIT_HEAD)
        answer = channel.answer
        self._now = answer[0] | answer[1] << 8 | answer[2] << 16 | answer[3] << 24
        edges = answer[4] | answer[5] << 8
        size = answer[6] | answer[7] << 8
        at = _WAIT_HEAD + edges * _EDGE
        if edges or size:
            channel.fetch(_WAIT_HEAD, edges * _EDGE + size)
        if edges:
            # A sensor's interrupt must not allocate. Here it would be an error.
            heap_lock()
            _interrupt(self.edges, answer, edges)
            heap_unlock()
        if size:
            device.receive(bytes(answer[at : at + size]))


def _interrupt(ring, answer, edges):
    """What an interrupt handler of a board does, for each edge that came."""
    at = _WAIT_HEAD
    while edges:
        time = answer[at] | answer[at + 1] << 8 | answer[at + 2] << 16 | answer[at + 3] << 24
        ring.push(time, answer[at + 4], answer[at + 5])
        at += _EDGE
        edges -= 1
