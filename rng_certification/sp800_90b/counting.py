"""Estimators that count: most common value, collision, Markov, compression (6.3.1 to 6.3.4).

The last three are for bits only; samples of more bits reach them as a bit string.
"""

from __future__ import annotations

from itertools import pairwise
from math import log2, sqrt

import numpy as np
from scipy.optimize import brentq

from rng_certification.base.compiled import Bytes, Counts, Floats, compiled
from rng_certification.sp800_90b.estimate import EntropyEstimate, Z, entropy_of, upper_bound

MOST_COMMON_VALUE = "most-common-value"
COLLISION = "collision"
MARKOV = "markov"
COMPRESSION = "compression"

MARKOV_BITS = 128
BLOCK_BITS = 6
DICTIONARY_BLOCKS = 1000
# The standard's correction of the deviation, for repeating blocks of six bits.
DEVIATION = 0.5907


def most_common_value(symbols: Bytes) -> EntropyEstimate:
    mode = int(np.bincount(symbols).max())
    share = mode / len(symbols)
    chance = upper_bound(share, len(symbols))
    figures = {"mode": mode, "p-hat": share, "p_u": chance}
    return EntropyEstimate(MOST_COMMON_VALUE, entropy_of(chance), figures)


@compiled
def _collisions(bits: Bytes) -> tuple[int, int]:
    """Count how often two successive bits agree, and how often only the third decides."""
    pairs = threes = at = 0
    while at + 1 < len(bits):
        if bits[at] == bits[at + 1]:
            pairs += 1
            at += 2
        elif at + 2 < len(bits):
            threes += 1
            at += 3
        else:
            break
    return pairs, threes


def collision(bits: Bytes) -> EntropyEstimate:
    """Solve the mean time to a collision, 2 + 2 p (1 - p), for p.

    The standard writes the same with the incomplete gamma function, for alphabets of any size.
    """
    pairs, threes = _collisions(bits)
    times = pairs + threes
    if times < 2:
        return EntropyEstimate.skip(COLLISION, "fewer than two collisions")
    mean = (2 * pairs + 3 * threes) / times
    spread = sqrt((pairs * (2 - mean) ** 2 + threes * (3 - mean) ** 2) / (times - 1))
    low = mean - Z * spread / sqrt(times)
    product = (low - 2) / 2
    chance = 0.5 + sqrt(0.25 - product) if product < 0.25 else 0.5
    figures = {"v": times, "X-bar": mean, "sigma-hat": spread, "X-bar'": low, "p": min(1, chance)}
    return EntropyEstimate(COLLISION, entropy_of(min(1.0, chance)), figures)


def markov(bits: Bytes) -> EntropyEstimate:
    """Assess the most likely sequence of 128 bits of a chain with the observed transitions."""
    ones = int(np.count_nonzero(bits))
    first = (1 - ones / len(bits), ones / len(bits))
    steps = np.bincount(2 * bits[:-1] + bits[1:], minlength=4).reshape(2, 2)
    leaving = steps.sum(axis=1)
    chances = steps / np.maximum(leaving, 1)[:, None]
    best = max(
        _likelihood(first, chances, sequence)
        for sequence in (
            (0,) * MARKOV_BITS,
            (0, 1) * (MARKOV_BITS // 2),
            (0,) + (1,) * (MARKOV_BITS - 1),
            (1,) + (0,) * (MARKOV_BITS - 1),
            (1, 0) * (MARKOV_BITS // 2),
            (1,) * MARKOV_BITS,
        )
    )
    figures = {
        "P_0": first[0],
        "P_1": first[1],
        **{f"P_{{{a},{b}}}": float(chances[a, b]) for a in (0, 1) for b in (0, 1)},
        "p-hat_max": 2.0**best,
    }
    return EntropyEstimate(MARKOV, min(1.0, max(0.0, -best / MARKOV_BITS)), figures)


def _likelihood(first: tuple[float, float], chances: Floats, sequence: tuple[int, ...]) -> float:
    """Return the logarithm to base 2."""
    factors = np.array([first[sequence[0]], *(chances[a, b] for a, b in pairwise(sequence))])
    return float(np.log2(factors).sum()) if factors.all() else -np.inf


@compiled
def _distances(bits: Bytes, blocks: int) -> Counts:
    """Return a histogram of the distance of each later block to its last occurrence."""
    last = np.zeros(1 << BLOCK_BITS, dtype=np.int64)
    histogram = np.zeros(blocks + 1, dtype=np.int64)
    for place in range(1, blocks + 1):
        block = 0
        for bit in range((place - 1) * BLOCK_BITS, place * BLOCK_BITS):
            block = block << 1 | bits[bit]
        if place > DICTIONARY_BLOCKS:
            histogram[place - last[block]] += 1
        last[block] = place
    return histogram


def compression(bits: Bytes) -> EntropyEstimate:
    """Solve Maurer's statistic for the chance of the most likely block of six bits."""
    blocks = len(bits) // BLOCK_BITS
    tested = blocks - DICTIONARY_BLOCKS
    if tested < 2:
        least = BLOCK_BITS * (DICTIONARY_BLOCKS + 2)
        return EntropyEstimate.skip(COMPRESSION, f"needs {least} bits")
    histogram = _distances(bits, blocks)
    distances = np.flatnonzero(histogram)
    logarithms, seen = np.log2(distances), histogram[distances]
    mean = float(np.sum(seen * logarithms)) / tested
    square = float(np.sum(seen * logarithms**2)) / (tested - 1)
    spread = DEVIATION * sqrt(max(0.0, square - mean * mean))
    low = mean - Z * spread / sqrt(tested)
    values = 1 << BLOCK_BITS
    law = _DistanceLaw(blocks)
    if law.expected(1 / values) <= low:
        chance = 1 / values
    elif law.expected(1.0) >= low:
        chance = 1.0
    else:
        chance = float(brentq(lambda p: law.expected(p) - low, 1 / values, 1.0, xtol=1e-16))
    figures = {"X-bar": mean, "sigma-hat": spread, "X-bar'": low, "p": chance}
    return EntropyEstimate(COMPRESSION, min(1.0, -log2(chance) / BLOCK_BITS + 0.0), figures)


class _DistanceLaw:
    """The mean of the statistic if one block has chance p and the others share the rest."""

    def __init__(self, blocks: int) -> None:
        self._tested = blocks - DICTIONARY_BLOCKS
        distances = np.arange(1, blocks + 1)
        self._logarithms = np.log2(distances)
        # Either the block occurs at distance u before a block at t > u (then with chance p again),
        # or it has not occurred at all before t = u. The sum over t covers the blocks after the
        # dictionary's.
        self._before = np.minimum(self._tested, blocks - distances)
        self._first = distances > DICTIONARY_BLOCKS

    def expected(self, chance: float) -> float:
        others = (1 << BLOCK_BITS) - 1
        return self._of(chance) + others * self._of((1 - chance) / others)

    def _of(self, chance: float) -> float:
        if not 0 < chance < 1:
            return 0.0
        # Terms beyond this distance are too small for a float.
        reach = min(len(self._logarithms), int(-800 / np.log1p(-chance)) + 2)
        absent = np.exp(np.arange(reach) * np.log1p(-chance))
        terms = self._logarithms[:reach] * absent
        again = chance * chance * float(np.dot(terms, self._before[:reach]))
        never = chance * float(np.sum(terms[self._first[:reach]]))
        return (again + never) / self._tested
