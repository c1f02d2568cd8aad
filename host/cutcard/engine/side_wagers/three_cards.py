"""The player's two cards with the dealer's first: 21+3, Top 3 and Crown Suits."""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cards import RANKS, Card
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


def poker_hand(cards: Sequence[Card], dealer: Card, table: PayTable) -> WagerOutcome:
    """Pay the best hand of three cards in the table: 21+3 and Top 3."""
    hand = table.best(*_hands((*cards[:2], dealer)))
    return table.pays(hand) if hand else table.lost()


def crown_suits(cards: Sequence[Card], dealer: Card, table: PayTable) -> WagerOutcome:
    """Pay two cards of one suit, and more if the dealer's card matches too (Crown 16.3.4)."""
    if cards[0].suit != cards[1].suit:
        return table.lost()
    return table.pays("super-suit" if dealer.suit == cards[0].suit else "matching-suit")


def _hands(three: Sequence[Card]) -> list[str]:
    """Return the names of all hands that three cards form, the best first."""
    flush = len({card.suit for card in three}) == 1
    trips = len({card.rank for card in three}) == 1
    straight = _is_straight(three)
    held = {
        "three-of-a-kind-suited": trips and flush,
        "straight-flush": straight and flush,
        "three-of-a-kind": trips,
        "straight": straight,
        "flush": flush,
    }
    return [name for name, holds in held.items() if holds]


def _is_straight(three: Sequence[Card]) -> bool:
    """Return whether three ranks are in a row.

    An ace is below the two or above the king, never between them.
    """
    low, middle, high = sorted(RANKS.index(card.rank) for card in three)
    return (low + 1, low + 2) == (middle, high) or (low, middle, high) == (0, 11, 12)
