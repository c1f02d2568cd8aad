"""Chi-square tests and the longest repeat (5.2), for noise that is claimed to be independent."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from scipy.special import chdtr, chdtrc

from rng_certification.base.compiled import Counts, Floats
from rng_certification.base.laws import two_sided
from rng_certification.sp800_90b.repeats import repeats_of, shared_prefixes, sorted_suffixes
from rng_certification.sp800_90b.samples import Samples

LEAST_EXPECTED = 5.0
PARTS = 10
LONGEST_TUPLE = 11
NIST_LEVEL = 0.001


@dataclass(frozen=True)
class IndependenceTest:
    """`p` is NIST's, of the upper tail; `both` is twice the smaller tail, which is judged here."""

    name: str
    statistic: float
    degrees: int
    p: float
    both: float

    @property
    def passes(self) -> bool:
        return self.p >= NIST_LEVEL


def independence_tests(samples: Samples) -> tuple[IndependenceTest, ...]:
    if samples.alphabet < 2:
        raise ValueError("samples of one value are not tested for independence")
    binary = samples.bits == 1
    return (
        _tuples(samples) if binary else _pairs(samples),
        _evenness(samples),
        _longest_repeat(samples),
    )


def _chi_square(name: str, statistic: float, degrees: int) -> IndependenceTest:
    upper = float(chdtrc(degrees, statistic))
    return IndependenceTest(
        name, statistic, degrees, upper, two_sided(float(chdtr(degrees, statistic)), upper)
    )


def _tuples(samples: Samples) -> IndependenceTest:
    """Bits in groups of up to eleven against the product of their chances (5.2.3)."""
    size, ones = len(samples), int(np.count_nonzero(samples.raw))
    chance = ones / size
    rarest = min(chance, 1 - chance)
    width = max(
        (m for m in range(2, LONGEST_TUPLE + 1) if rarest**m * (size // m) >= LEAST_EXPECTED),
        default=2,
    )
    groups = samples.raw[: size // width * width].reshape(-1, width)
    values = groups @ (1 << np.arange(width - 1, -1, -1))
    seen = np.bincount(values, minlength=1 << width)
    weights = np.array([value.bit_count() for value in range(1 << width)])
    expected = chance**weights * (1 - chance) ** (width - weights) * len(groups)
    statistic = float(np.sum((seen - expected) ** 2 / expected))
    return _chi_square("chi-square/independence", statistic, (1 << width) - 2)


def _pairs(samples: Samples) -> IndependenceTest:
    """Non-overlapping pairs against the product of their shares (5.2.1)."""
    size, alphabet = len(samples), samples.alphabet
    shares = np.bincount(samples.symbols, minlength=alphabet) / size
    pairs = samples.symbols[: size // 2 * 2].reshape(-1, 2).astype(np.int64)
    seen = np.bincount(pairs[:, 0] * alphabet + pairs[:, 1], minlength=alphabet**2)
    counts, expected = _binned(seen, np.outer(shares, shares).ravel() * (size // 2))
    statistic = float(np.sum((counts - expected) ** 2 / expected))
    return _chi_square("chi-square/independence", statistic, max(1, len(expected) - alphabet))


def _evenness(samples: Samples) -> IndependenceTest:
    """Each tenth of the data against all data (5.2.2 and 5.2.4)."""
    alphabet, length = samples.alphabet, len(samples) // PARTS
    shares = np.bincount(samples.symbols, minlength=alphabet) / len(samples)
    statistic, bins = 0.0, 0
    for part in range(PARTS):
        here = samples.symbols[part * length : (part + 1) * length]
        counts, expected = _binned(np.bincount(here, minlength=alphabet), shares * length)
        statistic += float(np.sum((counts - expected) ** 2 / expected))
        bins = len(expected)
    return _chi_square("chi-square/goodness-of-fit", statistic, max(1, (PARTS - 1) * (bins - 1)))


def _binned(seen: Counts, expected: Floats) -> tuple[Counts, Floats]:
    """Join cells, the rarest first, until each bin expects five."""
    order = np.argsort(expected, kind="stable")
    totals = np.cumsum(expected[order])
    edges, done = [0], 0.0
    while (place := int(np.searchsorted(totals, done + LEAST_EXPECTED))) < len(order):
        edges.append(place + 1)
        done = float(totals[place])
    if len(edges) == 1:
        return np.array([seen.sum()]), np.array([expected.sum()])
    edges = edges[:-1]  # the rest goes to the last bin
    return np.add.reduceat(seen[order], edges), np.add.reduceat(expected[order], edges)


def _longest_repeat(samples: Samples) -> IndependenceTest:
    """Test whether the longest repeated stretch is longer than by chance (5.2.5)."""
    size, symbols = len(samples), samples.symbols
    order = sorted_suffixes(symbols, (samples.alphabet - 1).bit_length())
    longest = repeats_of(shared_prefixes(symbols, order)).longest
    shares = np.bincount(symbols) / size
    logarithm = longest * float(np.log(np.sum(shares**2)))
    pairs = comb(size - longest + 1, 2)
    p = float(-np.expm1(pairs * np.log1p(-np.exp(logarithm))))
    return IndependenceTest("longest-repeat", longest, 0, p, p)
