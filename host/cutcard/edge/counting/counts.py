"""Named balanced counts, and their correlations with a game's effects of removal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutcard.edge.game.composition import TEN, VALUES, Floats
from cutcard.edge.money_rules import MoneyRules


@dataclass(frozen=True)
class CardCount:
    """A balanced count: its name and its tags from the ace to the ten.

    `unit` is the number of tag points of one unit of the true count, 2 for a count with halves.
    """

    name: str
    tags: tuple[int, ...]
    unit: int = 1

    def betting_correlation(self, worth: Floats, pack: Floats) -> float:
        """Return the correlation of the tags with the effects of removal of each card."""
        return _correlation(np.array(self.tags, dtype=float), worth, pack)

    def insurance_correlation(self, pack: Floats) -> float:
        """Return the correlation of the tags with the effect of each card's removal on
        insurance."""
        removed = np.where(np.arange(VALUES) == TEN, -1.0, 0.0)
        return _correlation(np.array(self.tags, dtype=float), removed, pack)


# The tags of each system as its author published them; Halves are doubled.
COUNTS = {
    count.name: count
    for count in (
        CardCount("hi-lo", (-1, 1, 1, 1, 1, 1, 0, 0, 0, -1)),
        CardCount("hi-opt-i", (0, 0, 1, 1, 1, 1, 0, 0, 0, -1)),
        CardCount("hi-opt-ii", (0, 1, 1, 2, 2, 1, 1, 0, 0, -2)),
        CardCount("omega-ii", (0, 1, 1, 2, 2, 2, 1, 0, -1, -2)),
        CardCount("zen", (-1, 1, 1, 2, 2, 2, 1, 0, 0, -2)),
        CardCount("halves", (-2, 1, 2, 2, 3, 2, 1, 0, -1, -2), unit=2),
    )
}


def pack_shares(rules: MoneyRules) -> Floats:
    """Return the share of each value in the pack."""
    cards = np.full(VALUES, 4.0)
    cards[TEN] = 4.0 * len(rules.ranks_of_ten)
    shares: Floats = cards / cards.sum()
    return shares


def share_moved(count: CardCount, pack: Floats) -> Floats:
    """Return how far the expected share of each value moves for one unit of the true count.

    The expected shares of the cards left are linear in the sum of their tags; their tags sum to the
    true count with the other sign for each deck of 52 cards.
    """
    tags = np.array(count.tags, dtype=float)
    moved: Floats = -pack * tags / float(pack @ tags**2) * count.unit / 52
    return moved


def _correlation(tags: Floats, worth: Floats, pack: Floats) -> float:
    worth = worth - float(pack @ worth)
    tags = tags - float(pack @ tags)
    return float(pack @ (tags * worth) / np.sqrt((pack @ tags**2) * (pack @ worth**2)))
