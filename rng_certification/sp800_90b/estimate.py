"""The result of an estimator, and the bounds that all of them share."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2, sqrt

# The upper end of a two-sided 99 % confidence interval, with the digits of NIST's tool.
Z = 2.5758293035489008


@dataclass(frozen=True)
class EntropyEstimate:
    """Min-entropy of one symbol, or the reason why this estimator does not apply.

    `figures` are the intermediate values, with the names of the standard.
    """

    name: str
    entropy: float | None
    figures: dict[str, float] = field(default_factory=dict)
    skipped: str = ""

    @staticmethod
    def skip(name: str, reason: str) -> EntropyEstimate:
        return EntropyEstimate(name, None, skipped=reason)


def upper_bound(share: float, trials: int) -> float:
    """Return the largest plausible chance of a value with this share, at 99 %."""
    return min(1.0, share + Z * sqrt(share * (1 - share) / (trials - 1)))


def entropy_of(chance: float) -> float:
    return max(0.0, -log2(chance))
