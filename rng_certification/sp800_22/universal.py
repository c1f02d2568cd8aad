"""Maurer's universal statistical test (SP 800-22, 2.9)."""

from __future__ import annotations

import numpy as np
from scipy.special import erfc

from rng_certification.base.compiled import Floats, Words, compiled
from rng_certification.sp800_22.sequence import BitSequence, window

# The least number of bits, the length of a block, and the mean and variance of its log2 distance.
_PLANS = (
    (1_059_061_760, 16, 15.167379, 3.421),
    (496_435_200, 15, 14.167488, 3.419),
    (231_669_760, 14, 13.167693, 3.416),
    (107_560_960, 13, 12.168070, 3.410),
    (49_643_520, 12, 11.168765, 3.401),
    (22_753_280, 11, 10.170032, 3.384),
    (10_342_400, 10, 9.1723243, 3.356),
    (4_654_080, 9, 8.1764248, 3.311),
    (2_068_480, 8, 7.1836656, 3.238),
    (904_960, 7, 6.1962507, 3.125),
    (387_840, 6, 5.2177052, 2.954),
)
LEAST_BITS = _PLANS[-1][0]


@compiled
def _distances(words: Words, learning: int, tested: int, size: int, logs: Floats) -> float:
    """Return the sum of log2 of the distance of each tested block to its previous occurrence."""
    last = np.zeros(1 << size, dtype=np.int64)
    shift = np.uint64(64 - size)
    total = 0.0
    for block in range(1, learning + tested + 1):
        value = window(words, (block - 1) * size) >> shift
        if block > learning:
            distance = block - last[value]
            total += logs[distance] if distance < len(logs) else np.log2(distance)
        last[value] = block
    return total


_LOGS: Floats = np.log2(np.maximum(np.arange(4096), 1))


def universal(sequence: BitSequence) -> float:
    _, size, mean, variance = next(plan for plan in _PLANS if sequence.bits >= plan[0])
    learning = 10 * 2**size
    tested = sequence.bits // size - learning
    found = _distances(sequence.words, learning, tested, size, _LOGS) / tested
    correction = 0.7 - 0.8 / size + (4 + 32 / size) * tested ** (-3 / size) / 15
    deviation = correction * np.sqrt(variance / tested)
    return float(erfc(abs(found - mean) / deviation / np.sqrt(2)))
