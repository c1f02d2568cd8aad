"""A frame on the line: 0x00, COBS(body, CRC-32), 0x00.

No byte inside is zero, so after any garbage the next zero is a new start. A body is at most 249
bytes, which keeps the line's 256.
"""

import struct
from binascii import crc32

from ..byte_ops import mix, stuff, unstuff

MAX_BODY = 249  # 256 less two delimiters, one byte of COBS and four of CRC
_MAX_STUFFED = 254
_WHOLE = 0x2144DF1C  # the CRC-32 of any data followed by its own CRC-32


def encode(body):
    frame, inside = room(len(body))
    mix(inside, 0, len(body), body)
    close(frame, inside)
    return bytes(frame)


def room(size):
    """Return zeros for a frame with a body of that size, and the view of the body within it."""
    if size > MAX_BODY:
        raise ValueError("frame too long")
    frame = bytearray(size + 7)
    return frame, memoryview(frame)[2 : size + 2]


def close(frame, body):
    """Complete a frame whose body is in place."""
    size = len(frame)
    struct.pack_into("<I", frame, size - 5, crc32(body))
    stuff(frame, size)


def decode(stuffed):
    """Return the body between two delimiters, or None if COBS or CRC are invalid."""
    return _opened(memoryview(bytearray(stuffed)), len(stuffed))


def _opened(view, size):
    """Return the body in the first `size` bytes of a view, which it changes."""
    if size < 6 or not unstuff(view, size) or crc32(view[1:size]) != _WHOLE:
        return None
    return bytes(view[1 : size - 4])


class Splitter:
    """Split incoming bytes into frame bodies; other data is counted and dropped."""

    def __init__(self):
        self.buffer = bytearray(_MAX_STUFFED)
        self.view = memoryview(self.buffer)
        self.filled = 0
        self.overlong = False
        self.dropped = 0

    def feed(self, data):
        """Return the bodies that `data` completes, in order."""
        bodies: list = []
        at = 0
        while True:
            end = data.find(b"\0", at)
            if end != at:
                self._keep(data, at, len(data) if end < 0 else end)
            if end < 0:
                return bodies
            at = end + 1
            self._end(bodies)

    def wipe(self):
        """Erase processed bytes, which may have contained a key."""
        for at in range(self.filled, len(self.buffer)):
            self.buffer[at] = 0

    def _end(self, bodies):
        body = None
        if self.filled and not self.overlong:
            body = _opened(self.view, self.filled)
        if body is not None:
            bodies.append(body)
        elif self.filled:
            self.dropped += 1
        self.filled = 0
        self.overlong = False

    def _keep(self, data, at, end):
        room = _MAX_STUFFED - self.filled
        if end - at > room:
            self.overlong = True
            end = at + room
        filled = self.filled + end - at
        self.buffer[self.filled : filled] = memoryview(data)[at:end]
        self.filled = filled
