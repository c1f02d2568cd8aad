"""The predictions of a card counter with a computer, given every card dealt and returned.

The counter knows how the machine works. For each card inside, it uses three numbers: the cards
dealt since this card came back; the cards inside that came back between the last dealt card and
this one (a bin keeps its order, so cards returned soon after the last dealt card are likely to
follow it); and the number of successive cards that were such followers. The reference machine gives
the chance of a card, given these three. This is the best predictor that we could build, and so a
lower bound of the best possible one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy.special import stdtr

from rng_certification.base.compiled import Counts, Decks, Floats, compiled
from rng_certification.base.finding import Finding, NormalPower
from rng_certification.continuous.blackjack import TEN, VALUES, tens_of, value_chances, worth
from rng_certification.continuous.kept_laws import Arrays, kept
from rng_certification.continuous.law import BATCH, REFERENCE_SEED
from rng_certification.continuous.reference import ReferenceMachine, Settings
from rng_certification.continuous.steps import CARD_MASK, DEALT, FED, ROUND, STEP_SHIFT, Steps
from rng_certification.continuous.tally import WARM_UP_PACKS, first_fed_after

LEARNED_CARDS = 48 * BATCH  # and the same number again to measure the result of learning
MOST_WATCHED = 48 * BATCH
PLACES = 3  # in a round: player, dealer, player
RUNS = 24
SMOOTHED_BY = 2000.0  # exposures: a rare situation counts as the same in a run of any length
SPREAD = 10  # units wagered if the prediction favours the player; otherwise one
HOUSE_EDGE = 0.005  # percent, of the game without counting, typical of many rules
_AGES = (0, 1, 2, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768)
_FOLLOWS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192)
_LONGEST = 2048
# Indices of the counter's state in `now`.
_DEALT, _FED_NUMBER, _INSIDE, _LAST_FED, _RUN, _PLACE = range(6)
# Indices of the observations in `sums`.
CARDS, BITS, BITS_IDEAL, BITS_OF_VALUE, ROUNDS = range(5)


def _classes(starts: Sequence[int], shift: int) -> Counts:
    """Return the class of each number up to the longest; all below `shift` are in the first."""
    numbers = np.arange(_LONGEST) - shift
    return np.maximum(np.searchsorted(np.array(starts), numbers, side="right") - 1, 0)


@compiled
def _watch(
    steps: Steps,
    learning: bool,
    warm_up: int,
    chute: int,
    ages: Counts,
    follows: Counts,
    values: Counts,
    now: Counts,
    fed_when: Counts,
    fed_number: Counts,
    order: Decks,
    before: Decks,
    hits: Floats,
    exposures: Floats,
    weights: Floats,
    sums: Floats,
    likely: Floats,
    dealt_values: Counts,
) -> None:
    """Learn `hits` and `exposures`, or predict by `weights`, [place in the round or next, ...].

    Row 0 is the next card, rows 1 to 3 the first cards of a round at its start. For each predicted
    round, `likely` gets the chances of the values, for the machine and for an ideal one, and
    `dealt_values` the dealt values.
    """
    inside_before = later_before = dealt_before = run_before = 0
    last = _LONGEST - 1
    by_value = np.zeros(VALUES)
    for step in steps:
        kind, card = step >> STEP_SHIFT, np.int64(step & CARD_MASK)
        if kind == FED:
            fed_when[card] = now[_DEALT]
            fed_number[card] = now[_FED_NUMBER]
            order[now[_INSIDE]] = card
            now[_FED_NUMBER] += 1
            now[_INSIDE] += 1
            continue
        if kind != ROUND and kind != DEALT:
            continue
        inside = now[_INSIDE]
        later = first_fed_after(order, inside, fed_number, now[_LAST_FED])
        run = min(now[_RUN], RUNS - 1)
        ready = now[_DEALT] >= warm_up
        if kind == ROUND:
            now[_PLACE] = 0
            if not ready:
                continue
            inside_before, later_before, run_before = inside, later, run
            dealt_before = now[_DEALT]
            for i in range(inside):
                before[i] = order[i]
            if not learning:
                number = int(sums[ROUNDS])
                for place in range(PLACES):
                    total = fair = 0.0
                    for i in range(inside):
                        one = order[i]
                        age = min(now[_DEALT] - fed_when[one], last)
                        follow = min(i - later + 1, last) if i >= later else 0
                        weight = weights[1 + place, run, follows[follow], ages[age]]
                        likely[number, 0, place, values[one]] += weight
                        total += weight
                        if age > chute:
                            likely[number, 1, place, values[one]] += 1
                            fair += 1
                    for value in range(VALUES):
                        likely[number, 0, place, value] /= total
                        likely[number, 1, place, value] /= fair
                sums[ROUNDS] += 1
            continue
        place = first_fed_after(order, inside, fed_number, fed_number[card] - 1)
        follow_dealt = place - later + 1 if place >= later else 0
        if ready and learning:
            for i in range(inside):
                age = min(now[_DEALT] - fed_when[order[i]], last)
                follow = min(i - later + 1, last) if i >= later else 0
                exposures[run, follows[follow], ages[age]] += 1
            age = min(now[_DEALT] - fed_when[card], last)
            hits[0, run, follows[min(follow_dealt, last)], ages[age]] += 1
        elif ready:
            total = fair = 0.0
            by_value[:] = 0
            for i in range(inside):
                one = order[i]
                age = min(now[_DEALT] - fed_when[one], last)
                follow = min(i - later + 1, last) if i >= later else 0
                weight = weights[0, run, follows[follow], ages[age]]
                by_value[values[one]] += weight
                total += weight
                fair += age > chute
            age = min(now[_DEALT] - fed_when[card], last)
            weight = weights[0, run, follows[min(follow_dealt, last)], ages[age]]
            sums[CARDS] += 1
            sums[BITS] += np.log2(weight / total * inside)
            sums[BITS_IDEAL] += np.log2(inside / fair)
            share = 0.0
            for i in range(inside):
                share += values[order[i]] == values[card]
            sums[BITS_OF_VALUE] += np.log2(by_value[values[card]] / total * inside / share)
        if ready and now[_PLACE] < PLACES and inside_before > 0:
            if learning:
                found = first_fed_after(before, inside_before, fed_number, fed_number[card] - 1)
                follow = found - later_before + 1 if found >= later_before else 0
                age = min(dealt_before - fed_when[card], last)
                hits[1 + now[_PLACE], run_before, follows[min(follow, last)], ages[age]] += 1
            elif sums[ROUNDS] > 0:
                dealt_values[int(sums[ROUNDS]) - 1, now[_PLACE]] = values[card]
        now[_PLACE] += 1
        now[_RUN] = now[_RUN] + 1 if follow_dealt else 1
        now[_LAST_FED] = fed_number[card]
        now[_INSIDE] -= 1
        for i in range(place, now[_INSIDE]):
            order[i] = order[i + 1]
        now[_DEALT] += 1


class WatchedMachine(Protocol):
    """The properties of a machine that a card counter needs."""

    @property
    def pack(self) -> int: ...

    @property
    def chute_low(self) -> int: ...


class Counter:
    """Watches a history; learns from it, or predicts by the weights that another learned."""

    def __init__(self, settings: WatchedMachine, weights: Floats | None = None) -> None:
        pack = settings.pack
        self.tens = tens_of(pack)
        ranks = 9 + self.tens
        self._chute = settings.chute_low
        self._warm_up = WARM_UP_PACKS * pack
        self._ages = _classes(_AGES, settings.chute_low)
        self._follows = _classes(_FOLLOWS, 0)
        self._values = np.minimum(np.arange(pack) % ranks, TEN)
        self._now = np.zeros(6, dtype=np.int64)
        self._fed_when = np.zeros(pack, dtype=np.int64)
        self._fed_number = np.zeros(pack, dtype=np.int64)
        self._order = np.zeros(pack + 1, dtype=np.uint16)
        self._before = np.zeros(pack + 1, dtype=np.uint16)
        shape = (RUNS, len(_FOLLOWS), len(_AGES))
        self._learning = weights is None
        self._hits = np.zeros((1 + PLACES, *shape))
        self._exposures = np.zeros(shape)
        self._weights = np.zeros((1 + PLACES, *shape)) if weights is None else weights
        self.sums = np.zeros(5)

    @property
    def dealt(self) -> int:
        return int(self._now[_DEALT])

    def feed(self, steps: Steps) -> tuple[Floats, Counts]:
        """Return the predicted chances of each round's first cards, and the dealt cards."""
        rounds = int(np.count_nonzero(steps >> np.uint32(STEP_SHIFT) == ROUND))
        likely = np.zeros((rounds, 2, PLACES, VALUES))
        dealt = np.full((rounds, PLACES), -1, dtype=np.int64)
        self.sums[ROUNDS] = 0
        _watch(
            steps,
            self._learning,
            self._warm_up,
            self._chute,
            self._ages,
            self._follows,
            self._values,
            self._now,
            self._fed_when,
            self._fed_number,
            self._order,
            self._before,
            self._hits,
            self._exposures,
            self._weights,
            self.sums,
            likely,
            dealt,
        )
        predicted = int(self.sums[ROUNDS])
        return likely[:predicted], dealt[:predicted]

    def learned(self) -> Floats:
        """Return the chance of a card by situation; rare situations use those of common ones."""
        exposed = self._exposures.sum(axis=0)
        usual = (self._hits.sum(axis=1) + 0.01) / (exposed + 1)
        weights: Floats = self._hits + SMOOTHED_BY * usual[:, None]
        return weights / (self._exposures + SMOOTHED_BY)


