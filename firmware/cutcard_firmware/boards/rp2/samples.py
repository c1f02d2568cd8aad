"""Turns a ring of pin samples, one word for each millisecond, into dated edges.

PIO takes the samples and DMA writes them (see `sampler`), so that nothing is missed while
a flash erase masks interrupts: 45 ms as a rule, 400 at worst. Whoever drains the ring knows
when each sample was taken from how far it lies behind the newest.
"""

from core.devices.sensors import LEVELS, MOUTH, WRAP

_MARGIN = 8  # samples: the writer may be this far ahead of the position that was read
_CLOCK = WRAP - 1  # a mask: sums beyond it would be long integers, which allocate
_PASSAGE = 40  # milliseconds of cover at the mouth that are a card and no bouncing
_STANDSTILL = 50  # milliseconds without a new sample: the sampler is dead


class Samples:
    """`words[first : first + size]` is the ring. `gpios` has a GPIO for each sensor, or None."""

    def __init__(self, words, first, size, gpios, edges, reader):
        self.words = words
        self.first = first
        self.size = size
        self.edges = edges
        self.reader = reader
        self.covered = 0  # when the mouth last was
        self.bits = [0 if gpio is None else 1 << gpio for gpio in gpios]
        self.mask = 0
        for bit in self.bits:
            self.mask |= bit
        self.word = 0  # the sensors as of the last sample that was read
        self.at = 0  # where the next one lies
        self.drained = 0
        self.moved = 0  # when there last was a new one

    def begin(self, word, position, now):
        """Start from the pins as they are."""
        self.word = word & self.mask
        self.at = position
        self.drained = self.moved = now

    def levels(self):
        return bytes(1 if self.word & bit else 0 for bit in self.bits)

    def drain(self, position, now):
        """Push the edges of all samples before `position`, the newest of which is of `now`."""
        size = self.size
        count = (position - self.at) % size
        if (now - self.drained) & _CLOCK > size - _MARGIN:
            self.edges.unseen += 1  # the writer has lapped us: how often edges came is not known
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
        """Whether the sampler has stopped."""
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
