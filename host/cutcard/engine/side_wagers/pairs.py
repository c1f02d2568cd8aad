"""Pairs in the first two cards: Perfect Pair, Any Pair, Pair, and Lucky Match with its third card.

A pair is always two cards of one rank: two different court cards are not a pair (New Zealand 1.0,
Crown 15.2, Singapore 1.1.14).
"""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cards import Card
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


def kind_of_pair(first: Card, second: Card) -> str | None:
    """Return `perfect` for one suit, `coloured` for one colour, else `mixed`; None for no pair."""
    if first.rank != second.rank:
        return None
    if first.suit == second.suit:
        return "perfect"
    return "coloured" if first.is_red == second.is_red else "mixed"


def perfect_pair(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    """Pay by whether suit, colour or only rank match (New Zealand 15B.7, Crown 15.4.1, British)."""
    kind = kind_of_pair(cards[0], cards[1])
    return table.pays(f"{kind}-pair") if kind else table.lost()


def any_pair(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    """Pay every pair the same (New Zealand 15C.6, Singapore 3.15.1)."""
    return table.pays("pair") if cards[0].rank == cards[1].rank else table.lost()


def lucky_match(
    cards: Sequence[Card], table: PayTable, *, split: bool = False, complete: bool = False
) -> WagerOutcome | None:
    """Pay a pair, a suited one after the third card, which may make it a triple.

    New Zealand 15F.6, 15F.7. `cards` are those dealt to the box in order. Splitting settles the
    pair immediately (15F.10), and so does a hand that is complete without a third card. None: not
    decided yet.
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
