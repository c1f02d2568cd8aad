"""The law of a machine with its settings, and the distance of observations from it.

The law has no closed form. It is sampled from the reference machine, in batches long enough to be
independent of each other. The tests compare means over all cards. The covariance of the batches
gives the variance of such a mean, including the dependence between cards that left one bin
together. The reference's own error is part of it (Hotelling's two-sample test).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import fdtr, fdtrc, stdtr

from rng_certification.base.compiled import Counts, Floats
from rng_certification.base.finding import ChiSquarePower, Finding, NormalPower
from rng_certification.base.laws import of_many, two_sided
from rng_certification.continuous.kept_laws import Arrays, kept
from rng_certification.continuous.reference import ReferenceMachine, Settings
from rng_certification.continuous.tally import Tally

BATCH = 16_384
REFERENCE_CARDS = 256 * BATCH
REFERENCE_SEED = 20_261_116
LEAST_IN_A_CELL = 30.0  # cards expected, in the sample and in the reference
GAP_CELLS = 24
FINE_GAP_CELLS = 96


@dataclass(frozen=True)
class SampledStatistic:
    """One statistic of the reference: its mean for each card (or round), batch by batch."""

    batches: Floats  # one row per batch, each a mean over its cards
    cards: int  # or rounds

    @property
    def mean(self) -> Floats:
        mean: Floats = self.batches.mean(axis=0)
        return mean

    def joined(self, edges: Counts) -> SampledStatistic:
        """Return the statistic with the cells between neighbouring edges joined."""
        return SampledStatistic(np.add.reduceat(self.batches, edges, axis=1), self.cards)


@dataclass(frozen=True)
class Law:
    settings: Settings
    gaps: SampledStatistic
    followers: SampledStatistic
    runs: SampledStatistic
    ranks: SampledStatistic


def sample_law(
    settings: Settings,
    lengths: Sequence[int],
    cards: int = REFERENCE_CARDS,
    seed: int = REFERENCE_SEED,
) -> Law:
    """Return the law for rounds of these lengths."""
    return _sampled(settings, tuple(lengths), cards, seed)


@lru_cache(maxsize=4)
def _sampled(settings: Settings, lengths: tuple[int, ...], cards: int, seed: int) -> Law:
    about = (settings, lengths, cards, seed)
    found = kept("law", about, lambda: _played(settings, lengths, cards, seed))
    total, rounds = (int(number) for number in found["sizes"])
    return Law(
        settings,
        SampledStatistic(found["gaps"], total),
        SampledStatistic(found["followers"], total),
        SampledStatistic(found["runs"], total),
        SampledStatistic(found["ranks"], rounds),
    )


def _played(settings: Settings, lengths: tuple[int, ...], cards: int, seed: int) -> Arrays:
    """Return the counts of the reference machine, one row per batch, and its cards and rounds."""
    machine = ReferenceMachine(settings, lengths, seed)
    tally = Tally(settings.pack)
    while tally.dealt < tally.warm_up:
        tally.feed(machine.steps(BATCH))
    gaps, followers, runs, ranks = [], [], [], []
    total = rounds = 0
    for _ in range(cards // BATCH):
        tally.clear()
        tally.feed(machine.steps(BATCH))
        total += tally.counted
        rounds += int(tally.ranks.sum())
        gaps.append(tally.gaps / tally.counted)
        followers.append(tally.followers / tally.counted)
        runs.append(tally.runs / tally.counted)
        ranks.append(tally.ranks / tally.ranks.sum())  # the number of rounds is not random
    return {
        "gaps": np.array(gaps),
        "followers": np.array(followers),
        "runs": np.array(runs),
        "ranks": np.array(ranks),
        "sizes": np.array((total, rounds)),
    }


def fair_shares(sampled: SampledStatistic, number: int, observed_cards: int) -> Counts:
    """Return the edges of about this many groups with equal chances, all large enough."""
    mean = sampled.mean
    least = LEAST_IN_A_CELL / min(observed_cards, sampled.cards)
    wanted = max(float(mean.sum()) / number, least)
    edges, share = [0], 0.0
    for cell, chance in enumerate(mean):
        if share >= wanted and float(mean[cell:].sum()) >= least:
            edges.append(cell)
            share = 0.0
        share += float(chance)
    return np.array(edges, dtype=np.int64)


def compared(
    name: str,
    seen: Counts,
    cards: int,
    sampled: SampledStatistic,
    edges: Counts,
    unit: str = "cards",
) -> Finding:
    """The test of all cells together. If they add up to one, the last cell is redundant."""
    law = sampled.joined(edges)
    observed = np.add.reduceat(seen, edges) / cards
    if np.allclose(law.batches.sum(axis=1), law.batches[0].sum()):
        law, observed = SampledStatistic(law.batches[:, :-1], law.cards), observed[:-1]
    batches, cells = law.batches.shape
    if cells < 1 or batches < 4 * cells:
        return Finding.skip(name, cards, unit, "too few for two cells to compare")
    a_card = np.atleast_2d(np.cov(law.batches, rowvar=False)) * (law.cards / batches)
    apart = observed - law.mean
    weight = 1 / (1 / cards + 1 / law.cards)
    statistic = weight * float(apart @ np.linalg.solve(a_card, apart))
    scaled = statistic * (batches - cells) / (cells * (batches - 1))
    degrees = batches - cells
    p = two_sided(float(fdtr(cells, degrees, scaled)), float(fdtrc(cells, degrees, scaled)))
    power = ChiSquarePower(
        cells, int(weight), "distance from the law, in standard deviations of one cell"
    )
    return Finding(name, cards, unit, p, statistic, power=power)


def most_extreme(
    name: str,
    seen: Counts,
    cards: int,
    sampled: SampledStatistic,
    edges: Counts,
    unit: str = "cards",
) -> Finding:
    """The test of the most deviating cell."""
    law = sampled.joined(edges)
    observed = np.add.reduceat(seen, edges) / cards
    batches = len(law.batches)
    a_card = law.batches.var(axis=0, ddof=1) * (law.cards / batches)
    error = np.sqrt(a_card * (1 / cards + 1 / law.cards))
    if len(edges) < 2 or not error.all():
        return Finding.skip(name, cards, unit, "too few for two cells to compare")
    z = (observed - law.mean) / error
    worst = int(np.argmax(np.abs(z)))
    p = of_many(2 * float(stdtr(batches - 1, -abs(z[worst]))), len(z))
    scale = float(error[worst] / law.mean[worst])
    power = NormalPower(scale, "relative change of one cell's chance")
    return Finding(name, cards, unit, p, float(z[worst]), power=power)


def ideal_gaps(chute: int, mean: float, cells: int) -> Floats:
    """Return the gaps of an ideal machine that returns single cards evenly into a full chute.

    The number of cards between a return and the next deal is `chute` plus a geometric number.
    """
    inside = mean - chute + 1
    law: Floats = np.zeros(cells)
    law[chute:] = (1 / inside) * (1 - 1 / inside) ** np.arange(cells - chute)
    law[-1] = 1 - law[:-1].sum()
    return law
