"""A playing card: its text (`Th`), its properties for the rules, and its number on the wire."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

__all__ = ["RANKS", "SUITS", "Card", "all_cards", "parse_cards"]

RANKS = "A23456789TJQK"
SUITS = "cdhs"
POINTS = {rank: min(place, 10) for place, rank in enumerate(RANKS, start=1)}


class Card(NamedTuple):
    """A rank as a letter or digit (`A`, `T`) and a suit as a letter."""

    rank: str
    suit: str

    @classmethod
    def parse(cls, text: str) -> Card:
        """Parse a card: `Th` is the ten of hearts. Raises ValueError for any other text."""
        if len(text) == 2 and text[0] in RANKS and text[1] in SUITS:
            return cls(text[0], text[1])
        raise ValueError(
            f"{text!r} is not a card: write rank ({RANKS}) then suit ({SUITS}), as in Th"
        )

    @classmethod
    def from_code(cls, code: int) -> Card:
        """Return the card with the number that the reader in a device's mouth reports."""
        if 0 <= code < 52:
            return cls(RANKS[code % 13], SUITS[code // 13])
        raise ValueError(f"{code} is not a card's code; use 0 to 51")

    @property
    def code(self) -> int:
        """Its number on the wire, from 0 to 51."""
        return SUITS.index(self.suit) * 13 + RANKS.index(self.rank)

    @property
    def is_red(self) -> bool:
        """Whether it is a diamond or a heart."""
        return self.suit in "dh"

    @property
    def points(self) -> int:
        """The card's points, an ace as 1: the hand decides whether it counts eleven."""
        return POINTS[self.rank]

    def __str__(self) -> str:
        return self.rank + self.suit


def all_cards(decks: int, pack: int) -> Counter[Card]:
    """Return the cards of `decks` decks with their counts; a 48 pack has no tens (Crown 10.3.1)."""
    ranks = RANKS if pack == 52 else RANKS.replace("T", "")
    return Counter({Card(rank, suit): decks for rank in ranks for suit in SUITS})


def parse_cards(text: str) -> list[Card]:
    """Parse cards separated by spaces: `Th 9c`."""
    return [Card.parse(word) for word in text.split()]
