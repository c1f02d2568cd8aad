"""Collisions of overlapping groups of draws, and birthday spacings of two draws in a square.

Points on a lattice, as congruential generators produce them, have too few collisions, or spacings
that are too similar.
"""

from __future__ import annotations

from math import log2

import numpy as np

from rng_certification.base.compiled import Draws, Floats, Words, compiled
from rng_certification.base.finding import Finding
from rng_certification.base.laws import poisson
from rng_certification.draws.cells import Cells

CODE_BITS = 30  # a million groups in 2^30 codes: about 500 equal pairs
CELLS = (1 << 15, 256, 8)  # finest first: groups of 2, 4 and 10 draws
MOST_DRAWS = 3_024_000  # three chunks
SQUARE_BITS = 24  # of each of the two draws that form a birthday
LEAST_SPAN = 1 << 28  # with fewer values the cells are uneven, except for multiples
PEOPLE = 1 << 17  # for a year of 2^48 days: two equal spacings per year


class CollisionsOver:
    """The number of equal pairs of overlapping groups of draws, in fine or coarse cells.

    If two groups are equal, the next ones are likely to be equal too. Only the first pair of a run
    counts: an equal pair with different draws before it. Any two such pairs are independent, so
    their number has Poisson's law.
    """

    def __init__(self, span: int) -> None:
        sizes = sorted({min(span, cells) for cells in CELLS}, reverse=True)
        self.cells = [Cells(span, size) for size in sizes]
        self.equal = np.zeros(len(sizes), dtype=np.int64)
        self.means: Floats = np.zeros(len(sizes))
        self.draws = 0

    def feed(self, draws: Draws) -> None:
        draws = draws[: MOST_DRAWS - self.draws]
        if len(draws) < 100:
            return
        self.draws += len(draws)
        for i, cells in enumerate(self.cells):
            together = _together(cells.number)
            seen = cells.of(draws).astype(np.uint64)
            groups = len(seen) - together
            after = _codes(seen[1:], cells.number, together) * np.uint64(cells.number)
            self.equal[i] += _first_equal(np.sort(after + seen[:groups]), cells.number)
            match = float(np.sum(cells.chances**2))
            self.means[i] += groups * (groups - 1) / 2 * match**together * (1 - match)

    def findings(self) -> list[Finding]:
        """Two cell sizes may give groups of the same length; the name then has the cell size."""
        groups = [_together(cells.number) for cells in self.cells]
        return [
            self._finding(f"collisions/{together}-draws" + f"-of-{cells.number}" * twice, i)
            for i, (together, cells) in enumerate(zip(groups, self.cells, strict=True))
            for twice in (groups.count(together) > 1,)
        ]

    def _finding(self, name: str, i: int) -> Finding:
        if self.means[i] < 1:
            return Finding.skip(name, self.draws, "draws", "less than one collision expected")
        mean = float(self.means[i])
        return poisson(name, self.draws, "draws", int(self.equal[i]), mean, "excess of collisions")


def _together(cells: int) -> int:
    return round(CODE_BITS / log2(cells))


def _codes(cells: Words, number: int, together: int) -> Words:
    """Return each overlapping group as one number."""
    groups = len(cells) - together + 1
    codes = np.zeros(groups, dtype=np.uint64)
    for place in range(together):
        codes = codes * np.uint64(number) + cells[place : place + groups]
    return codes


@compiled
def _first_equal(ordered: Words, before: int) -> int:
    """Count pairs of equal groups after different draws, in sorted numbers.

    Each number is a group and, in its lowest digit, the draw before it, with `before` possible
    values.
    """
    pairs = alike = alike_before = 0
    for i in range(1, len(ordered)):
        apart = ordered[i] - ordered[i - 1]
        if apart < np.uint64(before) and ordered[i] // np.uint64(before) == ordered[
            i - 1
        ] // np.uint64(before):
            alike += 1
            alike_before = alike_before + 1 if apart == 0 else 0
            pairs += alike - alike_before
        else:
            alike = alike_before = 0
    return pairs


class BirthdaySquare:
    """Birthday spacings with the 24 highest bits of two draws as the day."""

    def __init__(self, span: int) -> None:
        even = span >= LEAST_SPAN or span % (1 << SQUARE_BITS) == 0
        self.cells = Cells(span, 1 << SQUARE_BITS) if even else None
        self.years = 0
        self.equal = 0

    def feed(self, draws: Draws) -> None:
        if self.cells is None:
            return
        days = _codes(self.cells.of(draws).astype(np.uint64), self.cells.number, 2)[::2]
        for start in range(0, len(days) - PEOPLE + 1, PEOPLE):
            spacings = np.sort(np.diff(np.sort(days[start : start + PEOPLE])))
            self.equal += int(np.count_nonzero(spacings[1:] == spacings[:-1]))
            self.years += 1

    def findings(self) -> list[Finding]:
        if self.cells is None:
            return []
        name = "poisson/birthday-square"
        if not self.years:
            reason = f"needs {2 * PEOPLE} draws"
            return [Finding.skip(name, 0, "years", reason)]
        mean = self.years * PEOPLE**3 / (4 * 4.0**SQUARE_BITS)
        return [poisson(name, self.years, "years", self.equal, mean, "excess of equal spacings")]
