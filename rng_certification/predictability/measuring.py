"""How many bits the strongest counter and the ear are told of a machine's next card.

Every figure is a lower bound, by what was built. It counts only where twice the data would not
have told noticeably more; whether the counters are any good is `gauge.py`'s question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from rng_certification.base.compiled import Counts, Floats
from rng_certification.continuous.counter import (
    BITS,
    BITS_IDEAL,
    CARDS,
    Counter,
    house_edge_against,
    predict,
)
from rng_certification.continuous.steps import Steps
from rng_certification.predictability.candidates import Candidates, MachineInterior
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.ear import (
    Hearing,
    Hints,
    Sound,
    direction_bits,
    heard,
    listen,
    share_heard_right,
    turns_of,
)
from rng_certification.predictability.logit_counter import NO_HINTS, LogitCounter
from rng_certification.predictability.particles import ParticleCounter
from rng_certification.predictability.pupil import Pupil

WELL_KNOWN = 1.0  # bits from which on the worth of a prediction is reckoned by three cards
MOST_GAIN = 0.005  # bits that twice the data may add to a figure that counts
TABLE, LOGIT, TOGETHER = "table", "logit", "particles and logit"
EAR = "ear"
WHAT = {
    TABLE: "goes by waiting time, place behind the last card and length of the run",
    LOGIT: "weighs waiting times and neighbours",
    TOGETHER: "simulates the machine with many guesses, and mixes that with the logit",
}
_PIECE = 16_384
UNKNOWN = 99.0  # the error of a mean of too few cards, in bits: any limit is missed
_STRETCH = 128  # cards that may depend on each other: errors are those of stretches

Progress = Callable[[str], None]


def silently(step: str) -> None:
    """Progress that nobody sees."""


@dataclass(frozen=True)
class Effort:
    """How many cards are learned from, scored, followed by guesses, and listened to; and how many
    simulations follow them, with guesses of their own: one alone may lose its way for hundreds."""

    learned: int
    scored: int
    followed: int
    listened: int
    followers: int = 8

    @property
    def stops(self) -> tuple[int, int]:
        """Cards after which a pupil is asked: half of them tells whether more would tell more."""
        return self.learned // 2, self.learned

    @staticmethod
    def of(learned: int) -> Effort:
        followers = 2 if learned <= QUICK else 8
        return Effort(learned, learned // 4, learned // 128, learned // 13, followers)


# Cards learned from: in a campaign, in a laboratory's, and for a first answer.
ORDINARY, LABORATORY, QUICK = 400_000, 1_600_000, 60_000


@dataclass(frozen=True)
class Figure:
    """Bits told of the next card, by one counter."""

    counter: str
    bits: float
    error: float  # half of the 95 % interval
    cards: int
    gain: float | None  # by which twice the data raised it; None where nothing was learned
    house_edge: float | None = None  # against a player who wagers by it

    @property
    def upper(self) -> float:
        """What is no number is above every limit."""
        upper = self.bits + self.error
        return upper if np.isfinite(upper) else UNKNOWN

    @property
    def counts(self) -> bool:
        """Whether more data would not have told more."""
        return self.gain is None or self.gain < MOST_GAIN


@dataclass(frozen=True)
class MachineLeakage:
    """Bits of the next card that a machine leaks: to each counter, and to a listener."""

    law: CarouselLaw
    ideal: float
    counters: tuple[Figure, ...]
    ear: Figure

    @property
    def strongest(self) -> Figure:
        return max(self.counters, key=lambda figure: figure.bits)


def interval(bits: Floats) -> tuple[float, float]:
    """The mean, and half of its 95 % interval; neighbours may depend on each other."""
    stretches = len(bits) // _STRETCH
    if stretches < 2:
        return float(bits.mean()), UNKNOWN
    means = bits[: stretches * _STRETCH].reshape(stretches, _STRETCH).mean(axis=1)
    return float(bits.mean()), 1.96 * float(means.std(ddof=1) / np.sqrt(stretches))


def measured(
    law: CarouselLaw,
    sound: Sound,
    hearing: Hearing,
    effort: Effort,
    seed: int = 1,
    lengths: tuple[int, ...] = (),
    progress: Progress = silently,
    pupil: Pupil | None = None,
) -> MachineLeakage:
    """Everything that is measured of one machine with one pack. A `pupil` of that machine who was
    asked before, with the same seed, goes on from there."""
    seen = History(law, seed + 1, lengths, effort.scored)
    counters = []
    if TABLE in counters_for(law):
        progress("the counter who goes by a table")
        counters.append(table_figure(law, effort, seed, lengths, seen))
    progress("the counter who weighs waiting times and neighbours")
    pupil = pupil or Pupil(law, seed, lengths, *effort.stops)
    logit, weights = logit_figure(pupil, effort, seen)
    counters.append(logit)
    if TOGETHER in counters_for(law):
        progress("the counter who simulates the machine")
        counters.append(particle_figure(law, effort, seed, lengths, logit, weights))
    strongest = max(counters, key=lambda figure: figure.bits)
    if sound.hidden:
        most = direction_bits(sound.legs, share_heard_right(sound, hearing))
        # What a bound is worth in money nobody knows.
        ear = replace(strongest, counter=EAR, bits=strongest.bits + most, gain=None,
                      house_edge=None)  # fmt: skip
        return MachineLeakage(law, seen.ideal, tuple(counters), ear)
    progress("the ear")
    ear = ear_figure(law, sound, hearing, effort, seed, lengths, weights)
    if strongest.bits > ear.bits:  # who hears also counts: he is told no less
        ear = replace(strongest, counter=EAR, house_edge=ear.house_edge)
    return MachineLeakage(law, seen.ideal, tuple(counters), ear)


def counters_for(law: CarouselLaw) -> tuple[str, ...]:
    """Those that are good for such a machine, as `gauge.py` holds them to.

    By a table of three things weights are hardly seen; guesses follow cards that come out singly,
    of bins in which one can lie behind another.
    """
    table = () if law.weighted else (TABLE,)
    guesses = (TOGETHER,) if law.one_by_one and law.capacity > 1 else ()
    return (*table, LOGIT, *guesses)


def logit_bits(law: CarouselLaw, effort: Effort, seed: int = 1) -> float:
    """A first answer: what the counter is told who weighs waiting times and neighbours."""
    return first_bits(Pupil(law, seed, (), effort.learned), effort)


def first_bits(pupil: Pupil, effort: Effort) -> float:
    """The same, of a pupil who may go on."""
    weights = pupil.learned_from(effort.learned)
    seen = History(pupil.law, pupil.seed + 1, pupil.lengths, effort.scored)
    counter = LogitCounter(pupil.law, weights=weights)
    return float(counter.feed(seen.steps, NO_HINTS, seen.could).mean())


class History:
    """A history that counters are scored on, and what an ideal machine would have told of it."""

    def __init__(self, law: CarouselLaw, seed: int, lengths: tuple[int, ...], cards: int) -> None:
        self.steps: Steps = SimulatedCarousel(law, seed, lengths).steps(cards + 8 * law.pack)
        self.could: Candidates = MachineInterior(law).candidates(self.steps)
        watcher = Counter(law, np.ones_like(Counter(law).learned()))
        watcher.feed(self.steps)
        self.ideal = float(watcher.sums[BITS_IDEAL] / watcher.sums[CARDS])


def table_figure(
    law: CarouselLaw, effort: Effort, seed: int, lengths: tuple[int, ...], seen: History
) -> Figure:
    machine, pupil = SimulatedCarousel(law, seed, lengths), Counter(law)
    while pupil.dealt < effort.learned // 2:
        pupil.feed(machine.steps(_PIECE))
    half = _table_bits(law, pupil.learned(), seen)
    while pupil.dealt < effort.learned:
        pupil.feed(machine.steps(_PIECE))
    weights = pupil.learned()
    bits = _table_bits(law, weights, seen)
    prediction = predict(law, weights, [seen.steps])
    mean, error = interval(bits)
    # Where he knows little, what he takes for knowledge of three cards is mostly chance.
    edge = prediction.house_edge(prediction.edges) if mean > WELL_KNOWN else None
    return Figure(TABLE, mean, error, len(bits), mean - float(half.mean()), edge)


def _table_bits(law: CarouselLaw, weights: Floats, seen: History) -> Floats:
    """In stretches: this counter only keeps sums."""
    counter = Counter(law, weights)
    means = []
    for part in np.array_split(seen.steps, max(len(seen.steps) // (3 * _STRETCH), 1)):
        before = counter.sums.copy()
        counter.feed(part)
        now = counter.sums - before
        if now[CARDS]:
            means += [now[BITS] / now[CARDS]] * int(now[CARDS])
    return np.array(means)


def logit_figure(pupil: Pupil, effort: Effort, seen: History) -> tuple[Figure, Floats]:
    """Return the bits that a counter with learned weights predicts, and those weights."""
    half, whole = effort.stops
    of_half, weights = pupil.learned_from(half), pupil.learned_from(whole)
    counter = LogitCounter(pupil.law, weights=weights)
    bits = counter.feed(seen.steps, NO_HINTS, seen.could)
    by_half = LogitCounter(pupil.law, weights=of_half).feed(seen.steps, NO_HINTS, seen.could)
    mean, error = interval(bits)
    edge = house_edge_against(counter.edges)
    return Figure(LOGIT, mean, error, len(bits), mean - float(by_half.mean()), edge), weights


def particle_figure(
    law: CarouselLaw,
    effort: Effort,
    seed: int,
    lengths: tuple[int, ...],
    logit: Figure,
    weights: Floats,
) -> Figure:
    """Guesses and logit, half and half. What twice the guesses add is what twice the data does.

    Guesses take long, so fewer cards are followed than the logit was scored on: what they add to it
    is measured on those, and added to what it was told of all.
    """
    seen = History(law, seed + 2, lengths, effort.followed)
    followers = [
        2.0 ** ParticleCounter(law, seed=seed + i).bits_leaked(seen.steps, seen.could)
        for i in range(effort.followers)
    ]
    weighed = 2.0 ** LogitCounter(law, weights=weights).bits_leaked(
        seen.steps, NO_HINTS, seen.could
    )
    could = seen.could.of_the_first(len(seen.could.cards) - len(weighed) + len(followers[0]))
    weighed = weighed[: len(followers[0])]

    def added(guesses: Sequence[Floats]) -> Floats:
        mixed = (np.mean(guesses, axis=0) + weighed) / 2
        return could.mean(np.log2(mixed)) - could.mean(np.log2(weighed))

    more, error = interval(added(followers))
    # One half may be lucky: what half of them tell is the mean over all ways to choose a half.
    halves = combinations(followers, effort.followers // 2)
    by_half = float(np.mean([added(half).mean() for half in halves]))
    whole = float(np.hypot(logit.error, error))
    return Figure(TOGETHER, logit.bits + more, whole, len(weighed), more - by_half)


def ear_figure(
    law: CarouselLaw,
    sound: Sound,
    hearing: Hearing,
    effort: Effort,
    seed: int,
    lengths: tuple[int, ...],
    weights: Floats,
) -> Figure:
    """The counter who weighs waiting times and neighbours, with ears."""
    learned = SimulatedCarousel(law, seed + 3, lengths).steps(effort.listened + 8 * law.pack)
    scored = SimulatedCarousel(law, seed + 4, lengths).steps(effort.listened // 2 + 8 * law.pack)
    hints = _hints(law, learned, sound, hearing, seed + 5)
    pupil = LogitCounter(law, effort.listened, begun=weights)
    pupil.feed(learned, hints)
    counter = LogitCounter(law, weights=pupil.learned())
    bits = counter.feed(scored, _hints(law, scored, sound, hearing, seed + 6))
    mean, error = interval(bits)
    edge = house_edge_against(counter.edges)
    return Figure(EAR, mean, error, len(bits), None, edge)


def _hints(law: CarouselLaw, steps: Steps, sound: Sound, hearing: Hearing, seed: int) -> Hints:
    turns: Counts = turns_of(steps, law.bins)
    away, variances = heard(turns, law.bins, sound, hearing, np.random.default_rng(seed))
    return listen(steps, law.pack, law.bins, away, variances)
