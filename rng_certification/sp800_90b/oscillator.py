"""A model of a sampled ring oscillator, for the entropy that may be claimed for its samples.

A sample is 1 in the first half of each cycle of the oscillator. From one sample to the next the
oscillator makes `cycles` cycles, and each adds an independent Gaussian error to its phase. The
attacker of the model knows the frequency and the exact phase at every earlier sample. Slow drift
and noise with memory count as known to the attacker: they give no entropy here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, pi, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rng_certification.base.compiled import Bytes

JITTER = 0.003  # standard deviation of one cycle, as a part of it
LIKELY_MEGAHERTZ = (4.0, 8.0)  # RP2040 datasheet: "likely to be in the range 4-8MHz"
TYPICAL_MEGAHERTZ = 6.5
_PHASES = 20_000  # places in a cycle at which the exact average is taken
_TURNS = 6  # cycles on each side that a phase can reach; enough for a deviation of a cycle


@dataclass(frozen=True)
class Oscillator:
    megahertz: float = TYPICAL_MEGAHERTZ
    microseconds: float = 10.0  # from one sample to the next
    jitter: float = JITTER

    @property
    def cycles(self) -> float:
        return self.megahertz * self.microseconds

    @property
    def deviation(self) -> float:
        """Return the deviation of the phase from one sample to the next, in cycles."""
        return self.jitter * sqrt(self.cycles)

    @property
    def miss(self) -> float:
        """The probability that the attacker's best guess of a sample is wrong, for any phase.

        While the deviation is small against a cycle, it is 2 edges x 2 x deviation / sqrt(2 pi).
        """
        return 4 * self.deviation / sqrt(2 * pi)

    @property
    def entropy(self) -> float:
        """Min-entropy of a sample, in bits, on average over all phases."""
        return -log2(1 - self.miss)

    def exact_miss(self) -> float:
        """`miss` for any deviation, by adding up the Gaussian over the halves of all cycles."""
        phases = (np.arange(_PHASES) + 0.5) / _PHASES
        ones = np.zeros(_PHASES)
        for turn in range(-_TURNS, _TURNS + 1):
            ends = (turn + 0.5 - phases) / self.deviation, (turn - phases) / self.deviation
            ones += ndtr(ends[0]) - ndtr(ends[1])
        return float(np.minimum(ones, 1 - ones).mean())

    def phases(self, samples: int, seed: int) -> npt.NDArray[np.float64]:
        """The phase at each sample, in cycles, from an unknown one."""
        random = np.random.Generator(np.random.PCG64(seed))
        steps = random.normal(self.cycles % 1, self.deviation, samples)
        steps[0] = random.random()
        every: npt.NDArray[np.float64] = np.cumsum(steps)
        return every

    def samples(self, number: int, seed: int) -> Bytes:
        bits: Bytes = (self.phases(number, seed) % 1 < 0.5).astype(np.uint8)
        return bits


def least_jitter(claim: float, megahertz: float, microseconds: float = 10.0) -> float:
    """Return the jitter of a cycle at which the model's entropy equals the claim."""
    deviation: float = (1 - 2.0**-claim) * sqrt(2 * pi) / 4
    return deviation / sqrt(megahertz * microseconds)
