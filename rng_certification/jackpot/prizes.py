"""The prize tables of all rulebooks by id, and the mapping from numbers to prizes.

The value of a draw is the number of the prize from 0, in the order printed in the rulebook: of
Madness 21's 3,750, number 0 is the single $1,000, and 1 to 10 are the $100. (A controller counts
from 1: its number minus one.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from cutcard.edge.prize_tables import PrizeFigures, prize_figures
from cutcard.rulebooks import RULEBOOKS
from cutcard.rulebooks.side_wagers.catalogue import PayColumn, side_wagers
from rng_certification.base.compiled import Counts, Draws, Floats


class UnknownPrizesError(LookupError):
    """No rulebook has a prize table with this id; the message lists the valid ids."""


@dataclass(frozen=True)
class Prizes:
    """A prize table for a laboratory: the amounts, and the count of numbers for each."""

    id: str
    rule: str
    figures: PrizeFigures
    amounts: tuple[int, ...]
    numbers: tuple[int, ...]

    @property
    def total(self) -> int:
        return self.figures.total

    @property
    def chances(self) -> Floats:
        return np.array(self.numbers) / self.total

    def levels(self, draws: Draws) -> Counts:
        """Return the row of the table for each number."""
        return np.searchsorted(np.cumsum(self.numbers), draws, side="right").astype(np.int64)


def find_prizes(table_id: str) -> Prizes:
    """Return the prize table with this id. Raises UnknownPrizesError, which lists the ids."""
    tables = all_prizes()
    if table_id not in tables:
        raise UnknownPrizesError(
            f"unknown prize table {table_id!r}; use one of {', '.join(tables)}"
        )
    return tables[table_id]


@cache
def all_prizes() -> dict[str, Prizes]:
    """Return every prize table by id: the bet, and the table's name if the rulebook has several."""
    found = {}
    for rulebook in RULEBOOKS:
        for bet, wager in side_wagers(rulebook).items():
            for column in wager.columns:
                if column.prizes.chances:
                    prizes = _prizes(bet, column)
                    if prizes.id in found:
                        raise ValueError(f"two rulebooks have a prize table {prizes.id!r}")
                    found[prizes.id] = prizes
    return found


def _prizes(bet: str, column: PayColumn) -> Prizes:
    amounts, numbers = zip(*column.prizes.chances, strict=True)
    table_id = f"{bet}-{column.choice}" if column.choice else bet
    return Prizes(table_id, column.prizes.rule, prize_figures(column.prizes), amounts, numbers)
