"""Weights of the tests: the share of alpha for each, declared with the plan.

Tests that come in hundreds and measure nearly the same, such as templates and lags, would leave
little alpha to the tests that matter to players. The weights were set by the kind of test before
power was measured with them, and not by any result.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

# Patterns of a test's name, with or without its part; the first match gives the weight.
Weights = tuple[tuple[str, float], ...]

WEIGHTS: Weights = (
    ("*sp800-22/non-overlapping*", 0.1),
    ("*sp800-22/random-excursions*", 0.25),
    ("*sp800-22/*", 0.5),
    ("*far-lags*", 8.0),
    ("*low-bits/*", 0.5),
    ("*/lag-*", 0.25),
    ("lag-*", 0.25),
    ("*subsequences/*", 0.5),
    ("*periods/*", 0.5),
    ("*frequency/*", 4.0),
    ("*duplicates*", 4.0),
    ("*repeated-stretches*", 4.0),
    ("*linear-complexity*", 4.0),
    ("*lattice/*", 4.0),
    ("*parities/*", 4.0),
    ("*pauses/*", 4.0),
    ("*position-*", 8.0),
    ("*place-place/*", 4.0),
    ("*kept-pairs/*", 4.0),
)
OTHERWISE = 1.0


def weight_of(name: str, weights: Weights = WEIGHTS) -> float:
    """Return the weight of one test; a rule over shards, "test@rule", weighs as its test."""
    return _weight(name.split("@")[0], weights)


@cache
def _weight(name: str, weights: Weights) -> float:
    for pattern, weight in weights:
        if fnmatchcase(name, pattern):
            return weight
    return OTHERWISE
