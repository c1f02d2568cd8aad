"""At which sample faults of scaling show: rejected words that are clamped, and remainders.

A word of k bits is to become a draw below N. What is above the largest multiple of N must be
rejected. Who clamps it to the last value makes that one likelier; who takes the remainder makes
the lowest values likelier. The test that sees it best, at the share of alpha that it has in a
certification of such draws, gives the sample at which 99 of 100 are caught.
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
    """Of a certification of draws below `span`, by the weights of all its tests."""
    battery = DrawsBattery(span)
    battery.feed(np.arange(1000, dtype=np.uint32) % np.uint32(span))
    weights = [weight_of(finding.name) for finding in battery.findings()]
    return FAMILY_ALPHA * weight_of(test) / sum(weights)


def sample_for(span: int, word: int, fault: str) -> int | None:
    """Draws at which the fault is caught 99 times of 100; None where there is none."""
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
