"""A dealing shoe: a stack that is cut, gets its cutting cards, burns a card, and deals.

The shoe detects leaving cards, and whether a stack is present. It derives the number of cards in
the stack from the host's commands and the cards that left.
"""

from ..storage import state as st
from .card_device import CardDevice
from ..devices.commands import Refusal
from ..devices.device import EMPTY, READY
from .leaving import leave
from ..devices.sensors import POINT_CUT, POINT_PLACE, TRAY

MOST_CUTTING_CARDS = 2


class Shoe(CardDevice):
    supply_sensor = TRAY

    def __init__(self, spec, board):
        super().__init__(spec, board, 0)

    def inside(self):
        return self.state.get(st.SUPPLY)

    def in_bins(self):
        return 0

    def room(self):
        return self.spec.MOST_DECKS * 52

    @property
    def emptying(self):
        return self.job is not None

    # Commands

    def cmd_stack(self, decks, pack):
        state = self.state
        self._take_on(decks, pack)
        state.set(st.OUTSIDE, 0)
        state.set(st.SUPPLY, decks * pack)
        state.set(st.DEALT, 0)
        state.set(st.MODE, READY)
        self.emit("loaded", decks * pack)

    def cmd_cut(self, depth, low, high):
        self._require_place(depth, low, high)
        if self.state.get(st.DEALT) or self.state.get(st.CUTS):
            raise Refusal("wrong-mode", self.state.get(st.MODE))
        return self._show_where(POINT_CUT, depth)

    def cmd_place(self, depth, low, high):
        self._require_place(depth, low, high)
        state = self.state
        placed = (1 if state.get(st.CUTS) else 0) + (1 if state.get(st.CUTS + 1) else 0)
        if placed == MOST_CUTTING_CARDS:
            raise Refusal("no-cutting-card", placed, MOST_CUTTING_CARDS)
        state.set(st.CUTS + placed, state.get(st.DEALT) + depth + 1)
        return self._show_where(POINT_PLACE, depth)

    def _show_where(self, pointer, depth):
        """Show the depth after the commit, so that a cutting card in the stack is never
        unrecorded."""
        self.drive(pointer, depth)
        return
        yield  # a job like the others, but without waiting

    def cmd_burn(self, cards):
        self.cmd_deal(cards)
        self.state.set(st.BURNING, cards)

    def cmd_refill(self, cards, outside):
        """Take discards into a shoe that ran empty in a round; the rest of the pack stays out."""
        state = self.state
        self.require_mode(EMPTY)
        self._require_clear()
        deck = state.get(st.DECK)
        whole = cards + outside
        if not cards or not deck or whole % deck or whole > self.room():
            raise Refusal("out-of-bounds", deck, self.room())
        if not self.levels.stable[TRAY]:
            raise Refusal("tray-empty")
        state.set(st.PACK, whole)
        state.set(st.OUTSIDE, outside)
        state.set(st.SUPPLY, cards)
        state.set(st.MODE, READY)
        self.emit("returned", cards)

    def _require_place(self, depth, low, high):
        self.require_mode(READY)
        if self.state.get(st.ARMED):
            raise Refusal("still-armed", self.state.get(st.ARMED))
        low = max(low, 1)
        high = min(high, self.state.get(st.SUPPLY) - 1)
        if not low <= depth <= high:
            raise Refusal("out-of-bounds", low, high)

    # Events at the mouth

    def on_cards_dealt(self, faces, together):
        """Count the cards, and report a missing cutting card or the last card."""
        leave(self, faces, together)
        state = self.state
        if state.get(st.MODE) != READY:
            return
        for place in (st.CUTS, st.CUTS + 1):
            if state.get(place) and state.get(st.DEALT) >= state.get(place):
                state.set(place, 0)
                self.fault("cutting-card-missing", state.get(st.DEALT))
                return
        if not state.get(st.SUPPLY):
            self.emit("last_card")
            self.commit()

    def on_cutting_card(self):
        """Report the cutting card, and expect the next one."""
        state = self.state
        first, second = state.get(st.CUTS), state.get(st.CUTS + 1)
        if second and (not first or second < first):
            state.set(st.CUTS + 1, 0)
        else:
            state.set(st.CUTS, second)
            state.set(st.CUTS + 1, 0)
        self.emit("cutting_card", state.get(st.ROUND), state.get(st.DEALT))
        self.commit()

    # Automatic work

    def idle(self):
        state = self.state
        ready = state.get(st.MODE) == READY
        self.open_gate(1 if ready and state.get(st.ARMED) and not state.full else 0)
        self.commit()

    def unsure(self):
        self.state.set(st.INTENT, 0)

    def recovery(self):
        """Recover: compare counts, or unload and count the stack if its count is unknown."""
        if self.state.get(st.UNKNOWN):
            self.trust_no_count()
            yield from self.drain()
            self.verify()
            self.forget_the_pack()
        else:
            self.verify()
        self.recovered()

    def running_out(self):
        expected = None if self.state.get(st.FAULT) else self.inside()
        self.drained = 0
        yield from self.drain()
        self.ran_out(self.drained, expected)
