"""Computing a machine's health-test cutoffs from the claimed entropy of its noise.

The formulas are those of SP 800-90B sections 4.4.1 and 4.4.2. They are computed when a machine file
is compiled, because a binomial tail is too expensive for a board.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

STRENGTH_BITS = 256
# A conditioning hash has full entropy if its input has 64 bits more than its output (SP 800-90C).
CONDITIONING_MARGIN_BITS = 64
ALARM_BITS = range(20, 41)


class NoiseSettings(NamedTuple):
    """The arguments of `HealthTests` and `RandomSource` in the firmware."""

    repetition_cutoff: int
    proportion_cutoff: int
    window: int
    alphabet: int
    entropy_samples: int


def noise_settings(claim: float, *, alphabet: int = 2, alarm_bits: int = 30) -> NoiseSettings:
    """Return the settings for `claim` bits of min-entropy per sample.

    False alarms have a probability of 2^-alarm_bits. Raises ValueError for a claim that the samples
    cannot hold or the tests cannot check.
    """
    if not 2 <= alphabet <= 256:
        raise ValueError(f"a noise sample must have 2 to 256 values, not {alphabet}")
    most = math.log2(alphabet)
    if not 0 < claim <= most:
        raise ValueError(
            f"a sample of {alphabet} values has more than 0 and at most {most:g} bits of entropy; "
            f"{claim:g} cannot be claimed"
        )
    if alarm_bits not in ALARM_BITS:
        raise ValueError(f"the false alarm probability must be 2^-20 to 2^-40, not 2^-{alarm_bits}")
    window = 1024 if alphabet == 2 else 512
    if claim * window < alarm_bits:
        raise ValueError(
            f"at {claim:g} bits per sample the adaptive proportion test could never fail; "
            f"claim at least {alarm_bits / window:.4f}"
        )
    return NoiseSettings(
        repetition_cutoff(claim, alarm_bits),
        proportion_cutoff(claim, alarm_bits, window),
        window,
        alphabet,
        entropy_samples(claim),
    )


def repetition_cutoff(claim: float, alarm_bits: int) -> int:
    """Return C = 1 + ceil(a / H)."""
    return 1 + math.ceil(alarm_bits / Fraction(str(claim)))


def proportion_cutoff(claim: float, alarm_bits: int, window: int) -> int:
    """Return C = 1 + critbinom(W, 2^-H, 1 - 2^-a).

    All counts from C on together have a probability of at most 2^-a.
    """
    p = 2.0**-claim
    count = window
    tail = binomial(count, window, p)
    while tail <= 2.0**-alarm_bits:
        count -= 1
        tail += binomial(count, window, p)
    return count + 1


def binomial(count: int, window: int, p: float) -> float:
    """Return the probability of `count` successes in `window` trials, computed by logarithms."""
    return math.exp(
        math.lgamma(window + 1)
        - math.lgamma(count + 1)
        - math.lgamma(window - count + 1)
        + count * math.log(p)
        + (window - count) * math.log1p(-p)
    )


def entropy_samples(claim: float) -> int:
    """Return the number of samples for an entropy input of 256 bits of full entropy."""
    return math.ceil((STRENGTH_BITS + CONDITIONING_MARGIN_BITS) / Fraction(str(claim)))
