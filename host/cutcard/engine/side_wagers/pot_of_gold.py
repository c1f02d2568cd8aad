"""Pot of Gold (Crown 30, Singapore 3.15.3): how many free bet tokens the box came to."""

from __future__ import annotations

from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


def pot_of_gold(tokens: int, table: PayTable, *, own_main: bool = True) -> WagerOutcome:
    """Tokens on hands that went over 21 count too (Singapore 3.15.3).

    Who has no main wager on the box goes by the tokens of its caller (3.15.4.1).
    """
    rows = list(table.wins)
    outcome = table.pays(rows[min(tokens, len(rows)) - 1]) if tokens else table.lost()
    return outcome if own_main else outcome.citing(*table.without_main)
