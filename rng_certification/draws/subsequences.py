"""Tests of every k-th draw: each place of a period must be as uniform as all draws together."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Draws, compiled
from rng_certification.base.finding import Finding
from rng_certification.base.laws import chi_square_by_row, extreme_cell
from rng_certification.draws.cells import Cells

POWERS = 12  # periods 2, 4 ... 4096
OTHER_PERIODS = (3, 5, 6, 7, 9, 10, 12, 13, 20, 38, 52, 60, 100)
MOST_CELLS = 16
ALL_VALUES = 256  # the largest range for which every value is tested


@compiled
def _count_places(cells: Counts, start: int, period: int, table: Counts) -> None:
    place = start % period
    for cell in cells:
        table[place, cell] += 1
        place += 1
        if place == period:
            place = 0


class Subsequences:
    """One table for each period; the powers of two share the table of the longest.

    Ranges up to 256 have a cell for each value. With wider cells, one value that is twice as
    frequent at one place, such as zero as the second byte of RC4, would not be detected.
    """

    def __init__(self, span: int) -> None:
        self.values = Cells.at_most(span, span if span <= ALL_VALUES else MOST_CELLS)
        self.cells = Cells.at_most(span, MOST_CELLS)
        self.tables = {
            period: np.zeros((period, self.values.number), dtype=np.int64)
            for period in (*OTHER_PERIODS, 1 << POWERS)
        }
        self.draws = 0

    def feed(self, draws: Draws) -> None:
        cells = self.values.of(draws)
        for period, table in self.tables.items():
            _count_places(cells, self.draws, period, table)
        self.draws += len(draws)

    def findings(self) -> list[Finding]:
        folded = {1 << k: self._folded(1 << k) for k in range(1, POWERS + 1)}
        tables = folded | {period: self.tables[period] for period in OTHER_PERIODS}
        found = []
        for period, table in sorted(tables.items()):
            found += self._of_period(f"subsequences/every-{period}", table)
        return found

    def _of_period(self, name: str, table: Counts) -> list[Finding]:
        shares = self._shares(table)
        found = [
            chi_square_by_row(f"{name}/chi-square", "draws", shares, self.cells.chances),
            self._extreme(f"{name}/extreme", shares),
        ]
        if self.values.number > self.cells.number:
            trials = np.broadcast_to(table.sum(axis=1, keepdims=True), table.shape)
            title = f"{name}/extreme-value"
            value = extreme_cell(title, "draws", table, self.values.chances, trials)
            found.append(value.of(self.draws))
        return found

    def _shares(self, table: Counts) -> Counts:
        """Return the table of all values in sixteen equal cells."""
        if self.values.number == self.cells.number:
            return table
        cells = self.cells.of(np.arange(self.values.number, dtype=np.uint32))
        starts = np.flatnonzero(np.diff(cells, prepend=-1))
        shares: Counts = np.add.reduceat(table, starts, axis=1)
        return shares

    def _extreme(self, name: str, table: Counts) -> Finding:
        """The most surprising cell at any place: of all cells, of pairs, fours, and halves."""
        rows = table.sum(axis=1, keepdims=True)
        counts, chances, trials = [], [], []
        width = 1
        while width < self.cells.number:
            starts = np.arange(0, self.cells.number, width)
            joined = np.add.reduceat(table, starts, axis=1)
            counts.append(joined.ravel())
            share = np.add.reduceat(self.cells.chances, starts)
            chances.append(np.tile(share, len(table)))
            trials.append(np.broadcast_to(rows, joined.shape).ravel())
            width *= 2
        found = extreme_cell(
            name, "draws", np.concatenate(counts), np.concatenate(chances), np.concatenate(trials)
        )
        return found.of(self.draws)

    def _folded(self, period: int) -> Counts:
        longest = self.tables[1 << POWERS]
        folded: Counts = longest.reshape(-1, period, self.values.number).sum(axis=0)
        return folded
