"""Pot of Gold (Crown 30, Singapore 3.15.3): the number of free bet tokens on the box."""

from __future__ import annotations

from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


def pot_of_gold(tokens: int, table: PayTable, *, own_main: bool = True) -> WagerOutcome:
    """Pay by the number of tokens, including those on hands that exceeded 21 (Singapore 3.15.3).

    For a player without a main wager on the box, the tokens of its caller count (3.15.4.1).
    """
    rows = list(table.wins)
    outcome = table.pays(rows[min(tokens, len(rows)) - 1]) if tokens else table.lost()
    return outcome if own_main else outcome.citing(*table.without_main)
