"""Tests whether a prize depends on the moment of its press: on the pause before it, and the clock.

Players decide when they press. Given all moments, prizes still have the chances of the prize table,
whatever the pauses were. So every row of a table of moment x prize has a known law.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from rng_certification.base.compiled import Counts, Floats
from rng_certification.base.finding import Finding
from rng_certification.base.laws import LEAST_EXPECTED, extreme_cell, moment_matched, normal
from rng_certification.draws.cells import Cells
from rng_certification.jackpot.press_columns import PressColumns
from rng_certification.jackpot.prizes import Prizes

SHARES = 16  # equal shares of a prize table's numbers
PAUSE_ROWS = 80  # half octaves of milliseconds
CLOCKS = {
    "modulo-16-ms": (1, 16),  # milliseconds per row, and number of rows
    "of-the-second": (50, 20),
    "of-the-minute": (2_500, 24),
    "of-the-hour": (150_000, 24),
    "of-the-day": (3_600_000, 24),
}


class Moments:
    """One way to sort presses by their moment, into rows."""

    def __init__(self, prizes: Sequence[Prizes], rows: int) -> None:
        self.prizes = prizes
        self.shares = np.zeros((rows, SHARES), dtype=np.int64)
        self.at_table = np.zeros((rows, len(prizes)), dtype=np.int64)
        # tables with the same prize table are counted together
        self.levels = {each: np.zeros((rows, len(each.amounts)), dtype=np.int64) for each in prizes}

    def feed(self, rows: Counts, tables: Counts, shares: Counts, levels: Counts) -> None:
        np.add.at(self.shares, (rows, shares), 1)
        np.add.at(self.at_table, (rows, tables), 1)
        for table, prizes in enumerate(self.prizes):
            here = tables == table
            np.add.at(self.levels[prizes], (rows[here], levels[here]), 1)

    def findings(self, name: str) -> list[Finding]:
        return [self._shares(f"{name}/prizes"), self._levels(f"{name}/extreme-prize")]

    def _shares(self, name: str) -> Finding:
        """Moment x sixteen shares of the prize table; rows with few presses are joined."""
        laws = np.array([Cells(each.total, SHARES).chances for each in self.prizes])
        seen, expected = _joined(self.shares, self.at_table @ laws)
        presses = int(seen.sum())
        if not len(seen):
            return Finding.skip(name, presses, "presses", "fewer than eight expected in a cell")
        statistic = float(np.sum((seen - expected) ** 2 / expected))
        totals = seen.sum(axis=1, keepdims=True)
        mean = float(len(seen) * (SHARES - 1))
        rare = np.sum(totals / expected, axis=1) - SHARES**2 - 2 * (SHARES - 1)
        variance = 2 * mean + float(np.sum(rare / totals[:, 0]))
        return moment_matched(name, presses, "presses", statistic, mean, variance, presses)

    def _levels(self, name: str) -> Finding:
        """Moment x prize, by the most surprising cell; cells are sparse, their tails exact."""
        seen, chances, trials = [], [], []
        for prizes, counts in self.levels.items():
            row = counts.sum(axis=1)
            came = row > 0
            seen.append(counts[came].ravel())
            chances.append(np.broadcast_to(prizes.chances, counts[came].shape).ravel())
            trials.append(np.repeat(row[came], len(prizes.amounts)))
        return extreme_cell(
            name,
            "presses",
            np.concatenate(seen),
            np.concatenate(chances),
            np.concatenate(trials),
        )


class Pauses:
    """The pause before a press, at any table or at the same table, and the time on the clock."""

    def __init__(self, prizes: Sequence[Prizes]) -> None:
        self.prizes = tuple(prizes)
        self.since = {
            "pauses/any-table": Moments(prizes, PAUSE_ROWS),
            "pauses/same-table": Moments(prizes, PAUSE_ROWS),
        }
        self.clocks = {name: Moments(prizes, rows) for name, (_, rows) in CLOCKS.items()}
        self.sums = {name: np.zeros(5) for name in self.since}
        self.last: list[int | None] = [None] * len(prizes)
        self.last_of_all: int | None = None

    def feed(self, pressed: PressColumns, shares: Counts, levels: Counts) -> None:
        totals = np.array([each.total for each in self.prizes])[pressed.tables]
        # a draw as a number of mean 0 and variance 1
        drawn = (pressed.draws - (totals - 1) / 2) / np.sqrt((totals.astype(float) ** 2 - 1) / 12)
        for name, pauses in self._pauses(pressed).items():
            known = pauses >= 0
            rows = _pause_rows(pauses[known])
            self.since[name].feed(rows, pressed.tables[known], shares[known], levels[known])
            self.sums[name] += _sums(np.log2(pauses[known] + 1.0), drawn[known])
        for name, (width, rows_of_clock) in CLOCKS.items():
            rows = pressed.times // width % rows_of_clock
            self.clocks[name].feed(rows, pressed.tables, shares, levels)

    def _pauses(self, pressed: PressColumns) -> dict[str, Counts]:
        """Return the milliseconds since the previous press, or -1 for the first."""
        after_any = np.diff(pressed.times, prepend=self._before(self.last_of_all, pressed.times))
        if self.last_of_all is None and len(after_any):
            after_any[0] = -1
        at_own = np.full(len(pressed), -1, dtype=np.int64)
        for table, last in enumerate(self.last):
            here = np.flatnonzero(pressed.tables == table)
            if not len(here):
                continue
            times = pressed.times[here]
            at_own[here] = np.diff(times, prepend=self._before(last, times))
            if last is None:
                at_own[here[0]] = -1
            self.last[table] = int(times[-1])
        if len(pressed):
            self.last_of_all = int(pressed.times[-1])
        return {"pauses/any-table": after_any, "pauses/same-table": at_own}

    @staticmethod
    def _before(last: int | None, times: Counts) -> Counts:
        return np.array([last if last is not None else times[0] if len(times) else 0])

    def findings(self) -> list[Finding]:
        found = []
        for name, moments in self.since.items():
            found += moments.findings(name)
            found.append(_correlation(f"{name}/correlation", self.sums[name]))
        for name, moments in self.clocks.items():
            found += moments.findings(f"clock/{name}")
        return found


def _pause_rows(pauses: Counts) -> Counts:
    halves = np.floor(2 * np.log2(pauses + 1.0)).astype(np.int64)
    rows: Counts = np.minimum(halves, PAUSE_ROWS - 1)
    return rows


def _sums(pause: Floats, drawn: Floats) -> Floats:
    return np.array(
        [len(pause), pause.sum(), (pause**2).sum(), drawn.sum(), float(np.dot(pause, drawn))]
    )


def _correlation(name: str, sums: Floats) -> Finding:
    """The correlation of the draw with the logarithm of the pause; its variance is known."""
    number, pause, squares, drawn, products = (float(each) for each in sums)
    spread = squares - pause * pause / number if number else 0.0
    if number < 1000 or spread <= 0:
        return Finding.skip(
            name, int(number), "presses", "needs 1,000 presses with different pauses"
        )
    z = (products - pause * drawn / number) / sqrt(spread)
    meaning = "correlation of a draw with the logarithm of the pause"
    return normal(name, int(number), "presses", z, 1 / sqrt(number), meaning)


def _joined(seen: Counts, expected: Floats) -> tuple[Floats, Floats]:
    """Join rows with the following ones until each cell expects enough; the rest joins the last."""
    rows: list[tuple[Floats, Floats]] = []
    count, law = np.zeros(seen.shape[1]), np.zeros(seen.shape[1])
    for one, one_law in zip(seen, expected, strict=True):
        count, law = count + one, law + one_law
        if law.min() >= LEAST_EXPECTED:
            rows.append((count, law))
            count, law = np.zeros_like(count), np.zeros_like(law)
    if rows and law.any():
        rows[-1] = rows[-1][0] + count, rows[-1][1] + law
    table = np.array(rows).reshape(-1, 2, seen.shape[1])
    return table[:, 0], table[:, 1]
