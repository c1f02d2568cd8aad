"""Tests of the first draws after each start: one row for each start, one column for each draw.

By column, the first draws must follow their law over all starts, and must not predict the next
start's. By row, a start must not be biased. Two rows must not share their beginning.
"""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import numpy.typing as npt

from rng_certification.base.finding import Finding
from rng_certification.base.laws import binomial, chi_square_by_row, extreme_cell, normal, poisson

CARDS = 52
DRAWN = 64
BEGINNING = 8  # draws: 52^8 beginnings, so that two equal ones do not occur by chance
ROW_CLASSES = 4

Table = npt.NDArray[np.uint8]


def findings(about: str, table: Table) -> list[Finding]:
    """Return the tests. `table`: starts by draws, numbers of 0 to 51."""
    starts = len(table)
    by_column = np.stack([np.bincount(column, minlength=CARDS) for column in table.T])
    by_row = np.stack(
        [np.bincount(row // (CARDS // ROW_CLASSES), minlength=ROW_CLASSES) for row in table]
    )
    even = np.full(CARDS, 1 / CARDS)
    return [
        chi_square_by_row(f"{about}/columns/frequency", "draws", by_column, even),
        extreme_cell(f"{about}/columns/extreme-value", "draws", by_column, 1 / CARDS, starts),
        _equal(f"{about}/columns/next-start-equal", table[1:], table[:-1]),
        _correlation(f"{about}/columns/next-start-correlation", table[1:], table[:-1]),
        chi_square_by_row(
            f"{about}/rows/frequency", "draws", by_row, np.full(ROW_CLASSES, 1 / ROW_CLASSES)
        ),
        _equal(f"{about}/rows/next-draw-equal", table[:, 1:], table[:, :-1]),
        _correlation(f"{about}/rows/next-draw-correlation", table[:, 1:], table[:, :-1]),
        shared_beginnings(f"{about}/shared-beginnings", table),
    ]


def shared_beginnings(name: str, table: Table) -> Finding:
    """Count pairs of starts with the same first draws."""
    beginnings = Counter(bytes(row[:BEGINNING]) for row in table)
    pairs = sum(comb(count, 2) for count in beginnings.values())
    expected = comb(len(table), 2) / CARDS**BEGINNING
    return poisson(
        name, len(table), "starts", pairs, expected, "pairs of starts with the same beginning"
    )


def _equal(name: str, later: Table, earlier: Table) -> Finding:
    return binomial(name, "pairs", int(np.count_nonzero(later == earlier)), later.size, 1 / CARDS)


def _correlation(name: str, later: Table, earlier: Table) -> Finding:
    """Twice the distance from the middle is an integer, and so is the sum."""
    doubled = (2 * side.astype(np.int64) - (CARDS - 1) for side in (later, earlier))
    total = int(np.prod(list(doubled), axis=0).sum())
    variance = (CARDS**2 - 1) / 3  # of the doubled distance
    z = total / (variance * later.size**0.5)
    return normal(name, later.size, "pairs", z, later.size**-0.5, "correlation coefficient")
