"""Counting cards: totals, soft and hard, and Blackjack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cutcard.cards import POINTS, Card


class Total(NamedTuple):
    points: int
    soft: bool

    def __str__(self) -> str:
        return f"soft {self.points}" if self.soft else str(self.points)


def count(cards: Sequence[Card], hard_aces_in: int = 0) -> Total:
    """Return the total, with one ace as eleven if that does not exceed 21.

    Aces among the first `hard_aces_in` cards always count one (Crown 10.5.2(b)).
    """
    points = 0
    ace = False
    for place, card in enumerate(cards):
        points += POINTS[card.rank]
        ace = ace or (card.rank == "A" and place >= hard_aces_in)
    return Total(points + 10, True) if ace and points <= 11 else Total(points, False)


def is_two_card_blackjack(cards: Sequence[Card]) -> bool:
    """Return whether these are an ace and a ten-value card.

    The caller checks whether they were dealt as the first two.
    """
    return len(cards) == 2 and {cards[0].points, cards[1].points} == {1, 10}
