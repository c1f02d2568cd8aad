"""A frame on the line: 0x00, COBS(body, CRC-32), 0x00.

No byte inside is zero, so whatever garbage came before, the next zero is a
fresh start. A body is at most 249 bytes, which keeps the line's 256.
"""

import struct
from binascii import crc32

MAX_BODY = 249  # 256 less two delimiters, one byte of COBS and four of CRC
_MAX_STUFFED = 254
_WHOLE = 0x2144DF1C  # the CRC-32 of whatever has its own CRC-32 behind it


def encode(body):
    if len(body) > MAX_BODY:
        raise ValueError("frame too long")
    out = bytearray(1)
    for run in (bytes(body) + struct.pack("<I", crc32(body))).split(b"\0"):
        out.append(len(run) + 1)
        out.extend(run)
    out.append(0)
    return bytes(out)


def decode(stuffed):
    """The body between two delimiters, or None where COBS or CRC do not hold."""
    out = bytearray(stuffed)
    at = 0
    size = len(out)
    while at < size:
        run = out[at]
        if not 0 < run <= _MAX_STUFFED:
            return None
        out[at] = 0
        at += run
    held = memoryview(out)[1:]
    if at > size or size < 6 or crc32(held) != _WHOLE:
        return None
    return bytes(held[:-4])


class Splitter:
    """Splits incoming bytes into frame bodies; what is not a frame is counted and dropped."""

    def __init__(self):
        self.buffer = bytearray(_MAX_STUFFED)
        self.filled = 0
        self.overlong = False
        self.dropped = 0

    def feed(self, data):
        """The bodies that `data` completes, in order."""
        bodies: list = []
        at = 0
        while True:
            end = data.find(b"\0", at)
            if end != at:
                self._keep(data[at:] if end < 0 else data[at:end])
            if end < 0:
                return bodies
            at = end + 1
            body = None
            if self.filled and not self.overlong:
                body = decode(memoryview(self.buffer)[: self.filled])
            if body is not None:
                bodies.append(body)
            elif self.filled:
                self.dropped += 1
            self.filled = 0
            self.overlong = False

    def wipe(self):
        """Erase bytes that were dealt with: they may have held a key."""
        for at in range(self.filled, len(self.buffer)):
            self.buffer[at] = 0

    def _keep(self, part):
        room = _MAX_STUFFED - self.filled
        if len(part) > room:
            self.overlong = True
            part = part[:room]
        self.buffer[self.filled : self.filled + len(part)] = part
        self.filled += len(part)
