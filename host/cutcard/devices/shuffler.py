"""The driver of a shuffler.

with Shuffler.open("bench:carousel-38") as shuffler:
    shuffler.load(decks=6)
    print(shuffler.deal().card)
"""

from __future__ import annotations

from cutcard.devices.card_device import CardDevice
from cutcard.devices.deadline import Deadline
from cutcard.devices.device import HAND_SECONDS, TALK_SECONDS
from cutcard.devices.events import Loaded, Returned


class Shuffler(CardDevice):
    """A shuffler: takes decks in, deals from its mouth, takes discards back during the round."""

    KIND = "shuffler"

    def load(self, decks: int, pack: int = 52, deadline: float | None = None) -> Loaded:
        """Take in so many decks of `pack` cards from the tray, count them and be ready to deal.

        Raises InFaultError where the count differs, a card jams or anything else stops it.
        """
        return self._work("load", (decks, pack), Loaded, deadline, decks * pack)

    def wait_for_returned(self, cards: int | None = None, deadline: float = HAND_SECONDS) -> int:
        """Wait until the shuffler has taken discards in from its tray; return how many.

        `cards` is the number to wait for; the default is all cards that are outside. Raises
        NotInTimeError if fewer went in, and InFaultError if a fault is latched already or comes up.
        """
        allowed = Deadline(deadline)
        before = self.status(allowed.within(TALK_SECONDS).seconds)
        self._refuse_in_fault(before, "return")
        wanted = before.outside if cards is None else cards
        after, back = before.last_event, 0
        while back < wanted:
            returned = self._outcome("return", Returned, allowed, after)
            after = returned.number
            back += returned.cards
        return back