def house_edge_against(edges: Floats) -> float:
    """The house edge against a player who stakes SPREAD units on a favourable prediction.

    `edges`: the change of the player's expectation by each round's prediction.
    """
    units = np.where(edges > HOUSE_EDGE, SPREAD, 1)
    return float(np.sum(units * (HOUSE_EDGE - edges)) / np.sum(units))


@dataclass(frozen=True)
class Prediction:
    """Predictability in bits for each card, its error, and its worth at a table."""

    cards: int
    bits: float
    bits_ideal: float
    bits_of_value: float
    edges: Floats  # for each round, the change of the player's expectation by the prediction
    edges_ideal: Floats
    came: Floats  # the worth of the dealt cards

    def house_edge(self, edges: Floats) -> float:
        return house_edge_against(edges)

    def realised(self) -> tuple[float, float]:
        """The house edge by the dealt cards, with its standard error."""
        units = np.where(self.edges > HOUSE_EDGE, SPREAD, 1)
        lost = units * (HOUSE_EDGE - self.came)
        error = float(np.std(lost) / np.sqrt(len(lost)) / np.mean(units))
        return float(np.sum(lost) / np.sum(units)), error


def predict(settings: WatchedMachine, weights: Floats, histories: Sequence[Steps]) -> Prediction:
    counter = Counter(settings, weights)
    chances, values = np.array(value_chances(counter.tens)), worth(counter.tens)
    edges, ideal, came = [], [], []
    for steps in histories:
        likely, dealt = counter.feed(steps)
        whole = (dealt >= 0).all(axis=1)
        worthy = np.einsum("rmpv,pv->rm", likely[whole] - chances, values)
        edges.append(worthy[:, 0])
        ideal.append(worthy[:, 1])
        came.append(sum(values[place][dealt[whole, place]] for place in range(PLACES)))
    sums = counter.sums
    cards = max(int(sums[CARDS]), 1)
    return Prediction(
        int(sums[CARDS]),
        float(sums[BITS]) / cards,
        float(sums[BITS_IDEAL]) / cards,
        float(sums[BITS_OF_VALUE]) / cards,
        np.concatenate(edges),
        np.concatenate(ideal),
        np.concatenate(came),
    )


