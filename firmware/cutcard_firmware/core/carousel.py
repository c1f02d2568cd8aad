"""The mechanism of a carousel: where the next card goes, and which bin comes out next.

The draws are the whole of the machine's secret. None is kept after it was used, and none
is used twice.
"""

from . import state as st


class Carousel:
    """Bins with a capacity, for continuous shuffling.

    A card goes to any bin with room; any bin that is not empty is pushed out whole when the chute
    runs low. Discards go back all the while.
    """

    continuous = True

    def __init__(self, device, spec):
        self.device = device
        self.spec = spec
        self.positions = self.stored_bins = spec.BINS

    def begin(self, cards):
        pass

    def count(self):
        numbers = self.device.state.numbers
        total = 0
        for place in range(st.BIN, st.BIN + self.positions):
            total += numbers[place] & ~st.UNSURE
        return total

    def choose(self):
        return self._draw(0, self.spec.CAPACITY)

    def next_push(self):
        """The bin that comes out next and how many cards it holds; None where the chute wants
        none or there is none."""
        state = self.device.state
        if state.get(st.SUPPLY) > self.spec.CHUTE_LOW or not self.count():
            return None
        chosen = self._draw(1, self.spec.CAPACITY + 1)
        return chosen, state.get(st.BIN + chosen)

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
        """Mark a bin whose cards are in the bin or in the chute, unseen."""
        state = self.device.state
        state.add(st.SLACK, state.get(st.BIN + chosen) & ~st.UNSURE)
        state.set(st.BIN + chosen, st.UNSURE)

    def interrupted(self):
        pass

    def unsure_bins(self):
        numbers = self.device.state.numbers
        return [b for b in range(self.positions) if numbers[st.BIN + b] & st.UNSURE]

    def bins_to_empty(self):
        """Every bin, also those that should be empty: a push shows whether they are."""
        return range(self.positions)

    def _draw(self, least, most):
        """One of the bins that hold at least `least` and fewer than `most` cards, uniformly."""
        numbers = self.device.state.numbers
        fitting = 0
        for place in range(st.BIN, st.BIN + self.positions):
            if least <= numbers[place] < most:
                fitting += 1
        left = self.device.source.below(fitting)
        for place in range(st.BIN, st.BIN + self.positions):
            if least <= numbers[place] < most:
                if not left:
                    return place - st.BIN
                left -= 1
        raise AssertionError("below() went too far")
