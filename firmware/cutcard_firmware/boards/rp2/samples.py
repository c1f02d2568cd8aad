"""Convert a ring of pin samples, one word for each millisecond, to dated edges.

PIO takes the samples and DMA writes them (see `sampler`), so none is lost while a flash erase masks
interrupts: 45 ms as a rule, 400 at worst. The time of each sample follows from its distance to the
newest one.
"""

from core.devices.sensors import LEVELS, MOUTH, WRAP

_MARGIN = 8  # samples: the writer may be this far ahead of the position that was read
_CLOCK = WRAP - 1  # a mask: sums beyond it would be long integers, which allocate
_PASSAGE = 40  # milliseconds of cover at the mouth that mean a card, not bouncing
_STANDSTILL = 50  # milliseconds without a new sample: the sampler is dead


class Samples:
    """`words[first : first + size]` is the ring. `gpios` has a GPIO for each sensor, or None."""

    def __init__(self, words, first, size, gpios, edges, reader):
        self.words = words
        self.first = first
        self.size = size
        self.edges = edges
        self.reader = reader
        self.covered = 0  # when the mouth was last covered
        self.bits = [0 if gpio is None else 1 << gpio for gpio in gpios]
        self.mask = 0
        for bit in self.bits:
            self.mask |= bit
        self.word = 0  # the sensors as of the last sample that was read
        self.at = 0  # position of the next one
        self.drained = 0
        self.moved = 0  # time of the last new sample

    def begin(self, word, position, now):
        """Start from the current levels of the pins."""
        self.word = word & self.mask
        self.at = position
        self.drained = self.moved = now

    def levels(self):
        return bytes(1 if self.word & bit else 0 for bit in self.bits)

    def drain(self, position, now):
        """Push the edges of all samples before `position`; the newest sample has the time `now`."""
        size = self.size
        count = (position - self.at) % size
        if (now - self.drained) & _CLOCK > size - _MARGIN:
            # the writer has overtaken us: the number of missed edges is unknown
            self.edges.unseen += 1
            count = size - _MARGIN
            self.at = (position - count) % size
        self.drained = now
        if count:
            self.moved = now
        while count:
            count -= 1
            word = self.words[self.first + self.at] & self.mask
            self.at = (self.at + 1) % size
            if word != self.word:
                self._push(word, (now - count) & _CLOCK)

    def stand_still(self):
        """Return whether the sampler has stopped."""
        return (self.drained - self.moved) & _CLOCK > _STANDSTILL

    def _push(self, word, time):
        changed = word ^ self.word
        self.word = word
        for sensor in range(LEVELS):
            bit = self.bits[sensor]
            if changed & bit:
                level = 1 if word & bit else 0
                if sensor == MOUTH:
                    self._mouth(level, time)
                self.edges.push(time, sensor, level)

    def _mouth(self, level, time):
        """Report the frame of a passage before its end, also if both ends are in one drain."""
        if level:
            self.covered = time
        elif (time - self.covered) & _CLOCK >= _PASSAGE:
            self.reader.report(time)
