"""The reader in the mouth: what it sends, and how that becomes READ reports.

One frame a look, at 115200 baud, 8 bits, no parity:

    0xCA   count   code ...   crc

`count` is 1 to 8 codes, plus 0x80 where the reader saw them at one moment and their order is
not known. A code is a card's number (0 to 51), 254 for a card that belongs to no pack, 255 for
one that could not be read. `crc` is CRC-8 (polynomial 0x07, start 0) over count and codes.

A frame that does not hold is dropped and counted: the core then misses a face for that card
and says that it could not be read. A reader of another kind needs another module with the
same three methods; nothing else knows of frames.

A face belongs to the passage that it was read in. The line has no clock, so frames are kept
until `samples` knows where they go: before the end of a passage, or else now.
"""

from checksum import crc8
from core.sensors import FOREIGN, READ, TOGETHER

START = 0xCA
AT_ONE_MOMENT = 0x80
MOST = 8
_KEPT = 64  # bytes of frames that nobody has told yet


class Reader:
    def __init__(self, edges):
        self.edges = edges
        self.kept = bytearray(_KEPT)  # each frame: its count as it came, then its codes
        self.used = 0
        self.frame = bytearray(MOST + 2)
        self.filled = -1  # bytes of a frame so far; -1 before its first
        self.dropped = 0

    def feed(self, byte):
        """One byte of the line."""
        if self.filled < 0:
            if byte == START:
                self.filled = 0
            return
        self.frame[self.filled] = byte
        self.filled += 1
        count = self.frame[0] & 0x7F
        if not 1 <= count <= MOST:
            self._drop()
        elif self.filled == count + 2:
            self._whole(count)

    def tell(self, time):
        """Report the oldest frame, as of `time`."""
        if not self.used:
            return
        kept = self.kept
        size = (kept[0] & 0x7F) + 1
        if kept[0] & AT_ONE_MOMENT:
            self.edges.push(time, READ, TOGETHER)
        for at in range(1, size):
            self.edges.push(time, READ, kept[at])
        self.used -= size
        for at in range(self.used):
            kept[at] = kept[at + size]

    def tell_all(self, time):
        while self.used:
            self.tell(time)

    def _whole(self, count):
        frame = self.frame
        if crc8(frame, count + 1) != frame[count + 1]:
            return self._drop()
        for at in range(1, count + 1):
            if 51 < frame[at] < FOREIGN:
                return self._drop()
        if self.used + count + 1 > _KEPT:
            return self._drop()
        for at in range(count + 1):
            self.kept[self.used + at] = frame[at]
        self.used += count + 1
        self.filled = -1

    def _drop(self):
        self.filled = -1
        self.dropped += 1
