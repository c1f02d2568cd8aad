"""How much of alpha each test gets: the weights of the family, declared with the plan.

Tests that come by the hundred and look at much the same, such as templates and lags, would
leave little to those that look at what players care about. Weights were set before power was
measured with them, by what a test is and not by what it found.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

# Patterns of a test's name, with its part or without; the first that matches gives the weight.
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
    """The weight of one test; a rule over several shards, "test@rule", weighs as its test."""
    return _weight(name.split("@")[0], weights)


@cache
def _weight(name: str, weights: Weights) -> float:
    for pattern, weight in weights:
        if fnmatchcase(name, pattern):
            return weight
    return OTHERWISE
