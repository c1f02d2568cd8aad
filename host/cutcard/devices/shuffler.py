"""The driver of a shuffler.

with Shuffler.open("bench:carousel-60") as shuffler:
    shuffler.load(decks=6)
    print(shuffler.deal().card)
"""

from __future__ import annotations

from cutcard.devices.card_device import CardDevice
from cutcard.devices.deadline import Deadline
from cutcard.devices.device import HAND_SECONDS, TALK_SECONDS
from cutcard.devices.events import Loaded, Returned


class Shuffler(CardDevice):
    """A shuffler: loads decks, deals from its mouth, and takes back discards during the round."""

    KIND = "shuffler"

    def load(self, decks: int, pack: int = 52, deadline: float | None = None) -> Loaded:
        """Load `decks` decks of `pack` cards from the tray, count them and get ready to deal.

        Raises InFaultError if the count differs, a card jams or another fault stops it.
        """
        return self._work("load", (decks, pack), Loaded, deadline, decks * pack)

    def wait_for_returned(self, cards: int | None = None, deadline: float = HAND_SECONDS) -> int:
        """Wait until the shuffler has taken discards from its tray; return their number.

        `cards` is the number to wait for; the default is all cards outside. Raises NotInTimeError
        if fewer were taken, and InFaultError if a fault is latched or occurs.
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
