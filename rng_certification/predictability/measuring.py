"""The bits of the next card that the strongest counter and a listener learn, and their worth.

Every figure is a lower bound: a better counter may learn more. A figure counts only if twice the
data adds less than MOST_GAIN bits. `gauge.py` tests the counters themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rng_certification.base.compiled import Counts, Floats
from rng_certification.continuous.counter import BITS, CARDS, Counter
from rng_certification.continuous.steps import Steps
from rng_certification.predictability.candidates import MachineInterior, Shares, came
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
from rng_certification.predictability.figures import (
    EAR,
    LOGIT,
    STRETCH,
    TABLE,
    TOGETHER,
    Effort,
    Figure,
    History,
    Progress,
    interval,
    silently,
)
from rng_certification.predictability.followed import Followed, particle_figure
from rng_certification.predictability.games import PLACES, Game
from rng_certification.predictability.logit_counter import NO_HINTS, LogitCounter, weights_of_ideal
from rng_certification.predictability.money import (
    Gain,
    bets,
    chances_by_place,
    first_deals,
    gains,
)
from rng_certification.predictability.pool import pooled
from rng_certification.predictability.pupil import Pupil

_PIECE = 16_384
_ROUNDS = 32  # of a stretch of bets
_LEAST_STRETCHES = 8  # of the bets on followed cards
_IDEAL_CARDS = 10_000  # dealt by an ideal machine, with a small variance of the bets


@dataclass(frozen=True)
class MachineLeakage:
    """Bits of the next card that a machine leaks to each counter and to a listener; their worth.

    `gains` are for a bettor with the best counter's predictions, one for each game.
    """

    law: CarouselLaw
    ideal: float
    counters: tuple[Figure, ...]
    ear: Figure
    gains: tuple[Gain, ...] = ()

    @property
    def strongest(self) -> Figure:
        return max(self.counters, key=lambda figure: figure.bits)


def measured(
    law: CarouselLaw,
    sound: Sound,
    hearing: Hearing,
    effort: Effort,
    seed: int = 1,
    lengths: tuple[int, ...] = (),
    progress: Progress = silently,
    pupil: Pupil | None = None,
    games: Sequence[Game] = (),
) -> MachineLeakage:
    """Measure one machine with one pack: counters, listener, and the gain in each of `games`.

    A `pupil` of the same machine and seed that has learned before continues from there.
    """
    seen = History(law, seed + 1, lengths, effort.scored)
    counters = []
    if TABLE in counters_for(law):
        progress("the counter with a table")
        counters.append(table_figure(law, effort, seed, lengths, seen))
    progress("the counter that weights waiting times and neighbours")
    pupil = pupil or Pupil(law, seed, lengths, *effort.stops)
    logit, weights, next_card = logit_figure(pupil, effort, seen)
    counters.append(logit)
    followed: tuple[Followed, Floats] | None = None
    if TOGETHER in counters_for(law):
        progress("the counter that simulates the machine")
        together, followed = particle_figure(law, effort, seed, lengths, logit, weights)
        counters.append(together)
    found: tuple[Gain, ...] = ()
    if games:
        progress("the gain of a bettor")
        found = _gains(law, games, seed, lengths, seen, next_card, followed)
    strongest = max(counters, key=lambda figure: figure.bits)
    if sound.hidden:
        most = direction_bits(sound.legs, share_heard_right(sound, hearing))
        # A bound on bits has no known worth in money.
        ear = replace(strongest, counter=EAR, bits=strongest.bits + most, gain=None,
                      house_edge=None)  # fmt: skip
        return MachineLeakage(law, seen.ideal, tuple(counters), ear, found)
    progress("the ear")
    ear = ear_figure(law, sound, hearing, effort, seed, lengths, weights, games[:1])
    if strongest.bits > ear.bits:  # a listener also counts, and learns no less
        ear = replace(strongest, counter=EAR, house_edge=ear.house_edge)
    return MachineLeakage(law, seen.ideal, tuple(counters), ear, found)


def counters_for(law: CarouselLaw) -> tuple[str, ...]:
    """Return the counters that `gauge.py` requires for such a machine.

    The table hardly detects weights. Particles follow machines that eject single cards from bins
    that hold several.
    """
    table = () if law.weighted else (TABLE,)
    guesses = (TOGETHER,) if law.one_by_one and law.capacity > 1 else ()
    return (*table, LOGIT, *guesses)


def logit_bits(law: CarouselLaw, effort: Effort, seed: int = 1) -> float:
    """Return a first estimate of the bits, only by the logit counter."""
    return first_bits(Pupil(law, seed, (), effort.learned), effort)


def first_bits(pupil: Pupil, effort: Effort) -> float:
    """The same, with a pupil that may continue."""
    weights = pupil.learned_from(effort.learned)
    seen = History(pupil.law, pupil.seed + 1, pupil.lengths, effort.scored)
    counter = LogitCounter(pupil.law, weights=weights)
    return float(counter.feed(seen.steps, NO_HINTS, seen.could).mean())


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
    mean, error = interval(bits)
    return Figure(TABLE, mean, error, len(bits), mean - float(half.mean()))


def _table_bits(law: CarouselLaw, weights: Floats, seen: History) -> Floats:
    """Return the bits as means of stretches, because this counter keeps only sums."""
    counter = Counter(law, weights)
    means = []
    for part in np.array_split(seen.steps, max(len(seen.steps) // (3 * STRETCH), 1)):
        before = counter.sums.copy()
        counter.feed(part)
        now = counter.sums - before
        if now[CARDS]:
            means += [now[BITS] / now[CARDS]] * int(now[CARDS])
    return np.array(means)


def logit_figure(pupil: Pupil, effort: Effort, seen: History) -> tuple[Figure, Floats, Shares]:
    """Measure the counter with learned weights.

    Return its figure, its weights, and its chances of the first card of each round.
    """
    half, whole = effort.stops
    of_half, weights = pupil.learned_from(half), pupil.learned_from(whole)
    counter = LogitCounter(pupil.law, weights=weights)
    leaked, next_card = counter.scored(seen.steps, NO_HINTS, seen.could, seen.rounds)
    bits = seen.could.mean(leaked)
    by_half = LogitCounter(pupil.law, weights=of_half).feed(seen.steps, NO_HINTS, seen.could)
    mean, error = interval(bits)
    figure = Figure(LOGIT, mean, error, len(bits), mean - float(by_half.mean()))
    return figure, weights, next_card


def _gains(
    law: CarouselLaw,
    games: Sequence[Game],
    seed: int,
    lengths: tuple[int, ...],
    seen: History,
    next_card: Shares,
    followed: tuple[Followed, Floats] | None,
) -> tuple[Gain, ...]:
    """The gain in each game: by the logit on many rounds, and the pool's advantage on few."""
    chances, learned = chances_by_place(next_card, seen.could, seen.rounds, law.pack)
    ideal_law = CarouselLaw(law.pack, 1, law.chute_low, law.pack, "single")
    fair = History(ideal_law, seed + 5, lengths, _IDEAL_CARDS)
    counter = LogitCounter(ideal_law, weights=weights_of_ideal(law.chute_low))
    _, ideal = counter.scored(fair.steps, NO_HINTS, fair.could, fair.rounds)

    mine = bets(games, chances, seen.could, seen.rounds[learned:], _ROUNDS, seed)
    nothing = bets(games, [ideal] * PLACES, fair.could, fair.rounds, _ROUNDS, seed)
    if followed is None:
        return gains(games, mine, nothing)
    history, exponents = followed
    pool = pooled(history.predictions(), exponents)
    # Each card is taken as the first of a round: simulations follow too few rounds.
    deals = history.deals[:-PLACES]
    stretch = min(law.pack, len(deals) // _LEAST_STRETCHES)
    theirs, same = (
        bets(games, [each] * PLACES, history.could, deals, stretch, seed)
        for each in (pool, history.logit)
    )
    return gains(games, mine, nothing, (theirs, same))


def ear_figure(
    law: CarouselLaw,
    sound: Sound,
    hearing: Hearing,
    effort: Effort,
    seed: int,
    lengths: tuple[int, ...],
    weights: Floats,
    games: Sequence[Game] = (),
) -> Figure:
    """Measure the logit counter with ears, and the house edge against it in the first game."""
    learned = SimulatedCarousel(law, seed + 3, lengths).steps(effort.listened + 8 * law.pack)
    scored = SimulatedCarousel(law, seed + 4, lengths).steps(effort.listened // 2 + 8 * law.pack)
    hints = _hints(law, learned, sound, hearing, seed + 5)
    pupil = LogitCounter(law, effort.listened, begun=weights)
    pupil.feed(learned, hints)
    counter = LogitCounter(law, weights=pupil.learned())
    could, rounds = MachineInterior(law).candidates(scored), first_deals(scored, law.pack)
    heard_right = _hints(law, scored, sound, hearing, seed + 6)
    leaked, next_card = counter.scored(scored, heard_right, came(scored), rounds)
    mean, error = interval(came(scored).mean(leaked))
    edge = None
    if games:
        chances, begun = chances_by_place(next_card, could, rounds, law.pack)
        [mine] = bets(games[:1], chances, could, rounds[begun:], _ROUNDS, seed)
        edge = games[0].edge - mine.worth
    return Figure(EAR, mean, error, len(leaked), None, edge)


def _hints(law: CarouselLaw, steps: Steps, sound: Sound, hearing: Hearing, seed: int) -> Hints:
    turns: Counts = turns_of(steps, law.bins)
    away, variances = heard(turns, law.bins, sound, hearing, np.random.default_rng(seed))
    return listen(steps, law.pack, law.bins, away, variances)
