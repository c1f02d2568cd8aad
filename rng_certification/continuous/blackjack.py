"""The exact worth of one card at the start of a round to a player, in units of the wager.

One player against the dealer, from a pack so large that cards do not change it: the player's first
card, the dealer's, the player's second. The player hits, stands or doubles the first two cards,
whichever is best, and does not split. The dealer draws to 17 and stands on all 17s; a blackjack
pays 3 to 2. `worth` is the expectation of the round given that card, minus the expectation of any
round: the first-order effect of knowing that a value is more likely than in the pack.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rng_certification.base.compiled import Floats

ACE, TEN = 0, 9  # values 0 .. 9: ace, two .. nine, ten
VALUES = 10


def tens_of(pack: int) -> int:
    """Return the ranks of a suit that count ten: three in packs without tens."""
    return 3 if pack % 48 == 0 and pack % 52 else 4


def value_chances(tens: int = 4) -> tuple[float, ...]:
    """The chances of ace to ten; `tens`: ranks that count ten in a suit (three without tens)."""
    ranks = 9 + tens
    return (*([1 / ranks] * 9), tens / ranks)


@lru_cache
def worth(tens: int = 4) -> Floats:
    """Return the worth of a card by place (player's first, dealer's, player's second) and value."""
    chances = np.array(value_chances(tens))
    game = _Game(tuple(chances))
    results = np.array(
        [
            [[game.round(first, up, second) for second in range(VALUES)] for up in range(VALUES)]
            for first in range(VALUES)
        ]
    )
    mean = np.einsum("abc,a,b,c->", results, chances, chances, chances)
    by_first = np.einsum("abc,b,c->a", results, chances, chances) - mean
    by_up = np.einsum("abc,a,c->b", results, chances, chances) - mean
    by_second = np.einsum("abc,a,b->c", results, chances, chances) - mean
    return np.array([by_first, by_up, by_second])


def _add(total: int, soft: bool, value: int) -> tuple[int, bool]:
    """Return a hand's total with one more card; an ace counts 11 while possible."""
    total += value + 1
    if value == ACE and total + 10 <= 21:
        return total + 10, True
    if soft and total > 21:
        return total - 10, False
    return total, soft


class _Game:
    def __init__(self, chances: tuple[float, ...]) -> None:
        self.chances = chances
        self._dealer: dict[tuple[int, bool], tuple[float, ...]] = {}
        self._player: dict[tuple[int, bool, int], float] = {}
        self._finals: dict[int, tuple[float, ...]] = {}

    def round(self, first: int, up: int, second: int) -> float:
        """Return the player's result; the dealer checks for a blackjack first."""
        blackjack = {first, second} == {ACE, TEN}
        hidden = self.chances[TEN] if up == ACE else self.chances[ACE] if up == TEN else 0.0
        if blackjack:
            return 1.5 * (1 - hidden)
        hand = _add(*_add(0, False, first), second)
        finals = self._without_blackjack(up)
        best = max(self._play(*hand, up), 2 * self._double(*hand, finals))
        return -hidden + (1 - hidden) * best

    def _without_blackjack(self, up: int) -> tuple[float, ...]:
        """Return the chances of the dealer's 17 .. 21 and bust, given no blackjack."""
        if up not in self._finals:
            missing = TEN if up == ACE else ACE if up == TEN else -1
            total = np.zeros(6)
            for value, chance in enumerate(self.chances):
                if value != missing:
                    hand = _add(*_add(0, False, up), value)
                    total += chance * np.array(self._dealer_finals(*hand))
            self._finals[up] = tuple(total / total.sum())
        return self._finals[up]

    def _dealer_finals(self, total: int, soft: bool) -> tuple[float, ...]:
        if total > 21:
            return (*(0.0,) * 5, 1.0)
        if total >= 17:
            return (*(float(total == final) for final in range(17, 22)), 0.0)
        if (total, soft) not in self._dealer:
            finals = np.zeros(6)
            for value, chance in enumerate(self.chances):
                finals += chance * np.array(self._dealer_finals(*_add(total, soft, value)))
            self._dealer[total, soft] = tuple(finals)
        return self._dealer[total, soft]

    def _stand(self, total: int, finals: tuple[float, ...]) -> float:
        wins = finals[5] + sum(finals[i] for i in range(5) if 17 + i < total)
        loses = sum(finals[i] for i in range(5) if 17 + i > total)
        return wins - loses

    def _double(self, total: int, soft: bool, finals: tuple[float, ...]) -> float:
        result = 0.0
        for value, chance in enumerate(self.chances):
            drawn, _ = _add(total, soft, value)
            result += chance * (-1.0 if drawn > 21 else self._stand(drawn, finals))
        return result

    def _play(self, total: int, soft: bool, up: int) -> float:
        """Hit or stand, whichever is best from this hand on."""
        if total > 21:
            return -1.0
        key = (total, soft, up)
        if key not in self._player:
            hit = sum(
                chance * self._play(*_add(total, soft, value), up)
                for value, chance in enumerate(self.chances)
            )
            self._player[key] = max(hit, self._stand(total, self._without_blackjack(up)))
        return self._player[key]
