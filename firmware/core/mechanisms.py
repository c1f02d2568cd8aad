"""Where the next card goes, and which bin comes out next: one class a mechanism.

The draws are the whole of the machine's secret. None is kept after it was used, and none
is used twice.
"""

from array import array

from . import state as st


class Carousel:
    """Bins with a capacity. A card goes to any bin with room; any bin that is not empty is
    pushed out whole when the chute runs low. Continuous: discards go back all the while."""

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

    def fill_chute(self):
        """Start to push out a bin where the chute wants one and there is one."""
        state = self.device.state
        if state.get(st.SUPPLY) > self.spec.CHUTE_LOW or not self.count():
            return False
        chosen = self._draw(1, self.spec.CAPACITY + 1)
        self.device.start(self.device.push_out(chosen, state.get(st.BIN + chosen)))
        return True

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
        """Its cards are in the bin or in the chute, nobody saw which."""
        state = self.device.state
        state.add(st.SLACK, state.get(st.BIN + chosen) & ~st.UNSURE)
        state.set(st.BIN + chosen, st.UNSURE)

    def interrupted(self):
        pass

    def unsure_bins(self):
        numbers = self.device.state.numbers
        return [b for b in range(self.positions) if numbers[st.BIN + b] & st.UNSURE]

    def bins_to_empty(self):
        """Every bin: one that should be empty shows whether it is."""
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


class Batch:
    """A pack at a time: all in, then all out. Where each card went is known to nobody after a
    fault, on purpose: the pack comes out, is counted, and goes in again."""

    continuous = False
    stored_bins = 0
    positions: int  # where the feeder can stand; a subclass says
    step_out: int  # positions from one push to the next

    def __init__(self, device, spec, positions):
        self.device = device
        self.spec = spec
        self.positions = positions
        self.begin(0)

    def begin(self, cards):
        self.held = array("H", bytes(2 * self.positions))  # cards at each position
        self.next_out = 0

    def count(self):
        return sum(self.held)

    def fill_chute(self):
        while self.next_out < len(self.held):
            chosen = self.next_out
            expected = self.in_push(chosen)
            self.next_out += self.step_out
            if expected:
                self.device.start(self.device.push_out(chosen, expected))
                return True
        return False

    def in_push(self, chosen):
        """Cards that one push at this position brings out."""
        raise NotImplementedError

    def put(self, chosen):
        self.held[chosen] += 1

    def unsure(self, chosen):
        pass

    def spill(self, chosen):
        pass

    def interrupted(self):
        """Only a chute that holds the whole pack is worth anything after a fault."""
        state = self.device.state
        if state.get(st.BACK_TO) != READY_MODE:
            state.set(st.UNKNOWN, 1)

    def unsure_bins(self):
        return ()

    def bins_to_empty(self):
        return range(0, self.positions, self.step_out) if self.device.state.get(st.UNKNOWN) else ()


READY_MODE = 2  # messages.MODES: the whole pack lies in the chute


class Slots(Batch):
    """One card a slot. The whole permutation is drawn first, Fisher-Yates, one draw a card,
    and then carried out; the slots are emptied in their order."""

    step_out = 1

    def __init__(self, device, spec):
        super().__init__(device, spec, spec.BINS)

    def begin(self, cards):
        super().begin(cards)
        self.placed = 0
        order = array("H", range(cards))
        for card in range(cards):
            other = card + self.device.source.below(cards - card)
            order[card], order[other] = order[other], order[card]
        self.order = order

    def choose(self):
        return self.order[self.placed]

    def put(self, chosen):
        super().put(chosen)
        self.order[self.placed] = 0
        self.placed += 1

    def in_push(self, chosen):
        return self.held[chosen]

    def moved_to_chute(self, chosen):
        if self.held[chosen]:
            self.held[chosen] -= 1

    def emptied(self, chosen):
        self.held[chosen] = 0


class Shelves(Batch):
    """Each card goes to a shelf, on top of what lies there or underneath: one draw of twice the
    shelves. Position 2s is the top of shelf s, 2s+1 its underside; shelves leave in order."""

    step_out = 2

    def __init__(self, device, spec):
        super().__init__(device, spec, 2 * spec.BINS)

    def choose(self):
        while True:
            chosen = self.device.source.below(self.positions)
            if self.in_push(chosen & ~1) < self.spec.CAPACITY:
                return chosen

    def in_push(self, chosen):
        return self.held[chosen] + self.held[chosen + 1]

    def moved_to_chute(self, chosen):
        half = chosen if self.held[chosen] else chosen + 1
        if self.held[half]:
            self.held[half] -= 1

    def emptied(self, chosen):
        self.held[chosen] = self.held[chosen + 1] = 0


MECHANISMS: dict = {"carousel": Carousel, "slots": Slots, "shelves": Shelves}