@dataclass(frozen=True)
class LearnedWeights:
    """The weights that a counter learns from the reference machine, and the bits they predict."""

    weights: Floats
    bits: Floats  # per card, batch by batch
    cards: int


@lru_cache(maxsize=4)
def learn(
    settings: Settings,
    lengths: tuple[int, ...],
    cards: int = LEARNED_CARDS,
    seed: int = REFERENCE_SEED,
) -> LearnedWeights:
    """Learn from one history of the reference machine, and measure on another."""
    about = (settings, lengths, cards, seed)
    found = kept("counter", about, lambda: _taught(settings, lengths, cards, seed))
    return LearnedWeights(found["weights"], found["bits"], int(found["cards"]))


def _taught(settings: Settings, lengths: tuple[int, ...], cards: int, seed: int) -> Arrays:
    machine = ReferenceMachine(settings, lengths, seed + 1)
    pupil = Counter(settings)
    while pupil.dealt < cards:
        pupil.feed(machine.steps(BATCH))
    weights = pupil.learned()
    machine = ReferenceMachine(settings, lengths, seed + 2)
    counter = Counter(settings, weights)
    bits, seen_cards = [], 0
    while counter.dealt < cards:
        begun = counter.sums.copy()
        counter.feed(machine.steps(BATCH))
        seen = counter.sums - begun
        if seen[CARDS] > BATCH // 2:
            bits.append(seen[BITS] / seen[CARDS])
            seen_cards += int(seen[CARDS])
    return {"weights": weights, "bits": np.array(bits), "cards": np.array(seen_cards)}


def matches_law(known: LearnedWeights, prediction: Prediction) -> Finding:
    """Test that a history is as predictable as the machine's law implies."""
    batches = len(known.bits)
    a_card = float(np.var(known.bits, ddof=1)) * known.cards / batches
    error = np.sqrt(a_card * (1 / prediction.cards + 1 / known.cards))
    z = (prediction.bits - float(known.bits.mean())) / error
    p = 2 * float(stdtr(batches - 1, -abs(z)))
    power = NormalPower(float(error), "excess predictable bits per card")
    return Finding("counter/law", prediction.cards, "cards", p, float(z), power=power)
