"""A carousel with rounds of variable length: a game requests card after card.

A compiled game calls `one_card` until it has enough cards for a round, and then `round_is_over`:
the cards of the round go back in the order in which they were dealt, before the next card leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutcard.machines import Row
from rng_certification.base.compiled import Counts, Decks, compiled
from rng_certification.twin.carousel import _DEALT, _OUT, _WANTED, CarouselTwin, _play
from rng_certification.twin.source import TwinSource

MOST_CARDS = 500  # of one round
_NO_END = 1 << 30
CARD, NO_CARD_YET, RESEED = range(3)

# Whether all rounds are played or the source must cycle (True), or must reseed (False).
Rounds = Callable[..., bool]


@compiled
def one_card(one: Decks, now: Counts, mechanics: Any, source: Any) -> int:
    """Put the round's next card into `one`, by its place in the tray, or return the obstacle."""
    now[_OUT] = 0
    goes_on = _play(one, *mechanics, *source)
    if now[_OUT] == 0:
        return NO_CARD_YET if goes_on else RESEED
    now[_WANTED] = _NO_END
    return CARD


@compiled
def round_is_over(now: Counts) -> None:
    now[_WANTED] = now[_DEALT]


class CarouselAtAGame(CarouselTwin):
    """A loaded carousel that deals cards to a compiled game."""

    def __init__(
        self,
        source: TwinSource,
        bins: int,
        capacity: int,
        chute_low: int,
        pack: int,
        cycle_every: int = 0,
        single: bool = False,
        row: Row | None = None,
    ) -> None:
        super().__init__(source, bins, capacity, chute_low, pack, cycle_every, single, row)
        self._table = np.zeros(MOST_CARDS + 1, dtype=np.uint16)
        self._now[_WANTED] = _NO_END

    def run(self, rounds: Rounds, arguments: tuple[Any, ...], is_done: Callable[[], bool]) -> None:
        """Call `rounds(now, mechanics, source, *arguments)` until it is done."""
        mechanics = self._mechanics(np.empty(0, dtype=np.uint32))

        def batch(*source: Any) -> bool:
            return rounds(self._now, mechanics, source, *arguments)

        while not is_done():
            self._source.run(batch)
            self._cycle_where_due()
