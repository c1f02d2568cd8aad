"""A carousel whose rounds are as long as a game makes them: the game asks for card after card.

    carousel = CarouselAtAGame(start("table 3"), 38, 10, 8, 312)
    carousel.run(kernel, arguments, 10_000)

`kernel(cards, dealt, *arguments)` looks at the cards of a round so far, each by its place in the
tray, and answers whether the round can be played with them; if it cannot it gets one more. What a
round took goes back in the order in which it was dealt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rng_certification.base.compiled import compiled
from rng_certification.twin.carousel import _DEALT, _OUT, _WANTED, CarouselTwin, _play
from rng_certification.twin.source import TwinSource

MOST_CARDS = 500  # of one round
_NO_END = 1 << 30
# How far the game is, by place in `game`.
_ROUNDS, _HAS, _WANTS = range(3)


@compiled
def _rounds(
    kernel: Any,
    arguments: Any,
    game: Any,
    least: int,
    rounds: int,
    cards: Any,
    one: Any,
    now: Any,
    mechanics: Any,
    source: Any,
) -> bool:
    """Play until all rounds are done or the source is to cycle (True), or reseed (False)."""
    while game[_ROUNDS] < rounds:
        while game[_HAS] < game[_WANTS]:
            now[_OUT] = 0
            goes_on = _play(one, *mechanics, *source)
            if now[_OUT] == 0:
                return goes_on
            now[_WANTED] = _NO_END
            cards[game[_HAS]] = one[0]
            game[_HAS] += 1
        if kernel(cards, game[_HAS], *arguments):
            game[_ROUNDS] += 1
            game[_HAS], game[_WANTS] = 0, least
            now[_WANTED] = now[_DEALT]
        else:
            game[_WANTS] += 1
    return True


class CarouselAtAGame(CarouselTwin):
    """A carousel that is loaded, and dealt from by a compiled game."""

    def __init__(
        self,
        source: TwinSource,
        bins: int,
        capacity: int,
        chute_low: int,
        pack: int,
        cycle_every: int = 0,
    ) -> None:
        super().__init__(source, bins, capacity, chute_low, pack, cycle_every)
        self._table = np.zeros(MOST_CARDS + 1, dtype=np.uint16)
        self._now[_WANTED] = _NO_END

    def run(
        self, kernel: Callable[..., bool], arguments: tuple[Any, ...], least: int, rounds: int
    ) -> None:
        """So many rounds, each of `least` cards or more."""
        game = np.array([0, 0, least], dtype=np.int64)
        cards, one = np.zeros(MOST_CARDS, dtype=np.uint16), np.zeros(1, dtype=np.uint16)
        mechanics = self._mechanics(np.empty(0, dtype=np.uint32))

        def batch(*source: Any) -> bool:
            return _rounds(
                kernel, arguments, game, least, rounds, cards, one, self._now, mechanics, source
            )

        while game[_ROUNDS] < rounds:
            self._source.run(batch)
            self._cycle_where_due()
