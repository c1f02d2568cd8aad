"""Tests of the sequence of draws: gaps, runs, coupons."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Draws, Floats, compiled
from rng_certification.base.finding import Finding
from rng_certification.base.laws import chi_square

LONGEST_GAP = 256
LONGEST_RUN = 16
LONGEST_SET = 256
COUPONS = 8
MOST_VALUES = 512  # largest range for which every value is collected


@compiled
def _count_gaps(draws: Draws, low: int, high: int, gap: int, counts: Counts) -> int:
    """Count gaps between draws of low .. high-1. Takes and returns the open gap (-1: none yet)."""
    for draw in draws:
        if low <= draw < high:
            if gap >= 0:
                counts[min(gap, len(counts) - 1)] += 1
            gap = 0
        elif gap >= 0:
            gap += 1
    return gap


@compiled
def _count_runs(draws: Counts, sign: int, state: Counts, counts: Counts) -> None:
    """Count strictly rising (sign 1) or falling (-1) runs.

    The draw that ends a run does not begin the next, so that lengths are independent. `state`: the
    length of the open run, and its last draw.
    """
    for draw in draws:
        if state[0] == 0 or sign * draw > sign * state[1]:
            state[0] += 1
        else:
            counts[min(state[0], len(counts) - 1)] += 1
            state[0] = 0
        state[1] = draw


@compiled
def _count_sets(draws: Counts, size: int, coupons: int, state: Counts, counts: Counts) -> None:
    """Count lengths until all coupons are drawn. `state`: coupons drawn, and draws so far."""
    full = (1 << coupons) - 1
    for draw in draws:
        coupon = draw // size
        if coupon >= coupons:
            continue
        state[0] |= 1 << coupon
        state[1] += 1
        if state[0] == full:
            counts[min(state[1], len(counts) - 1)] += 1
            state[0] = 0
            state[1] = 0


@compiled
def _count_collections(draws: Draws, seen: Counts, state: Counts, counts: Counts) -> None:
    """Count the same for every value. `seen`: the last collection that contained each value.

    `state`: the number of the open collection, its different values, and the draws so far.
    """
    for draw in draws:
        state[2] += 1
        if seen[draw] != state[0]:
            seen[draw] = state[0]
            state[1] += 1
            if state[1] == len(seen):
                counts[min(state[2], len(counts) - 1)] += 1
                state[0] += 1
                state[1] = state[2] = 0


class Gaps:
    """Gaps between draws of the lowest, the middle and the highest eighth of the range."""

    def __init__(self, span: int) -> None:
        self.span = span
        width = max(1, span // 8)
        starts = {"low": 0, "middle": (span - width) // 2, "high": span - width}
        self.width = width
        self.starts = starts
        self.open = dict.fromkeys(starts, -1)
        self.counts = {part: np.zeros(LONGEST_GAP, dtype=np.int64) for part in starts}

    def feed(self, draws: Draws) -> None:
        for part, start in self.starts.items():
            self.open[part] = _count_gaps(
                draws, start, start + self.width, self.open[part], self.counts[part]
            )

    def findings(self) -> list[Finding]:
        hit = self.width / self.span
        chances = hit * (1 - hit) ** np.arange(LONGEST_GAP)
        chances[-1] = (1 - hit) ** (LONGEST_GAP - 1)
        return [
            chi_square(f"gap/{part}", "gaps", self.counts[part], chances) for part in self.starts
        ]


class Runs:
    """Runs up and runs down: r draws rise strictly with chance C(N, r) / N^r."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.states = {sign: np.zeros(2, dtype=np.int64) for sign in (1, -1)}
        self.counts = {sign: np.zeros(LONGEST_RUN + 1, dtype=np.int64) for sign in (1, -1)}

    def feed(self, draws: Draws) -> None:
        numbers = draws.astype(np.int64)
        for sign in (1, -1):
            _count_runs(numbers, sign, self.states[sign], self.counts[sign])

    def findings(self) -> list[Finding]:
        at_least = np.ones(LONGEST_RUN + 2)
        for r in range(1, LONGEST_RUN + 1):
            at_least[r] = at_least[r - 1] * max(self.span - r + 1, 0) / r / self.span
        at_least[-1] = 0.0
        chances = -np.diff(at_least)[1:]  # lengths 1, 2, ... and LONGEST_RUN or more
        return [
            chi_square(f"runs/{name}", "runs", self.counts[sign][1:], chances)
            for name, sign in (("up", 1), ("down", -1))
        ]


class Coupons:
    """The number of draws until every value of a range up to 512 occurred, and every share of
    eight.

    Values beyond the last complete share are omitted; the others remain uniform.
    """

    def __init__(self, span: int) -> None:
        self.span = span
        self.seen = np.zeros(span if span <= MOST_VALUES else 0, dtype=np.int64)
        self.open = np.array([1, 0, 0], dtype=np.int64)
        self.collections = np.zeros(_longest(span) + 1, dtype=np.int64)
        self.coupons = min(span, COUPONS)
        self.size = span // self.coupons
        self.state = np.zeros(2, dtype=np.int64)
        self.counts = np.zeros(LONGEST_SET + 1, dtype=np.int64)

    def feed(self, draws: Draws) -> None:
        _count_sets(draws.astype(np.int64), self.size, self.coupons, self.state, self.counts)
        if len(self.seen):
            _count_collections(draws, self.seen, self.open, self.collections)

    def findings(self) -> list[Finding]:
        chances = collector_law(self.coupons, LONGEST_SET)
        return [
            self._of_values(),
            chi_square("coupon-collector/shares", "sets", self.counts[1:], chances),
        ]

    def _of_values(self) -> Finding:
        name = "coupon-collector/values"
        if not len(self.seen):
            reason = f"only ranges up to {MOST_VALUES} are tested for every value"
            return Finding.skip(name, 0, "sets", reason)
        chances = collector_law(self.span, _longest(self.span))
        return chi_square(name, "sets", self.collections[1:], chances)


def _longest(values: int) -> int:
    """Return a length that one in many thousand collections reaches; longer ones share its cell."""
    return int(values * (np.log(values) + 10)) + 10 if values <= MOST_VALUES else 0


def collector_law(values: int, longest: int) -> Floats:
    """Return the chances of 1, 2, ... and `longest` or more draws until all values occurred."""
    seen = np.zeros(values + 1)
    seen[0] = 1.0
    share = np.arange(values + 1) / values
    chances = np.zeros(longest)
    for length in range(longest):
        new = seen * (1 - share)
        seen *= share
        seen[1:] += new[:-1]
        chances[length] = seen[-1]
        seen[-1] = 0.0
    chances[-1] += seen.sum()
    return chances
