"""The mechanism of a carousel: the bin for the next card, and the next bin to push.

All secrets of the machine are its draws. None is stored after its use, and none is used twice.
"""

from array import array

from ..storage import state as st


class Carousel:
    """Bins with a capacity, for continuous shuffling.

    A card goes to a bin with room. When the chute runs low, a bin is pushed: its first card, or all
    of its cards. Both choices use weights of the machine's description for each load of a bin, a
    row for each pack. Discards go back at any time.
    """

    continuous = True

    def __init__(self, device, spec):
        self.device = device
        self.spec = spec
        self.positions = self.stored_bins = spec.BINS
        self.single = spec.EJECTION == "single"
        # number of bins with each number of cards
        self.loads = array("H", bytes(2 * spec.CAPACITY + 2))

    def begin(self, cards):
        pass

    def count(self):
        numbers = self.device.state.numbers
        total = 0
        for place in range(st.BIN, st.BIN + self.positions):
            total += numbers[place] & ~st.UNSURE
        return total

    def admits(self, cards):
        """Return whether there are weights for this pack; if all bins are alike, any pack is
        valid."""
        rows = self.spec.ROWS
        return not rows[0] or cards in rows

    def choose(self):
        return self._draw(0)

    def next_push(self):
        """Return the next bin to push and the number of its cards to eject.

        Return None if the chute needs no cards or all bins are empty.
        """
        state = self.device.state
        if state.get(st.SUPPLY) > self.spec.CHUTE_LOW or not self.count():
            return None
        chosen = self._draw(1)
        return chosen, 1 if self.single else state.get(st.BIN + chosen)

    def put(self, chosen):
        self.device.state.add(st.BIN + chosen, 1)

    def moved_to_chute(self, chosen):
        state = self.device.state
        if state.get(st.BIN + chosen) & ~st.UNSURE:
            state.add(st.BIN + chosen, -1)

    def emptied(self, chosen):
        self.device.state.set(st.BIN + chosen, 0)

    def unsure(self, chosen):
        state = self.device.state
        state.set(st.BIN + chosen, state.get(st.BIN + chosen) | st.UNSURE)

    def spill(self, chosen):
        """Mark a bin with cards that may be in the bin or, unseen, in the chute."""
        state = self.device.state
        state.add(st.SLACK, state.get(st.BIN + chosen) & ~st.UNSURE)
        state.set(st.BIN + chosen, st.UNSURE)

    def interrupted(self):
        pass

    def unsure_bins(self):
        numbers = self.device.state.numbers
        return [b for b in range(self.positions) if numbers[st.BIN + b] & st.UNSURE]

    def bins_to_empty(self):
        """Return every bin, including those that should be empty: a push shows whether they are."""
        return range(self.positions)

    def _draw(self, least):
        """Return a bin for the next card (`least` is 0) or for the next push (1).

        Each bin is as likely as the weight of its load. Loads are taken in order, and within them
        bins in order.
        """
        numbers, loads, weights = self.device.state.numbers, self.loads, self.spec.WEIGHTS
        capacity = self.spec.CAPACITY
        for load in range(capacity + 1):
            loads[load] = 0
        for place in range(st.BIN, st.BIN + self.positions):
            if numbers[place] <= capacity:
                loads[numbers[place]] += 1
        first = (2 * self._row() + least) * capacity - least
        total = 0
        for load in range(least, least + capacity):
            total += loads[load] * weights[first + load]
        left = self.device.source.below(total)
        for load in range(least, least + capacity):
            share = loads[load] * weights[first + load]
            if left < share:
                return self._bin(load, left // weights[first + load])
            left -= share
        raise AssertionError("below() went too far")

    def _bin(self, load, left):
        """Return the bin with this load that has `left` others before it."""
        numbers = self.device.state.numbers
        for place in range(st.BIN, st.BIN + self.positions):
            if numbers[place] == load:
                if not left:
                    return place - st.BIN
                left -= 1
        raise AssertionError("bins were miscounted")

    def _row(self):
        """Return the row of weights for the pack.

        A loaded pack has its own row, unless another image was installed on a loaded machine:
        then the nearest row is used.
        """
        pack = self.device.state.get(st.PACK)
        rows = self.spec.ROWS
        best = 0
        for row in range(len(rows)):
            if abs(rows[row] - pack) < abs(rows[best] - pack):
                best = row
        return best
