"""Wagers on the dealer's finished hand: Buster (Crown 26), Busted (Singapore) and Push 22.

All three keep the dealer drawing when no other wager would (Crown 26.4.3(a)). The round decides
whether the hand is finished; these functions only evaluate it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cutcard.cards import Card
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome

Likeness = Literal["same-suit", "same-colour", "other"]


def busted(cards: int, total: int, table: PayTable, variants: Sequence[str] = ()) -> WagerOutcome:
    """Pay a bust by the number of cards; the last row of the table covers all longer hands.

    A 22 is a bust here even if the hands are a stand-off against it (Crown 26.3.5).
    """
    if total <= 21:
        return table.lost()
    exact = f"{cards}-cards"
    won = table.pays(exact if exact in table.wins else _open_row(table))
    return won.citing("26.3.5") if total == 22 and "blackjack-plus" in variants else won


def push_22(alike: Likeness, total: int, table: PayTable) -> WagerOutcome:
    """Pay exactly 22, by the suits or colours of its cards (20A.6)."""
    return table.pays(alike) if total == 22 else table.lost()


def likeness(dealer: Sequence[Card]) -> Likeness:
    """Return whether all cards of a hand are of one suit, or at least of one colour."""
    if len({card.suit for card in dealer}) == 1:
        return "same-suit"
    return "same-colour" if len({card.is_red for card in dealer}) == 1 else "other"


def _open_row(table: PayTable) -> str:
    return next(row for row in table.wins if row.endswith("-or-more"))
