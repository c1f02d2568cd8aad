"""Computing a machine's health-test cutoffs from the claimed entropy of its noise.

The formulas of the first two tests are those of SP 800-90B sections 4.4.1 and 4.4.2;
docs/explanation/random-source.md derives that of the lag test. They are computed when a machine
file is compiled, because a binomial tail is too expensive for a board.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

STRENGTH_BITS = 256
# A conditioning hash has full entropy if its input has 64 bits more than its output (SP 800-90C).
CONDITIONING_MARGIN_BITS = 64
ALARM_BITS = range(20, 41)
WINDOW = 1024  # bits, of the adaptive proportion test and of the lag test
LAGS = 32
PREDICTORS = 2 * LAGS  # the sample at each lag, and its complement


class NoiseSettings(NamedTuple):
    """The arguments of `HealthTests` and `RandomSource` in the firmware."""

    repetition_cutoff: int
    proportion_cutoff: int
    lag_cutoff: int
    entropy_samples: int


def noise_settings(claim: float, *, alarm_bits: int = 30) -> NoiseSettings:
    """Return the settings for `claim` bits of min-entropy per sample of one bit.

    False alarms of each test have a probability of at most 2^-alarm_bits. Raises ValueError for a
    claim that the samples cannot hold or the tests cannot check.
    """
    if not 0 < claim <= 1:
        raise ValueError(
            f"a sample of one bit has more than 0 and at most 1 bit of entropy; {claim:g} cannot "
            "be claimed"
        )
    if alarm_bits not in ALARM_BITS:
        raise ValueError(f"the false alarm probability must be 2^-20 to 2^-40, not 2^-{alarm_bits}")
    # If all predictions of a window come true with a probability above that of an alarm, no count
    # is an alarm. The lag test has the most predictors, so it decides.
    least = (alarm_bits + math.log2(PREDICTORS)) / WINDOW
    if claim < least:
        raise ValueError(
            f"at {claim:g} bits per sample the lag test could never fail; claim at least "
            f"{math.ceil(least * 10_000) / 10_000:.4f}, or increase the false alarm probability"
        )
    return NoiseSettings(
        repetition_cutoff(claim, alarm_bits),
        proportion_cutoff(claim, alarm_bits, WINDOW),
        lag_cutoff(claim, alarm_bits),
        entropy_samples(claim),
    )


def repetition_cutoff(claim: float, alarm_bits: int) -> int:
    """Return C = 1 + ceil(a / H)."""
    return 1 + math.ceil(alarm_bits / Fraction(str(claim)))


def proportion_cutoff(claim: float, alarm_bits: int, window: int) -> int:
    """Return C = 1 + critbinom(W, 2^-H, 1 - 2^-a).

    All counts from C on together have a probability of at most 2^-a.
    """
    return _cutoff(2.0**-claim, 2.0**-alarm_bits, window)


def lag_cutoff(claim: float, alarm_bits: int) -> int:
    """Return the least count of right predictions in a window that is an alarm.

    A predictor is right with a probability of at most 2^-H for each sample, whatever was before.
    Each of the predictors has the same share of 2^-a.
    """
    return _cutoff(2.0**-claim, 2.0**-alarm_bits / PREDICTORS, WINDOW)


def _cutoff(p: float, alarm: float, window: int) -> int:
    count = window
    tail = binomial(count, window, p)
    while tail <= alarm:
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
