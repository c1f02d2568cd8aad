"""Sums of any bits of one draw, if the range is a power of two: each is a fair coin.

Many tests detect a single biased bit. The parity of several bits may be biased although each bit
and each value is nearly fair; a chi-square over all values does not detect it. So every sum of bits
is tested, by the Walsh-Hadamard transform of the counts of all values.
"""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr

from rng_certification.base.compiled import Counts, Draws
from rng_certification.base.finding import AnyLagPower, Finding

LEAST_BITS = 2
MOST_BITS = 16  # bits tested; for a draw with more, the lowest and the highest
LEAST_DRAWS = 1_000


class SumsOfBits:
    def __init__(self, span: int) -> None:
        bits = span.bit_length() - 1 if span & (span - 1) == 0 else 0
        self._shifts: dict[str, int] = {}
        if LEAST_BITS <= bits <= MOST_BITS:
            self._shifts = {"all-bits": 0}
        elif bits > MOST_BITS:
            self._shifts = {"lowest-bits": 0, "highest-bits": bits - MOST_BITS}
        self._mask = np.uint32((1 << min(bits, MOST_BITS)) - 1)
        self.counts = {
            which: np.zeros(int(self._mask) + 1, dtype=np.int64) for which in self._shifts
        }

    def feed(self, draws: Draws) -> None:
        for which, shift in self._shifts.items():
            values = (draws >> np.uint32(shift)) & self._mask
            self.counts[which] += np.bincount(values, minlength=len(self.counts[which]))

    def findings(self) -> list[Finding]:
        return [_worst_sum(f"parities/{which}", counts) for which, counts in self.counts.items()]


def _worst_sum(name: str, counts: Counts) -> Finding:
    """The most biased sum.

    Each sum is a number of tosses of a fair coin. The chance that one of them deviates this far is
    at most the sum of their chances (Bonferroni), whatever their dependence.
    """
    draws, sums = int(counts.sum()), len(counts) - 1
    if draws < LEAST_DRAWS:
        return Finding.skip(name, draws, "draws", f"needs {LEAST_DRAWS} draws")
    leans = walsh(counts)
    leans[0] = 0  # the empty sum
    worst = int(np.argmax(np.abs(leans)))
    rarer = (draws - abs(int(leans[worst]))) // 2
    p = min(1.0, 2 * sums * float(bdtr(rarer, draws, 0.5)))
    power = AnyLagPower(sums, draws**-0.5, "bias of a sum of bits")
    return Finding(name, draws, "draws", p, float(leans[worst]) / draws, power=power)


def walsh(counts: Counts) -> Counts:
    """Return, for each choice of bits, the draws with an even sum minus those with an odd sum."""
    whole = counts.copy()
    half = 1
    while half < len(whole):
        pairs = whole.reshape(-1, 2, half)
        whole = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), axis=1).ravel()
        half *= 2
    return whole
