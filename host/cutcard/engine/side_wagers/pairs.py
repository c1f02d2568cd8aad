"""Pairs in the first two cards: Perfect Pair, Any Pair, Pair, and Lucky Match with its third card.

A pair is two cards of one rank everywhere: two different court cards are none (New Zealand 1.0,
Crown 15.2, Singapore 1.1.14).
"""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cards import Card
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


def kind_of_pair(first: Card, second: Card) -> str | None:
    """`perfect` in suit, `coloured` in colour, else `mixed`; None where the ranks differ."""
    if first.rank != second.rank:
        return None
    if first.suit == second.suit:
        return "perfect"
    return "coloured" if first.is_red == second.is_red else "mixed"


def perfect_pair(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    """Pays by how alike the pair is (New Zealand 15B.7, Crown 15.4.1, British)."""
    kind = kind_of_pair(cards[0], cards[1])
    return table.pays(f"{kind}-pair") if kind else table.lost()


def any_pair(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    """Pays every pair alike (New Zealand 15C.6, Singapore 3.15.1)."""
    return table.pays("pair") if cards[0].rank == cards[1].rank else table.lost()


def lucky_match(
    cards: Sequence[Card], table: PayTable, *, split: bool = False, complete: bool = False
) -> WagerOutcome | None:
    """A suited pair waits for the third card, which may make a triple (New Zealand 15F.6, 15F.7).

    `cards` are those dealt to the box in order. Splitting settles the pair at once (15F.10), and so
    does a hand that is complete without a third card. None: not decided yet.
    """
    kind = kind_of_pair(cards[0], cards[1])
    if kind is None:
        return table.lost()
    if kind != "perfect":
        return table.pays(f"{kind}-match")
    if split:
        return table.pays("lucky-match").citing("15F.10")
    if len(cards) > 2:
        return table.pays("lucky-triple-match" if cards[2] == cards[0] else "lucky-match")
    return table.pays("lucky-match") if complete else None
