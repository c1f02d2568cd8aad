"""The mechanisms of batch shufflers: the place of each card, and the next card to eject.

All secrets of the machine are its draws. None is stored after its use, and none is used twice.
"""

from array import array

from ..storage import state as st
from ..devices.device import READY


class Batch:
    """A batch mechanism: the entire pack goes in, then all of it comes out.

    After a fault, the place of each card is deliberately unknown: the pack comes out, is counted,
    and goes in again.
    """

    continuous = False
    single = False
    stored_bins = 0
    positions: int  # positions of the feeder; set by the subclass
    step_out: int  # positions from one push to the next

    def __init__(self, device, spec, positions):
        self.device = device
        self.spec = spec
        self.positions = positions
        self.begin(0)

    def begin(self, cards):
        self.held = array("H", bytes(2 * self.positions))  # cards at each position
        self.next_out = 0

    def admits(self, cards):
        return True

    def count(self):
        return sum(self.held)

    def next_push(self):
        while self.next_out < len(self.held):
            chosen = self.next_out
            expected = self.in_push(chosen)
            self.next_out += self.step_out
            if expected:
                return chosen, expected
        return None

    def in_push(self, chosen):
        """Return the number of cards that one push at this position brings out."""
        raise NotImplementedError

    def put(self, chosen):
        self.held[chosen] += 1

    def unsure(self, chosen):
        pass

    def spill(self, chosen):
        pass

    def interrupted(self):
        """Mark the cards' places as unknown after a fault, unless the chute contains the pack."""
        state = self.device.state
        if state.get(st.BACK_TO) != READY:
            state.set(st.UNKNOWN, 1)

    def unsure_bins(self):
        return ()

    def bins_to_empty(self):
        return range(0, self.positions, self.step_out) if self.device.state.get(st.UNKNOWN) else ()


class Slots(Batch):
    """One card in each slot, by a Fisher-Yates permutation with one draw for each card.

    The entire permutation is drawn first and then carried out; the slots are emptied in order.
    """

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
    """Each card goes to a shelf, on top of its cards or underneath: one draw of twice the shelves.

    Position 2s is the top of shelf s, 2s+1 its underside; shelves leave in order.
    """

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


MECHANISMS: dict = {"slots": Slots, "shelves": Shelves}
