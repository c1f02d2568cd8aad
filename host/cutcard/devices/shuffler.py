"""A shuffler on the other end of a port string.

with Shuffler.open("bench:carousel-38") as shuffler:
    shuffler.load(decks=6)
    print(shuffler.deal().card)
"""

from __future__ import annotations

from cutcard.devices.card_device import CardDevice
from cutcard.devices.events import Loaded


class Shuffler(CardDevice):
    """Takes decks in, deals from its mouth, takes discards back while the round is on."""

    KIND = "shuffler"

    def load(self, decks: int, pack: int = 52, deadline: float | None = None) -> Loaded:
        """Take in so many decks of `pack` cards from the tray, count them and be ready to deal.

        Raises InFault where the count differs, a card jams or anything else stops it.
        """
        return self._work("load", (decks, pack), Loaded, deadline, decks * pack)
