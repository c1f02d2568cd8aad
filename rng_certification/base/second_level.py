"""Combine the p-values of many shards of one part, by two rules for each test.

Shards are combined by their findings, a few hundred numbers for a shard of any size. A campaign of
10^12 cards is therefore only a matter of more shards. Both rules also hold for p-values that are
conservative, as the exact tails of discrete statistics are; a test of the uniformity of p-values
would not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.special import chdtrc, chdtri, ndtr

from rng_certification.base.finding import POWER, Finding, Power
from rng_certification.base.laws import of_many

SMALLEST = 1e-300  # a p of exactly 0 has no logarithm


@dataclass(frozen=True)
class ExtremePower:
    """The power of the smallest p-value: a single shard is bad."""

    inner: Power
    shards: int

    @property
    def meaning(self) -> str:
        return f"{self.inner.meaning}, in a single shard"

    def detectable(self, alpha: float) -> float:
        return self.inner.detectable(alpha / self.shards)


@dataclass(frozen=True)
class TogetherPower:
    """The power of the sum: the same shift in all shards."""

    shards: int
    meaning: str = "shift of the statistic in every shard, in its standard deviations"

    def detectable(self, alpha: float) -> float:
        return _smallest_shift(self.shards, alpha)


@lru_cache
def _smallest_shift(shards: int, alpha: float) -> float:
    least, most = 0.0, 50.0
    while most - least > 1e-6:
        shift = (least + most) / 2
        if _power_at(shift, shards, alpha) < POWER:
            least = shift
        else:
            most = shift
    return most


def _power_at(shift: float, shards: int, alpha: float) -> float:
    """Return the power by the central limit theorem, over the law of -2 ln p at this shift."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    p = np.maximum(2 * ndtr(-np.abs(nodes + shift)), SMALLEST)
    terms = -2 * np.log(p)
    mean = float(weights @ terms)
    spread = float(np.sqrt(shards * (weights @ (terms - mean) ** 2)))
    limit = float(chdtri(2 * shards, alpha))
    return float(ndtr((shards * mean - limit) / spread))


def second_level(shards: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Return the findings of a part from the findings of its shards; unchanged for one shard."""
    if len(shards) == 1:
        return list(shards[0])
    by_name: dict[str, list[Finding]] = defaultdict(list)
    for findings in shards:
        for finding in findings:
            by_name[finding.name].append(finding)
    return [rule for found in by_name.values() for rule in _rules(found)]


def _rules(found: list[Finding]) -> list[Finding]:
    first = found[0]
    sample = sum(finding.sample for finding in found)
    p_values = [finding.p for finding in found if finding.p is not None]
    if not p_values:
        return [replace(first, sample=sample)]
    worst = min(p_values)
    logs = -2 * float(np.sum(np.log(np.maximum(p_values, SMALLEST))))
    number = len(p_values)
    return [
        Finding(
            f"{first.name}@extreme",
            sample,
            first.unit,
            of_many(worst, number),
            worst,
            power=ExtremePower(first.power, number) if first.power else None,
        ),
        Finding(
            f"{first.name}@together",
            sample,
            first.unit,
            float(chdtrc(2 * number, logs)),
            logs,
            power=TogetherPower(number),
        ),
    ]
