"""p-values from counts: by an exact law if one exists, otherwise by a moment-matched one.

All are two-sided: twice the smaller tail. A chi-square of nearly zero is as unlikely as a huge one,
and a sign of fabricated data.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, bdtrc, chdtr, chdtrc, erfc, kolmogorov, pdtr, pdtrc

from rng_certification.base.compiled import Counts, Floats, compiled
from rng_certification.base.finding import (
    CellPower,
    ChiSquarePower,
    CountPower,
    Finding,
    NormalPower,
)

LEAST_EXPECTED = 8.0  # a cell that expects less is joined with its neighbour


def two_sided(lower: float, upper: float) -> float:
    return min(1.0, 2 * min(lower, upper))


def of_many(p: float, tries: int) -> float:
    """Return the chance that the smallest of `tries` p-values is at most this one (Šidák)."""
    return float(-np.expm1(tries * np.log1p(-min(p, 1.0)))) if p < 1 else 1.0


def chi_square(
    name: str,
    unit: str,
    seen: npt.ArrayLike,
    chances: npt.ArrayLike,
    sample: int | None = None,
    least_expected: float = LEAST_EXPECTED,
) -> Finding:
    """Pearson's test of counts against chances; small cells are joined.

    Its law is matched to the exact mean and variance of the statistic (Haldane 1937). The
    asymptotic law misses them if chances are small and unequal.
    """
    counts, shares = _flat(seen, chances)
    trials = float(counts.sum())
    sample = int(trials) if sample is None else sample
    counts, shares = _joined(counts, shares, trials, least_expected)
    cells = len(counts)
    if cells < 2:
        return Finding.skip(name, sample, unit, "too few for two cells to compare")
    expected = trials * shares
    statistic = float(np.sum((counts - expected) ** 2 / expected))
    mean = cells - 1.0
    variance = 2 * mean + (float(np.sum(1 / shares)) - cells * cells - 2 * mean) / trials
    best_fit = _mode(trials, shares)
    return moment_matched(name, sample, unit, statistic, mean, variance, int(trials), best_fit)


def chi_square_by_row(name: str, unit: str, table: Counts, chances: Floats) -> Finding:
    """A chi-square test of each row of a table against the same chances, given the row totals."""
    rows = table.sum(axis=1)
    trials = int(rows.sum())
    if float(rows.min()) * float(chances.min()) < LEAST_EXPECTED:
        return Finding.skip(name, trials, unit, "fewer than eight expected in a cell")
    expected = np.outer(rows, chances)
    statistic = float(np.sum((table - expected) ** 2 / expected))
    cells = len(chances)
    mean = len(table) * (cells - 1.0)
    small = float(np.sum(1 / chances)) - cells * cells - 2 * (cells - 1)
    variance = 2 * mean + small * float(np.sum(1 / rows))
    best_fit = float(np.exp(sum(np.log(_mode(float(row), chances)) for row in rows[:100])))
    return moment_matched(name, trials, unit, statistic, mean, variance, trials, best_fit)


def moment_matched(
    name: str,
    sample: int,
    unit: str,
    statistic: float,
    mean: float,
    variance: float,
    trials: int,
    best_fit: float = 0.0,
) -> Finding:
    """A chi-square statistic with this mean and variance.

    `best_fit` is the chance of the counts that fit best. With few cells they are common, and then
    not a sign of fabricated data.
    """
    degrees = 2 * mean * mean / variance
    scaled = statistic * degrees / mean
    p = two_sided(float(chdtr(degrees, scaled)) + best_fit, float(chdtrc(degrees, scaled)))
    return Finding(name, sample, unit, p, statistic, power=ChiSquarePower(degrees, trials))


def _mode(trials: float, shares: Floats) -> float:
    """Return the chance of the most likely counts, from the normal density at the mean."""
    logarithm = (1 - len(shares)) / 2 * np.log(2 * np.pi * trials) - np.sum(np.log(shares)) / 2
    return float(np.exp(min(0.0, float(logarithm))))


def _flat(seen: npt.ArrayLike, chances: npt.ArrayLike) -> tuple[Floats, Floats]:
    counts = np.asarray(seen, dtype=np.float64)
    shares = np.broadcast_to(np.asarray(chances, dtype=np.float64), counts.shape)
    return counts.ravel(), shares.ravel()


def _joined(counts: Floats, shares: Floats, trials: float, least: float) -> tuple[Floats, Floats]:
    """Join neighbouring cells until each expects enough."""
    if len(shares) == 0 or trials * float(shares.min()) >= least:
        return counts, shares
    cells = _join(counts, shares, trials, least, joined := np.zeros((len(shares), 2)))
    return joined[:cells, 0], joined[:cells, 1]


@compiled
def _join(counts: Floats, shares: Floats, trials: float, least: float, joined: Floats) -> int:
    """Write the result of `_joined` into `joined` and return the number of cells."""
    cells = 0
    count = share = 0.0
    for i in range(len(shares)):
        count, share = count + counts[i], share + shares[i]
        if trials * share >= least:
            joined[cells, 0], joined[cells, 1] = count, share
            cells += 1
            count = share = 0.0
    if (count != 0 or share != 0) and cells > 0:
        joined[cells - 1, 0] += count
        joined[cells - 1, 1] += share
    return cells


def _outermost(z: Floats, number: int) -> Counts:
    """Return the positions of the smallest and the largest value."""
    left, places = z.copy(), []
    for _ in range(number):
        places.append(int(np.argmin(left)))
        left[places[-1]] = np.inf
    left = z.copy()
    for _ in range(number):
        places.append(int(np.argmax(left)))
        left[places[-1]] = -np.inf
    return np.unique(places)


def extreme_cell(
    name: str, unit: str, seen: npt.ArrayLike, chances: npt.ArrayLike, trials: npt.ArrayLike
) -> Finding:
    """The most surprising single cell, by its exact binomial tail.

    A chi-square over many cells does not detect a single deviating cell; this test does.
    """
    counts, shares = _flat(seen, chances)
    tries = np.broadcast_to(np.asarray(trials, dtype=np.int64), np.shape(seen)).ravel()
    sample = int(counts.sum())
    if not len(counts) or float(tries.min()) < 1:
        return Finding.skip(name, sample, unit, "no data")
    z = (counts - tries * shares) / np.sqrt(tries * shares * (1 - shares))
    suspects = _outermost(z, min(3, len(z)))
    count, tried, share = counts[suspects], tries[suspects], shares[suspects]
    at_least = np.where(count > 0, bdtrc(count - 1, tried, share), 1.0)
    tails = np.minimum(bdtr(count, tried, share), at_least)
    worst = suspects[int(np.argmin(tails))]
    p = of_many(min(1.0, 2 * float(tails.min())), len(counts))
    power = CellPower(int(tries[worst]), float(shares[worst]), len(counts))
    return Finding(name, sample, unit, p, float(z[worst]), power=power)


def normal(name: str, sample: int, unit: str, z: float, scale: float, meaning: str) -> Finding:
    """A standardised sum; `scale` converts standard deviations to the unit of `meaning`."""
    p = float(erfc(abs(z) / np.sqrt(2)))
    return Finding(name, sample, unit, p, z, power=NormalPower(scale, meaning))


def binomial(name: str, unit: str, count: int, trials: int, chance: float) -> Finding:
    lower = float(bdtr(count, trials, chance))
    upper = float(bdtrc(count - 1, trials, chance)) if count > 0 else 1.0
    power = CellPower(max(trials, 1), chance, 1, "relative change of the chance")
    return Finding(name, trials, unit, two_sided(lower, upper), float(count), power=power)


def poisson(name: str, sample: int, unit: str, count: int, mean: float, meaning: str) -> Finding:
    lower = float(pdtr(count, mean))
    upper = float(pdtrc(count - 1, mean)) if count > 0 else 1.0
    p = two_sided(lower, upper)
    return Finding(name, sample, unit, p, float(count), power=CountPower(mean, meaning))


def never(name: str, sample: int, unit: str, count: int) -> Finding:
    """A test for an event that is impossible for a good source: a single one fails."""
    power = CountPower(0.0, f"expected number of such {unit} in the sample")
    return Finding(name, sample, unit, 0.0 if count else 1.0, float(count), power=power)


def kolmogorov_smirnov(name: str, unit: str, counts: Counts, shares: Floats) -> Finding:
    """The largest distance of the cumulative counts from the law.

    Distances within cells are not measured, so p errs in favour of the source.
    """
    trials = int(counts.sum())
    distance = float(np.max(np.abs(np.cumsum(counts) / trials - np.cumsum(shares))))
    root = np.sqrt(trials)
    p = float(kolmogorov(distance * (root + 0.12 + 0.11 / root)))
    power = NormalPower(0.5 / root, "distance of the distribution function")
    return Finding(name, trials, unit, p, distance, power=power)
