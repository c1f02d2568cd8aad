"""The reader in the mouth: its frames, and their conversion to READ reports.

One frame for each read, at 115200 baud, 8 bits, no parity:

    0xCA   count   code ...   crc

`count` is 1 to 8 codes, plus 0x80 if the reader saw them together and their order is unknown. A
code is a card's number (0 to 51), 254 for a card that belongs to no pack, 255 for an unreadable
one. `crc` is CRC-8 (polynomial 0x07, start 0) over count and codes.

A frame with a wrong byte is dropped and counted; the core then misses a face for that card and
reports that it could not be read. No valid frame has 0xCA among its count and codes, so 0xCA there
is the start of the next frame, and a stray 0xCA costs no card. A valid frame is lost in one case
only: stray bytes come before it without a pause, they are a frame except for its `crc`, and that
would be 0xCA. After a pause (see `Board._drain`) the reader forgets them. A reader of another kind
needs another module with the same methods; no other module handles frames.

A face belongs to the passage in which it was read. The line has no clock, so frames are stored
until `samples` can date them: before the end of a passage, or else now.
"""

from checksum import crc8
from core.devices.sensors import FOREIGN, READ, TOGETHER

START = 0xCA
AT_ONE_MOMENT = 0x80
MOST = 8
_KEPT = 64  # bytes of frames not reported yet


def _is_code(byte):
    return byte < 52 or byte >= FOREIGN


class Reader:
    def __init__(self, edges):
        self.edges = edges
        self.kept = bytearray(_KEPT)  # each frame: its count as received, then its codes
        self.used = 0
        self.frame = bytearray(MOST + 1)  # count and codes
        self.filled = -1  # number of received bytes; -1 before START
        self.dropped = 0

    def feed(self, byte):
        """Take one byte of the line."""
        filled, frame = self.filled, self.frame
        count = frame[0] & 0x7F
        if filled > count:  # count and codes are complete: this is the CRC
            self.filled = -1
            if crc8(frame, count + 1) == byte:
                self._keep(count)
                return
            self.dropped += 1
        elif 1 <= byte & 0x7F <= MOST if filled == 0 else filled > 0 and _is_code(byte):
            frame[filled] = byte
            self.filled = filled + 1
            return
        else:
            self.forget()
        if byte == START:
            self.filled = 0

    def forget(self):
        """Drop an incomplete frame."""
        if self.filled >= 0:
            self.filled = -1
            self.dropped += 1

    def report(self, time):
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

    def report_all(self, time):
        """Report all frames, as of `time`."""
        while self.used:
            self.report(time)

    def _keep(self, count):
        """Store a valid frame until it is reported."""
        if self.used + count + 1 > _KEPT:
            self.dropped += 1
            return
        for at in range(count + 1):
            self.kept[self.used + at] = self.frame[at]
        self.used += count + 1
