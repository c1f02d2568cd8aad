"""Pot of Gold (Crown 30, Singapore 3.15.3): how many free bet tokens the box came to."""

from __future__ import annotations

from cutcard.engine.side_wagers.pay_table import Outcome, PayTable


def pot_of_gold(tokens: int, table: PayTable) -> Outcome:
    """Tokens on hands that went over 21 count too (Singapore 3.15.3)."""
    if not tokens:
        return table.lost()
    rows = list(table.wins)
    return table.pays(rows[min(tokens, len(rows)) - 1])
