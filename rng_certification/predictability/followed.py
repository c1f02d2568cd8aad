"""The counter that simulates the machine, pooled with the logit counter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rng_certification.base.compiled import Counts, Floats
from rng_certification.continuous.steps import DEALT, STEP_SHIFT
from rng_certification.continuous.tally import WARM_UP_PACKS
from rng_certification.predictability.candidates import Candidates, Shares
from rng_certification.predictability.carousel import CarouselLaw
from rng_certification.predictability.figures import TOGETHER, Effort, Figure, History, interval
from rng_certification.predictability.logit_counter import NO_HINTS, LogitCounter
from rng_certification.predictability.money import true_chances
from rng_certification.predictability.particles import ParticleCounter
from rng_certification.predictability.pool import learned_exponents, pooled

_UNSURE = 0.2  # share of equal chances in the cautious prediction by particles
_MIXTURE = (0.0, 0.0, 1.0)  # exponents without any data: logit and particles, half and half


class Followed(NamedTuple):
    """A history that simulations followed: chances of the next card, a row for each deal."""

    could: Candidates  # of all cards dealt
    deals: Counts  # the numbers of the deals that have a row
    logit: Shares
    particles: Shares  # the mean over all simulations
    each: tuple[Floats, ...]  # the chances of the candidates, by each simulation

    def predictions(self) -> list[Shares]:
        """The predictions that are pooled: logit, cautious particles, and half of each."""
        inside = np.maximum((self.logit > 0).sum(axis=1, keepdims=True), 1)
        cautious = (1 - _UNSURE) * self.particles + _UNSURE * (self.logit > 0) / inside
        mixture = (self.logit + self.particles) / 2
        return [self.logit, cautious.astype(np.float32), mixture]

    def truth(self) -> Shares:
        return true_chances(self.could, self.deals, self.logit.shape[1])


def follow(
    law: CarouselLaw, effort: Effort, seed: int, lengths: tuple[int, ...], weights: Floats
) -> Followed:
    seen = History(law, seed, lengths, effort.followed)
    dealt = int(np.count_nonzero(seen.steps >> np.uint32(STEP_SHIFT) == DEALT))
    deals = np.arange(WARM_UP_PACKS * law.pack, dealt, dtype=np.int64)
    particles, each = np.zeros((len(deals), law.pack), dtype=np.float32), []
    for i in range(effort.followers):
        counter = ParticleCounter(law, seed=seed - 2 + i)
        leaked, chances = counter.scored(seen.steps, seen.could, deals)
        each.append(2.0**leaked)
        particles += chances / effort.followers
    answered = len(each[0])  # the pushes of the last cards are not known yet
    counter_weights = LogitCounter(law, weights=weights)
    _, logit = counter_weights.scored(seen.steps, NO_HINTS, seen.could, deals[:answered])
    return Followed(seen.could, deals[:answered], logit, particles[:answered], tuple(each))


def particle_figure(
    law: CarouselLaw,
    effort: Effort,
    seed: int,
    lengths: tuple[int, ...],
    logit: Figure,
    weights: Floats,
) -> tuple[Figure, tuple[Followed, Floats]]:
    """Measure the pool of particles and logit.

    Simulations take long, so they follow fewer cards than the logit is scored on. The difference
    between pool and logit is measured on those cards and added to the logit's figure. The pool's
    exponents are learned from another history. Also return the followed history, with the
    exponents.
    """
    taught = follow(law, effort, seed + 40, lengths, weights)
    exponents = learned_exponents(taught.predictions(), taught.truth(), _MIXTURE)
    followed = follow(law, effort, seed + 2, lengths, weights)
    shares = followed.truth()
    inside = (followed.logit > 0).sum(axis=1)
    weighed = _bits(followed.logit, shares, inside)
    pool = _bits(pooled(followed.predictions(), exponents), shares, inside)
    more, error = interval(pool - weighed)
    gain = _gain_of_twice(followed, effort.followers)
    whole = float(np.hypot(logit.error, error))
    figure = Figure(TOGETHER, logit.bits + more, whole, len(weighed), gain)
    return figure, (followed, exponents)


def _bits(chances: Shares, shares: Shares, inside: Counts) -> Floats:
    """The mean over the candidates of the bits that these chances leak, for each card dealt."""
    possible = (chances > 0) & (shares > 0)
    bits = np.log2(np.where(possible, chances, 1.0) * inside[:, None])
    mean: Floats = np.where(possible, shares * bits, 0.0).sum(axis=1)
    return mean


def _gain_of_twice(followed: Followed, followers: int) -> float:
    """The bits that twice the simulations add to a mixture with the logit, half and half.

    One half of the simulations may be lucky: the mean over all ways to choose a half counts.
    """
    could = Candidates(followed.could.cards[followed.deals], followed.could.shares[followed.deals])
    rows = np.arange(len(could.cards))[:, None]
    inside = (followed.logit > 0).sum(axis=1)[:, None]
    weighed = followed.logit[rows, could.cards] * inside

    def mixed(guesses: Sequence[Floats]) -> float:
        mixture = (np.mean(guesses, axis=0) + weighed) / 2
        return float(could.mean(np.log2(np.maximum(mixture, 1e-30))).mean())

    halves = [mixed(half) for half in combinations(followed.each, followers // 2)]
    return mixed(followed.each) - float(np.mean(halves))
