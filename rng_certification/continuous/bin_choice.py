"""Tests whether the bin of a card, or of a push, depends on any observable event.

Given the load of each bin, its chance is proportional to the weight that the machine has for this
load. The expected count of each bin is therefore exactly known at every step, whatever happened
before. Observed minus expected is a martingale; its variance is the sum of p (1 - p) over the
steps.
"""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Floats, compiled
from rng_certification.base.finding import CellPower, Finding
from rng_certification.base.laws import LEAST_EXPECTED, moment_matched, never, normal, of_many
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.steps import (
    BIN_SHIFT,
    CARD_MASK,
    DEALT,
    FED,
    PUSHED,
    ROUND,
    STEP_SHIFT,
    UNSEEN_BIN,
    Steps,
)

SECTORS = 8  # sectors of the wheel
TIMES = 8
PLACES = 24  # cards within a round
RANKS = 13
CATEGORIES = ("place-in-round", "time", "rank", "previous-bin", "last-push")
_SIZES = (PLACES, TIMES, RANKS, SECTORS, SECTORS)
SEEN, EXPECTED, VARIANCE = range(3)
_INTO, _OUT = 0, 1  # the rows of weights
# Indices of the counters in `now`.
_ROUND_NUMBER, _PLACE, _LAST_BIN, _LAST_PUSH, _WRONG_PUSHES, _PUSHES, _FEEDS, _UNSEEN = range(8)


@compiled
def _total(weights: Counts, which: int, load: Counts) -> int:
    total = 0
    for b in range(len(load)):
        total += weights[which, load[b]]
    return total


@compiled
def _note(bins: Floats, choice: Floats, chosen: int, before: int, total: int, load: Counts,
          weights: Counts, which: int) -> None:  # fmt: skip
    """`bins`: by bin, and by the distance from the bin before; `choice`: loads."""
    number = len(load)
    mean = squares = 0.0
    for b in range(number):
        p = weights[which, load[b]] / total
        if p > 0:
            bins[0, EXPECTED, b] += p
            bins[0, VARIANCE, b] += p * (1 - p)
            step = (b - before) % number
            bins[1, EXPECTED, step] += p
            bins[1, VARIANCE, step] += p * (1 - p)
            mean += p * load[b]
            squares += p * load[b] * load[b]
    bins[0, SEEN, chosen] += 1
    bins[1, SEEN, (chosen - before) % number] += 1
    choice[0] += load[chosen] - mean
    choice[1] += squares - mean * mean


