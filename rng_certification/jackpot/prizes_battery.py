"""Tests of draws from one prize table: of the numbers, and then of the prizes."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from scipy.special import bdtrik

from rng_certification.base.chunks import Rechunked
from rng_certification.base.compiled import Counts, Draws
from rng_certification.base.finding import Finding
from rng_certification.base.judgement import FAMILY_ALPHA
from rng_certification.base.laws import chi_square, extreme_cell
from rng_certification.draws.draws_battery import CHUNK, DrawsBattery
from rng_certification.jackpot.prizes import Prizes


class PrizeLevels:
    """The frequency of each prize, and of each pair of successive prizes."""

    def __init__(self, prizes: Prizes) -> None:
        self.prizes = prizes
        levels = len(prizes.amounts)
        self.counts = np.zeros(levels, dtype=np.int64)
        self.pairs = np.zeros((levels, levels), dtype=np.int64)

    def feed(self, draws: Draws) -> None:
        levels = self.prizes.levels(draws)
        self.counts += np.bincount(levels, minlength=len(self.counts))
        even = levels[: len(levels) // 2 * 2]
        np.add.at(self.pairs, (even[::2], even[1::2]), 1)

    def findings(self) -> list[Finding]:
        chances = self.prizes.chances
        both = np.outer(chances, chances)
        drawn, pairs = int(self.counts.sum()), int(self.pairs.sum())
        return [
            chi_square("frequency/prizes", "draws", self.counts, chances),
            extreme_cell("frequency/extreme-prize", "draws", self.counts, chances, drawn),
            chi_square("pairs/prizes", "pairs", self.pairs, both),
            extreme_cell("pairs/extreme-prizes", "pairs", self.pairs, both, pairs),
        ]


class PrizesBattery:
    """Feed draws in pieces of any size."""

    def __init__(self, prizes: Prizes) -> None:
        self.prizes = prizes
        self.levels = PrizeLevels(prizes)
        self.numbers = DrawsBattery(prizes.total)
        self._chunks = Rechunked(CHUNK)
        self.draws = 0

    def feed(self, draws: Draws) -> None:
        self.draws += len(draws)
        for chunk in self._chunks.feed(draws):
            self._feed_chunk(chunk)

    def _feed_chunk(self, draws: Draws) -> None:
        self.levels.feed(draws)
        self.numbers.feed(draws)

    def findings(self) -> list[Finding]:
        rest = self._chunks.rest()
        if len(rest):
            self._feed_chunk(rest)
        return [*self.levels.findings(), *self.numbers.findings()]

    def figures(self) -> dict[str, Any]:
        """Return figures for the picture and the mean prize per dollar, after `findings`."""
        return prize_figures_of(self.prizes, self.levels.counts)


def prize_figures_of(prizes: Prizes, counts: Counts) -> dict[str, Any]:
    """Observed counts, with limits that hold for all prizes together in 995 samples of 1,000.

    The mean of a prize is shown and not tested: most of its variance comes from one prize in a
    hundred thousand, and the counts have all its information.
    """
    drawn = int(counts.sum())
    tail = FAMILY_ALPHA / (2 * len(counts))
    rows = []
    for amount, numbers, observed in zip(prizes.amounts, prizes.numbers, counts, strict=True):
        chance = numbers / prizes.total
        rows.append(
            {
                "prize": amount,
                "numbers": numbers,
                "observed": int(observed),
                "expected": drawn * chance,
                "low": _quantile(tail, drawn, chance),
                "high": _quantile(1 - tail, drawn, chance),
            }
        )
    return {
        "prizes": {
            "table": prizes.id,
            "rule": prizes.rule,
            "prizes": rows,
            "mean": float(np.dot(prizes.amounts, counts)) / max(drawn, 1),
            "mean_expected": float(prizes.figures.mean),
            "mean_error": sqrt(float(prizes.figures.variance) / max(drawn, 1)),
        }
    }


def _quantile(level: float, trials: int, chance: float) -> int:
    """The smallest count with at least this share of the binomial law at or below it."""
    count = bdtrik(level, trials, chance)
    return int(np.ceil(count)) if np.isfinite(count) and count > 0 else 0
