"""Computes a machine's health-test cutoffs from the entropy that is claimed for its noise.

The formulas are those of SP 800-90B sections 4.4.1 and 4.4.2. They are worked out here, when a
machine file is compiled, because a binomial tail is cheap on a computer and dear on a board.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

STRENGTH_BITS = 256
# A conditioning hash gives full entropy when 64 bits more go in than come out (SP 800-90C).
CONDITIONING_MARGIN_BITS = 64
ALARM_BITS = range(20, 41)


class NoiseSettings(NamedTuple):
    """What `HealthTests` and `RandomSource` of the firmware are built with."""

    repetition_cutoff: int
    proportion_cutoff: int
    window: int
    alphabet: int
    entropy_samples: int


def noise_settings(claim: float, *, alphabet: int = 2, alarm_bits: int = 30) -> NoiseSettings:
    """The settings for `claim` bits of min-entropy a sample and false alarms of 2^-alarm_bits.

    Raises ValueError for a claim that the samples cannot hold or the tests could not check.
    """
    if not 2 <= alphabet <= 256:
        raise ValueError(f"a noise sample has 2 to 256 values, not {alphabet}")
    most = math.log2(alphabet)
    if not 0 < claim <= most:
        raise ValueError(
            f"a sample of {alphabet} values has more than 0 and at most {most:g} bits of entropy; "
            f"{claim:g} cannot be claimed"
        )
    if alarm_bits not in ALARM_BITS:
        raise ValueError(f"false alarms may be 2^-20 to 2^-40, not 2^-{alarm_bits}")
    window = 1024 if alphabet == 2 else 512
    if claim * window < alarm_bits:
        raise ValueError(
            f"at {claim:g} bits a sample the adaptive proportion test could never fail; "
            f"the least that can be claimed here is {alarm_bits / window:.4f}"
        )
    return NoiseSettings(
        repetition_cutoff(claim, alarm_bits),
        proportion_cutoff(claim, alarm_bits, window),
        window,
        alphabet,
        entropy_samples(claim),
    )


def repetition_cutoff(claim: float, alarm_bits: int) -> int:
    """C = 1 + ceil(a / H)."""
    return 1 + math.ceil(alarm_bits / Fraction(str(claim)))


def proportion_cutoff(claim: float, alarm_bits: int, window: int) -> int:
    """C = 1 + critbinom(W, 2^-H, 1 - 2^-a): counts of C and more have at most 2^-a together."""
    p = 2.0**-claim
    count = window
    tail = binomial(count, window, p)
    while tail <= 2.0**-alarm_bits:
        count -= 1
        tail += binomial(count, window, p)
    return count + 1


def binomial(count: int, window: int, p: float) -> float:
    """The probability of `count` successes in `window` trials, by logarithms."""
    return math.exp(
        math.lgamma(window + 1)
        - math.lgamma(count + 1)
        - math.lgamma(window - count + 1)
        + count * math.log(p)
        + (window - count) * math.log1p(-p)
    )


def entropy_samples(claim: float) -> int:
    """How many samples hash to an entropy input of 256 bits of full entropy."""
    return math.ceil((STRENGTH_BITS + CONDITIONING_MARGIN_BITS) / Fraction(str(claim)))