@compiled
def _watch(
    steps: Steps,
    weights: Counts,
    single: bool,
    now: Counts,
    load: Counts,
    fed: Floats,
    pushed: Floats,
    fed_load: Floats,
    pushed_load: Floats,
    tables: Floats,
) -> None:
    number = len(load)
    chances = np.zeros(SECTORS)
    for step in steps:
        kind, chosen, card = step >> STEP_SHIFT, (step >> BIN_SHIFT) & 0xFFF, step & CARD_MASK
        if kind == ROUND:
            now[_ROUND_NUMBER] += 1
            now[_PLACE] = 0
        elif kind == DEALT:
            pass
        elif chosen == UNSEEN_BIN:
            now[_UNSEEN] = 1
        elif kind == PUSHED:
            if card != (min(load[chosen], 1) if single else load[chosen]):
                now[_WRONG_PUSHES] += 1
            mine = weights[_OUT, load[chosen]]
            total = _total(weights, _OUT, load)
            if 0 < mine < total:
                _note(pushed, pushed_load, chosen, now[_LAST_PUSH], total, load, weights, _OUT)
            now[_PUSHES] += 1
            now[_LAST_PUSH] = chosen
            load[chosen] = max(load[chosen] - 1, 0) if single else 0
        elif kind == FED:
            mine = weights[_INTO, load[chosen]]
            total = _total(weights, _INTO, load)
            if 0 < mine < total:
                chances[:] = 0
                for b in range(number):
                    chances[b * SECTORS // number] += weights[_INTO, load[b]]
                _note(fed, fed_load, chosen, now[_LAST_BIN], total, load, weights, _INTO)
                sector = chosen * SECTORS // number
                for category in range(len(tables)):
                    if category == 0:
                        row = min(now[_PLACE], PLACES - 1)
                    elif category == 1:
                        row = now[_ROUND_NUMBER] % TIMES
                    elif category == 2:
                        row = np.int64(card) % RANKS
                    elif category == 3:
                        row = now[_LAST_BIN] * SECTORS // number
                    else:
                        row = now[_LAST_PUSH] * SECTORS // number
                    for s in range(SECTORS):
                        p = chances[s] / total
                        tables[category, SEEN, row, s] += s == sector
                        tables[category, EXPECTED, row, s] += p
                        tables[category, VARIANCE, row, s] += p * (1 - p)
            now[_FEEDS] += 1
            now[_LAST_BIN] = chosen
            now[_PLACE] += 1
            load[chosen] = min(load[chosen] + 1, weights.shape[1] - 1)


class BinChoice:
    """Feed a history that shows the bins; for one without bins the tests are skipped."""

    def __init__(self, settings: Settings) -> None:
        bins = settings.bins
        self._weights, self._single = settings.weights(), settings.single
        self._now = np.zeros(8, dtype=np.int64)
        self._load = np.zeros(bins, dtype=np.int64)
        self._fed = np.zeros((2, 3, bins))
        self._pushed = np.zeros((2, 3, bins))
        self._fed_load = np.zeros(2)
        self._pushed_load = np.zeros(2)
        self._tables = np.zeros((len(CATEGORIES), 3, max(_SIZES), SECTORS))

    def feed(self, steps: Steps) -> None:
        _watch(
            steps,
            self._weights,
            self._single,
            self._now,
            self._load,
            self._fed,
            self._pushed,
            self._fed_load,
            self._pushed_load,
            self._tables,
        )

    def findings(self) -> list[Finding]:
        feeds, pushes = int(self._now[_FEEDS]), int(self._now[_PUSHES])
        if self._now[_UNSEEN] or not feeds or not pushes:
            return [Finding.skip("bins", feeds, "cards", "the history does not show the bins")]
        return [
            *_of_bins("bins", "cards", feeds, self._fed, self._fed_load),
            *(
                _of_table(f"bins/by-{name}", feeds, self._tables[i, :, : _SIZES[i]])
                for i, name in enumerate(CATEGORIES)
            ),
            *_of_bins("pushes", "pushes", pushes, self._pushed, self._pushed_load),
            never("pushes/whole", pushes, "pushes", int(self._now[_WRONG_PUSHES])),
        ]


def _of_bins(what: str, unit: str, sample: int, bins: Floats, load: Floats) -> list[Finding]:
    z = float(load[0] / np.sqrt(load[1])) if load[1] > 0 else 0.0
    scale = float(np.sqrt(load[1])) / sample
    return [
        _of_cells(f"{what}/chi-square", sample, unit, bins[0]),
        _extreme(f"{what}/extreme-bin", sample, unit, bins[0]),
        _of_cells(f"{what}/after-the-last", sample, unit, bins[1]),
        _extreme(f"{what}/extreme-step", sample, unit, bins[1]),
        normal(f"{what}/load", sample, unit, z, scale, "excess cards in the chosen bins")
        if load[1] > 0
        else Finding.skip(f"{what}/load", sample, unit, "all bins have the same cards"),
    ]


def _of_cells(name: str, sample: int, unit: str, cells: Floats) -> Finding:
    seen, expected, variance = cells
    number = len(seen)
    if number < 2 or float(expected.min()) < LEAST_EXPECTED:
        return Finding.skip(name, sample, unit, "fewer than eight expected of a bin")
    share = (number - 1) / number
    statistic = float(np.sum((seen - expected) ** 2 / variance)) * share
    return moment_matched(
        name, sample, unit, statistic, number - 1.0, 2 * (number - 1.0), int(expected.sum())
    )


def _of_table(name: str, sample: int, table: Floats) -> Finding:
    """Test each row separately; the totals of the rows are not tested."""
    used = table[EXPECTED].sum(axis=1) > 0
    seen, expected, variance = (part[used] for part in table)
    some = expected.min(axis=1) >= LEAST_EXPECTED
    if not some.any():
        return Finding.skip(name, sample, "cards", "fewer than eight expected in a cell")
    seen, expected, variance = seen[some], expected[some], variance[some]
    degrees = len(seen) * (SECTORS - 1.0)
    share = (SECTORS - 1) / SECTORS
    statistic = float(np.sum((seen - expected) ** 2 / variance)) * share
    trials = int(expected.sum())
    return moment_matched(name, sample, "cards", statistic, degrees, 2 * degrees, trials)


def _extreme(name: str, sample: int, unit: str, cells: Floats) -> Finding:
    seen, expected, variance = cells
    if float(expected.min()) < LEAST_EXPECTED:
        return Finding.skip(name, sample, unit, "fewer than eight expected of a bin")
    z = (seen - expected) / np.sqrt(variance)
    worst = int(np.argmax(np.abs(z)))
    found = normal(name, sample, unit, float(z[worst]), 1.0, "")
    trials = int(expected.sum())
    chance = float(expected[worst]) / trials
    p = of_many(found.p if found.p is not None else 1.0, len(z))
    return Finding(name, sample, unit, p, float(z[worst]), power=CellPower(trials, chance, len(z)))
