"""The figures of a measurement of predictability: their size, their error, and their data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rng_certification.base.compiled import Floats
from rng_certification.continuous.counter import BITS_IDEAL, CARDS, Counter
from rng_certification.continuous.steps import Steps
from rng_certification.predictability.candidates import Candidates, MachineInterior
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.money import first_deals

MOST_GAIN = 0.005  # bits that twice the data may add to a figure that counts
TABLE, LOGIT, TOGETHER = "table", "logit", "particles and logit"
EAR = "ear"
WHAT = {
    TABLE: "uses waiting time, place behind the last card and length of the run",
    LOGIT: "weighs waiting times and neighbours",
    TOGETHER: "simulates the machine with many guesses, and pools them with the logit",
}
UNKNOWN = 99.0  # bits, the error of a mean of too few cards: above every limit
STRETCH = 128  # cards that may depend on each other: errors are those of stretches

Progress = Callable[[str], None]


def silently(step: str) -> None:
    """Ignore a step of progress."""


@dataclass(frozen=True)
class Effort:
    """The numbers of cards that counters learn from, are scored on, follow by simulation and hear.

    `followers` is the number of simulations: a single one may be wrong for hundreds of cards.
    """

    learned: int
    scored: int
    followed: int
    listened: int
    followers: int = 8

    @property
    def stops(self) -> tuple[int, int]:
        """The cards after which a pupil's weights are used: half of them, and all."""
        return self.learned // 2, self.learned

    @staticmethod
    def of(learned: int) -> Effort:
        followers = 2 if learned <= QUICK else 8
        return Effort(learned, learned // 4, learned // 128, learned // 13, followers)


# Learned cards: in a campaign, in a laboratory's, and for a first answer.
ORDINARY, LABORATORY, QUICK = 400_000, 1_600_000, 60_000


@dataclass(frozen=True)
class Figure:
    """The bits of the next card that one counter predicts."""

    counter: str
    bits: float
    error: float  # half of the 95 % interval
    cards: int
    gain: float | None  # bits that twice the data added; None if the counter does not learn
    house_edge: float | None = None  # against a bettor with this prediction, by true chances

    @property
    def upper(self) -> float:
        """The upper end of the interval; a figure that is not finite is above every limit."""
        upper = self.bits + self.error
        return upper if np.isfinite(upper) else UNKNOWN

    @property
    def counts(self) -> bool:
        """Whether more data adds too little to matter."""
        return self.gain is None or self.gain < MOST_GAIN


def interval(bits: Floats) -> tuple[float, float]:
    """The mean, and half of its 95 % interval; cards of one stretch may depend on each other."""
    stretches = len(bits) // STRETCH
    if stretches < 2:
        return float(bits.mean()), UNKNOWN
    means = bits[: stretches * STRETCH].reshape(stretches, STRETCH).mean(axis=1)
    return float(bits.mean()), 1.96 * float(means.std(ddof=1) / np.sqrt(stretches))


class History:
    """A history that counters are scored on, and the bits that an ideal machine would leak."""

    def __init__(self, law: CarouselLaw, seed: int, lengths: tuple[int, ...], cards: int) -> None:
        self.steps: Steps = SimulatedCarousel(law, seed, lengths).steps(cards + 8 * law.pack)
        self.could: Candidates = MachineInterior(law).candidates(self.steps)
        self.rounds = first_deals(self.steps, law.pack)
        watcher = Counter(law, np.ones_like(Counter(law).learned()))
        watcher.feed(self.steps)
        self.ideal = float(watcher.sums[BITS_IDEAL] / watcher.sums[CARDS])
