"""Sample sizes that detect faults of scaling: clamped words and remainders.

A word of k bits is converted to a draw below N. Words above the largest multiple of N must be
rejected. Clamping them to the last value makes that value more likely; taking the remainder makes
the lowest values more likely. The most sensitive test, at its share of alpha in a certification of
such draws, gives the sample that detects 99 of 100 such sources.
"""

from __future__ import annotations

from math import ceil

import numpy as np
from scipy.special import ndtri

from rng_certification.base.finding import POWER
from rng_certification.base.judgement import FAMILY_ALPHA
from rng_certification.base.weights import weight_of
from rng_certification.draws.draws_battery import DrawsBattery

SPANS = (38, 52, 312, 3750)
WORDS = (8, 16, 32)
CLAMPED, REMAINDER = "clamped to the last value", "remainder of a word"


def share_of_alpha(span: int, test: str) -> float:
    """Return a test's share of alpha in a certification of draws below `span`, by all weights."""
    battery = DrawsBattery(span)
    battery.feed(np.arange(1000, dtype=np.uint32) % np.uint32(span))
    weights = [weight_of(finding.name) for finding in battery.findings()]
    return FAMILY_ALPHA * weight_of(test) / sum(weights)


def sample_for(span: int, word: int, fault: str) -> int | None:
    """Return the draws that detect the fault 99 times of 100; None if the scaling has no fault."""
    rest = (1 << word) % span
    if span > 1 << word or not rest:
        return None
    if fault == CLAMPED:
        # one value of all: the extreme value, of `span` cells
        chance, extra = 1 / span, rest / (1 << word) * (1 - 1 / span)
        alpha = share_of_alpha(span, "frequency/extreme-value") / span
    else:
        # the values below the remainder, together
        chance = rest / span
        extra = rest * (1 + (1 << word) // span) / (1 << word) - chance
        alpha = share_of_alpha(span, f"folding/below-{rest}")
    z = float(ndtri(1 - alpha / 2) + ndtri(POWER))
    return ceil(z * z * chance * (1 - chance) / extra**2)


def table_of_samples() -> list[str]:
    lines = [
        "| draws below | fault | " + " | ".join(f"{word} bits" for word in WORDS) + " |",
        "|---|---|" + "---|" * len(WORDS),
    ]
    for span in SPANS:
        for fault in (CLAMPED, REMAINDER):
            cells = [_shown(sample_for(span, word, fault)) for word in WORDS]
            lines.append(f"| {span:,} | {fault} | " + " | ".join(cells) + " |")
    return lines


def _shown(sample: int | None) -> str:
    if sample is None:
        return "too few bits"
    if sample < 10_000:
        return "10,000, the least"
    if sample > 10**9:
        return f"10^{len(str(sample)) - 1}"
    digits = 10 ** (len(str(sample)) - 2)
    return f"{ceil(sample / digits) * digits:,}"
