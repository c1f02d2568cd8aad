"""Spread Bet Blackjack (Crown 28): a low sum in the first two cards, aces counted one."""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cards import Card
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome

_BANDS = (("2-to-3", 3), ("4-to-5", 5), ("6-to-9", 9))


def spread_bet(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    total = cards[0].points + cards[1].points
    band = next((name for name, highest in _BANDS if total <= highest), None)
    return table.pays(band) if band else table.lost()
