"""Estimators from repeated stretches: t-tuple and longest repeated substring (6.3.5, 6.3.6)."""

from __future__ import annotations

import numpy as np

from rng_certification.sp800_90b.estimate import EntropyEstimate, entropy_of, upper_bound
from rng_certification.sp800_90b.repeats import RepeatCounts

T_TUPLE = "t-tuple"
LONGEST_REPEAT = "longest-repeated-substring"
OFTEN = 35  # a stretch that occurs less often gives no estimate of its chance


def t_tuple(repeats: RepeatCounts, size: int, often: int = OFTEN) -> EntropyEstimate:
    """Assess the most common stretch of each length that occurs often enough."""
    longest = _often(repeats, often)
    if not longest:
        return EntropyEstimate.skip(T_TUPLE, f"no value occurs {often} times")
    lengths = np.arange(1, longest + 1)
    shares = (repeats.commonest[1 : longest + 1] / (size - lengths + 1)) ** (1 / lengths)
    share = float(shares.max())
    chance = upper_bound(share, size)
    figures = {"t": longest, "p-hat_max": share, "p_u": chance}
    return EntropyEstimate(T_TUPLE, entropy_of(chance), figures)


def longest_repeat(repeats: RepeatCounts, size: int, often: int = OFTEN) -> EntropyEstimate:
    """Assess the number of equal pairs of stretches of each greater length."""
    shortest, longest = _often(repeats, often) + 1, repeats.longest
    if longest < shortest:
        return EntropyEstimate.skip(LONGEST_REPEAT, "no longer stretch occurs twice")
    lengths = np.arange(shortest, longest + 1)
    places = size - lengths + 1
    collisions = repeats.equal_pairs[shortest:] / (places * (places - 1) / 2)
    share = float((collisions ** (1 / lengths)).max())
    chance = upper_bound(share, size)
    figures = {"u": shortest, "v": longest, "p-hat": share, "p_u": chance}
    return EntropyEstimate(LONGEST_REPEAT, entropy_of(chance), figures)


def _often(repeats: RepeatCounts, often: int) -> int:
    return int(np.count_nonzero(repeats.commonest[1:] >= often))
