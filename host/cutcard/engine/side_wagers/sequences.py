"""House Money (New Zealand 15D) and Let It Ride (15E): sequences in the first two cards.

`settlement.py` settles the winnings that the owner leaves riding with the box's wager.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cards import RANKS, Card
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


def house_money(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    """Pay the best row that fits: ace-king suited, suited sequence, pair, sequence (15D.5)."""
    first, second = cards[0], cards[1]
    suited = first.suit == second.suit
    if suited and {first.rank, second.rank} == {"A", "K"}:
        return table.pays("ace-king-suited")
    if in_sequence(first, second):
        return table.pays("suited-sequence" if suited else "sequence")
    return table.pays("pair") if first.rank == second.rank else table.lost()


def let_it_ride(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    """Pay suited and in sequence, or one of both (15E.4); a pair of one suit counts as suited."""
    first, second = cards[0], cards[1]
    suited, sequence = first.suit == second.suit, in_sequence(first, second)
    if suited:
        return table.pays("suited-sequence" if sequence else "suited")
    return table.pays("sequence") if sequence else table.lost()


def in_sequence(first: Card, second: Card) -> bool:
    """Return whether the ranks are neighbours; an ace is next to the two and to the king."""
    return abs(RANKS.index(first.rank) - RANKS.index(second.rank)) in (1, len(RANKS) - 1)
