"""Wagers on the dealer's finished hand: Buster (Crown 26), Busted (Singapore) and Push 22.

All three keep the dealer drawing when no other wager would (Crown 26.4.3(a)): whether the hand is
finished is the round's business, these only read it.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cards import Card
from cutcard.engine.side_wagers.pay_table import Outcome, PayTable


def busted(dealer: Sequence[Card], total: int, table: PayTable) -> Outcome:
    """Pays a bust by the number of cards; the table's last row takes in all longer hands."""
    if total <= 21:
        return table.lost()
    exact = f"{len(dealer)}-cards"
    return table.pays(exact if exact in table.wins else _open_row(table))


def push_22(dealer: Sequence[Card], total: int, table: PayTable) -> Outcome:
    """Pays exactly 22, best where all its cards are of one suit, then of one colour (20A.6)."""
    if total != 22:
        return table.lost()
    if len({card.suit for card in dealer}) == 1:
        return table.pays("same-suit")
    return table.pays("same-colour" if len({card.is_red for card in dealer}) == 1 else "other")


def _open_row(table: PayTable) -> str:
    return next(row for row in table.wins if row.endswith("-or-more"))
