"""Pairs of draws: adjacent, at every lag up to 64, and their differences."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, bdtrc

from rng_certification.base.compiled import Counts, Decks, Draws, Floats, compiled
from rng_certification.base.finding import CellPower, Finding
from rng_certification.base.laws import (
    binomial,
    chi_square,
    extreme_cell,
    moment_matched,
    normal,
    of_many,
)
from rng_certification.draws.cells import Cells

LAGS = 64
PAIR_CELLS = 256
LAG_CELLS = 64
DIFFERENCE_CELLS = 1 << 16
_STRETCH = 16_384  # draws counted for all lags while they are in the processor's cache


@compiled
def _count_lags(rows: Decks, cells: Decks, start: int, tables: Counts) -> None:
    """Count pairs (earlier, later) for each lag; the first `start` cells were fed before.

    It counts lag by lag, so that one table at a time fits the cache. `rows` has the start of the
    row of each cell. Both are unsigned, because signed indices cost a check for each pair.
    """
    for lag in range(1, 65):
        table = tables[lag - 1]
        for at in range(max(start, lag), len(cells)):
            table[rows[at - lag] + cells[at]] += 1


@compiled
def _count_equal(draws: Draws, start: int, equal: Counts) -> None:
    """Count equal draws at each lag, in stretches that fit the cache."""
    for begin in range(start, len(draws), _STRETCH):
        end = min(begin + _STRETCH, len(draws))
        for lag in range(1, 65):
            for at in range(max(begin, lag), end):
                equal[lag - 1] += draws[at - lag] == draws[at]


class NeighbouringPairs:
    """Pairs without a common draw, so that every pair of values has its exact binomial law."""

    def __init__(self, span: int) -> None:
        self.cells = Cells.at_most(span, PAIR_CELLS)
        self.table = np.zeros(self.cells.number**2, dtype=np.int64)

    def feed(self, draws: Draws) -> None:
        cells = self.cells.of(draws[: len(draws) // 2 * 2])
        pairs = cells[::2] * self.cells.number + cells[1::2]
        self.table += np.bincount(pairs, minlength=len(self.table))

    def findings(self) -> list[Finding]:
        chances = np.outer(self.cells.chances, self.cells.chances).ravel()
        trials = int(self.table.sum())
        return [
            chi_square("pairs/chi-square", "pairs", self.table, chances),
            extreme_cell("pairs/extreme-pair", "pairs", self.table, chances, trials),
        ]


class LaggedPairs:
    """Overlapping pairs at lags 1 to 64: dependence of any kind, correlation, equal draws."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.cells = Cells.at_most(span, LAG_CELLS)
        self.tables = np.zeros((LAGS, self.cells.number**2), dtype=np.int64)
        self.products = np.zeros(LAGS)
        self.equal = np.zeros(LAGS, dtype=np.int64)
        self.history = np.empty(0, dtype=np.uint32)
        self.draws = 0

    def feed(self, draws: Draws) -> None:
        joined = np.concatenate((self.history, draws))
        start = len(self.history)
        cells = self.cells.of(joined).astype(np.uint16)
        _count_lags(cells * np.uint16(self.cells.number), cells, start, self.tables)
        if self.cells.number < self.span:  # otherwise the tables contain the counts
            self._sum(joined.astype(np.float64) - (self.span - 1) / 2, start)
            _count_equal(joined, start, self.equal)
        self.history = joined[-LAGS:]
        self.draws += len(draws)

    def _sum(self, centred: Floats, start: int) -> None:
        """Return the sum, computed in stretches."""
        for begin in range(start, len(centred), _STRETCH):
            end = min(begin + _STRETCH, len(centred))
            for lag in range(1, LAGS + 1):
                first = max(begin, lag)
                if first < end:
                    product = np.dot(centred[first:end], centred[first - lag : end - lag])
                    self.products[lag - 1] += product

    def findings(self) -> list[Finding]:
        found = []
        for lag in range(1, LAGS + 1):
            if self.draws > lag:
                found += [self._overlap(lag), self._extreme(lag)]
                found += [self._correlation(lag), self._equal(lag)]
        return found

    def _overlap(self, lag: int) -> Finding:
        """The dependence without both margins: (d-1)^2 degrees of freedom at any lag."""
        number = self.cells.number
        table = self._table(lag).astype(np.float64)
        trials = float(table.sum())
        expected = trials * np.outer(self.cells.chances, self.cells.chances)
        name = f"overlaps/lag-{lag}"
        if float(expected.min()) < 5:
            return Finding.skip(name, self.draws, "draws", "fewer than five expected in a cell")
        margins = np.outer(table.sum(axis=1), table.sum(axis=0)) / trials
        statistic = float(np.sum((table - margins) ** 2 / expected))
        degrees = float((number - 1) ** 2)
        deviation = trials * (1 - 1 / number) ** 2 / number**2  # for one cell, squared
        best_fit = (2 * np.pi * deviation) ** (-degrees / 2)
        return moment_matched(
            name, self.draws, "draws", statistic, degrees, 2 * degrees, int(trials), best_fit
        )

    def _extreme(self, lag: int) -> Finding:
        """The most surprising pair of values.

        Counts of overlapping pairs of one value with itself vary more than the binomial law; their
        deviation is scaled down accordingly. Counts of pairs of different values vary less.
        """
        number = self.cells.number
        trials = int(self.tables[lag - 1].sum())
        chances = np.outer(self.cells.chances, self.cells.chances)
        pair = chances.ravel()
        excess = np.zeros((number, number))
        single = self.cells.chances
        np.fill_diagonal(excess, 2 * (single**3 - single**4))
        variance = pair * (1 - pair)
        scale = np.sqrt(variance / (variance + excess.ravel()))
        mean = trials * pair
        counts = mean + (self.tables[lag - 1] - mean) * scale
        z = (counts - mean) / np.sqrt(trials * variance)
        name = f"extreme-pair/lag-{lag}"
        if float(mean.min()) < 5:
            return Finding.skip(name, self.draws, "draws", "fewer than five expected in a cell")
        high, low = int(np.argmax(z)), int(np.argmin(z))
        tail = min(
            float(bdtrc(np.ceil(counts[high]) - 1, trials, pair[high])),
            float(bdtr(np.floor(counts[low]), trials, pair[low])),
        )
        p = of_many(min(1.0, 2 * tail), number * number)
        worst = high if z[high] > -z[low] else low
        power = CellPower(trials, float(pair[worst]), number * number)
        return Finding(name, self.draws, "draws", p, float(z[worst]), power=power)

    def _correlation(self, lag: int) -> Finding:
        terms = self.draws - lag
        variance = (self.span**2 - 1) / 12
        z = self.product_at(lag) / (variance * np.sqrt(terms))
        name = f"serial-correlation/lag-{lag}"
        return normal(name, self.draws, "draws", z, terms**-0.5, "correlation coefficient")

    def _equal(self, lag: int) -> Finding:
        name = f"equal-draws/lag-{lag}"
        return binomial(name, "draws", self.equal_at(lag), self.draws - lag, 1 / self.span)

    def equal_at(self, lag: int) -> int:
        """Return the number of draws equal to the draw `lag` before."""
        if self.cells.number < self.span:
            return int(self.equal[lag - 1])
        return int(np.trace(self._table(lag)))

    def product_at(self, lag: int) -> float:
        """Return the sum of products of draws at a lag, minus their mean."""
        if self.cells.number < self.span:
            return float(self.products[lag - 1])
        centred = np.arange(self.span) - (self.span - 1) / 2
        return float(centred @ self._table(lag) @ centred)

    def _table(self, lag: int) -> Counts:
        number = self.cells.number
        table: Counts = self.tables[lag - 1].reshape(number, number)
        return table


class Differences:
    """The adjacency criterion: the difference of successive draws, modulo N, is uniform."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.cells = Cells.at_most(span, DIFFERENCE_CELLS)
        self.counts = np.zeros(self.cells.number, dtype=np.int64)
        self.last = np.empty(0, dtype=np.uint32)

    def feed(self, draws: Draws) -> None:
        joined = np.concatenate((self.last, draws)).astype(np.int64)
        steps = (np.diff(joined) % self.span).astype(np.uint32)
        self.counts += np.bincount(self.cells.of(steps), minlength=self.cells.number)
        self.last = draws[-1:]

    def findings(self) -> list[Finding]:
        chances = self.cells.chances
        trials = int(self.counts.sum())
        return [
            chi_square("adjacency/chi-square", "draws", self.counts, chances),
            extreme_cell("adjacency/extreme-step", "draws", self.counts, chances, trials),
        ]
