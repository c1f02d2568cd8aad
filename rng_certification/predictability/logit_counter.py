"""A counter with weighted observations: a conditional logit on waiting times and neighbours.

For each card inside it uses: the time since its return; the number of older cards inside, and of
younger ones that have already left; its place behind the last dealt cards, and the length of their
run; and the fate of the cards that were returned right before and right after it. In addition,
every dealt card leaves a trace on all cards that were returned after it, because one of them is
behind it in its bin. The trace is larger if fewer cards are between them, and fades with time. Each
of these has a weight by its class; a card's chance is the product of its weights divided by the sum
over all cards inside. The weights are learned from a simulated machine, batch by batch, and
averaged over the second half of the learning.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rng_certification.base.compiled import Counts, Decks, Floats, compiled
from rng_certification.continuous.steps import CARD_MASK, DEALT, FED, STEP_SHIFT, Steps
from rng_certification.continuous.tally import WARM_UP_PACKS, first_fed_after
from rng_certification.predictability.candidates import NOT_INSIDE, Candidates, Shares, came
from rng_certification.predictability.carousel import CarouselLaw
from rng_certification.predictability.ear import HINTS, Hints

BATCH_CARDS = 512  # cards in a learning step
_PRIOR = 4.0  # prior cards of a class, assumed as likely as expected
_RATE, _SLOWED = 0.5, 24.0  # step size of a weight for a batch; halved after this many batches
_RUNS = 16
_LONGEST = 4096
_REMEMBERED = 8192  # returns: the fate of a card that was returned longer ago is not used
_AGES = (*range(24), *(24 + 4 * i for i in range(10)), *(int(64 * 1.15**i) for i in range(30)))
_FOLLOWS = (*range(13), 14, 16, 18, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256)
_RANKS = (*range(12), *(int(12 * 1.2**i) for i in range(1, 20)))
_LEFT = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256)
_INSIDE, _NONE = len(_LEFT), len(_LEFT) + 1
_NEIGHBOUR = len(_LEFT) + 2
# Traces that dealt cards leave on those returned after them: their duration, in deals for each bin;
# the resolution of each; the classes.
_LASTING = (0.5, 1.0, 3.0)
_MARKED = (4.5, 3.0, 1.2)
_MARKS = 40
_SIZES = (
    len(_AGES),
    _RUNS * len(_FOLLOWS),
    len(_FOLLOWS),
    len(_FOLLOWS),
    _NEIGHBOUR,
    _NEIGHBOUR,
    len(_RANKS),
    len(_AGES),
    *(_MARKS for _ in _LASTING),
    HINTS,
)
_KINDS = len(_SIZES)
_STARTS = np.concatenate(([0], np.cumsum(_SIZES)))
NO_HINTS: Hints = np.zeros((0, 1), dtype=np.uint8)
NO_DEALS: Counts = np.zeros(0, dtype=np.int64)
# Indices of the counter's state in `now`.
_DEALT, _FEDS, _HELD, _RUN, _LAST, _SECOND, _THIRD = range(7)


def _classes(starts: Sequence[int], shift: int = 0) -> Counts:
    numbers = np.arange(_LONGEST) - shift
    return np.maximum(np.searchsorted(np.array(starts), numbers, side="right") - 1, 0)


@compiled
def _neighbour(left_when: Counts, number: int, feeds: int, dealt: int, lefts: Counts) -> int:
    if number < 0 or number >= feeds or feeds - number >= len(left_when):
        return _NONE
    left = left_when[number & (_REMEMBERED - 1)]
    return _INSIDE if left < 0 else lefts[min(dealt - left, len(lefts) - 1)]


@compiled
def _seen(
    now: Counts, order: Decks, fed_when: Counts, fed_number: Counts, left_when: Counts,
    ages: Counts, follows: Counts, lefts: Counts, ranks: Counts, passed: Counts, starts: Counts,
    traces: Floats, hints: Hints, found: Decks,
) -> None:  # fmt: skip
    """Return the classes of every card inside, one row each."""
    inside, feeds, dealt = now[_HELD], now[_FEDS], now[_DEALT]
    later = first_fed_after(order, inside, fed_number, now[_LAST])
    second = first_fed_after(order, inside, fed_number, now[_SECOND])
    third = first_fed_after(order, inside, fed_number, now[_THIRD])
    run = min(now[_RUN], _RUNS - 1)
    last = len(ages) - 1
    for i in range(inside):
        card = order[i]
        number = fed_number[card]
        follow = min(i - later + 1, last) if i >= later else 0
        behind = min(i - second + 1, last) if i >= second else 0
        beyond = min(i - third + 1, last) if i >= third else 0
        young_gone = feeds - 1 - number - (inside - 1 - i)
        found[i, 0] = ages[min(dealt - fed_when[card], last)]
        found[i, 1] = starts[1] + run * (starts[3] - starts[2]) + follows[follow]
        found[i, 2] = starts[2] + follows[behind]
        found[i, 3] = starts[3] + follows[beyond]
        found[i, 4] = starts[4] + _neighbour(left_when, number - 1, feeds, dealt, lefts)
        found[i, 5] = starts[5] + _neighbour(left_when, number + 1, feeds, dealt, lefts)
        found[i, 6] = starts[6] + ranks[min(i, last)]
        found[i, 7] = starts[7] + passed[min(young_gone, last)]
        for t in range(len(_MARKED)):
            mark = min(int(_MARKED[t] * traces[t, card]), _MARKS - 1)
            found[i, 8 + t] = starts[8 + t] + mark
        found[i, 11] = starts[11] + (hints[dealt, card] if dealt < len(hints) else 0)


@compiled
def _count(
    steps: Steps, learning: bool, learned_from: int, warm_up: int, batch: int, prior: float,
    rate: float, slowed: float, now: Counts, order: Decks, fed_when: Counts, fed_number: Counts,
    left_when: Counts, ages: Counts, follows: Counts, lefts: Counts, ranks: Counts,
    passed: Counts, starts: Counts, traces: Floats, fading: Floats, nearer: Floats,
    weights: Floats, hits: Floats, expected: Floats, begins: Floats, averages: Floats,
    averaged: Floats, sums: Floats, hints: Hints, cards: Decks, shares: Shares, leaked: Floats,
    asked: Counts, chances: Shares,
) -> int:  # fmt: skip
    """Learn weights (logarithms), or score; return the number of scored cards.

    `cards` and `shares` have a row of candidates for each card dealt; `leaked` receives their bits.
    `asked` has the numbers of the deals before which `chances` receives a row: the chance of each
    card of the pack to be the next.
    """
    found = np.zeros((len(order), _KINDS), dtype=np.uint16)
    likely = np.zeros(len(order))
    scored = 0
    row = -1
    answered = 0
    for step in steps:
        kind, card = step >> STEP_SHIFT, np.int64(step & CARD_MASK)
        if kind == FED:
            fed_when[card] = now[_DEALT]
            fed_number[card] = now[_FEDS]
            left_when[now[_FEDS] & (_REMEMBERED - 1)] = -1
            traces[:, card] = 0.0
            order[now[_HELD]] = card
            now[_FEDS] += 1
            now[_HELD] += 1
            continue
        if kind != DEALT:
            continue
        row += 1
        inside = now[_HELD]
        place = first_fed_after(order, inside, fed_number, fed_number[card] - 1)
        if now[_DEALT] >= warm_up:
            _seen(now, order, fed_when, fed_number, left_when, ages, follows, lefts, ranks,
                  passed, starts, traces, hints, found)  # fmt: skip
            total = 0.0
            for i in range(inside):
                weight = 0.0
                for k in range(_KINDS):
                    weight += weights[found[i, k]]
                likely[i] = np.exp(weight)
                total += likely[i]
            if learning:
                for i in range(inside):
                    share = likely[i] / total
                    for k in range(_KINDS):
                        expected[found[i, k]] += share
                for c in range(cards.shape[1]):
                    if shares[row, c] > 0:
                        one = fed_number[cards[row, c]]
                        i = first_fed_after(order, inside, fed_number, one - 1)
                        for k in range(_KINDS):
                            hits[found[i, k]] += shares[row, c]
                sums[0] += 1
                if sums[0] % batch == 0:
                    sums[1] += 1
                    pace = rate / (1 + sums[1] / slowed)
                    for j in range(learned_from, len(weights)):
                        ratio = (hits[j] + prior) / (expected[j] + prior)
                        weights[j] += pace * np.log(ratio)
                        hits[j] = expected[j] = 0.0
                    for a in range(len(begins)):
                        if sums[1] > begins[a]:
                            averaged[a] += 1
                            for j in range(len(weights)):
                                averages[a, j] += (weights[j] - averages[a, j]) / averaged[a]
            else:
                for c in range(cards.shape[1]):
                    if shares[row, c] > 0:
                        one = fed_number[cards[row, c]]
                        i = first_fed_after(order, inside, fed_number, one - 1)
                        there = i < inside and order[i] == cards[row, c]
                        leaked[scored, c] = (
                            np.log2(likely[i] / total * inside) if there else NOT_INSIDE
                        )
                if answered < len(asked) and asked[answered] == row:
                    for i in range(inside):
                        chances[answered, order[i]] = likely[i] / total
                    answered += 1
                scored += 1
        later = first_fed_after(order, inside, fed_number, now[_LAST])
        now[_RUN] = now[_RUN] + 1 if place >= later else 1
        now[_THIRD] = now[_SECOND]
        now[_SECOND] = now[_LAST]
        now[_LAST] = fed_number[card]
        left_when[fed_number[card] & (_REMEMBERED - 1)] = now[_DEALT]
        now[_HELD] -= 1
        for i in range(place, now[_HELD]):
            order[i] = order[i + 1]
        # All traces fade, also those of cards outside, which begin again at their return: this is
        # faster.
        for t in range(len(fading)):
            for one in range(traces.shape[1]):
                traces[t, one] *= fading[t]
            for i in range(place, now[_HELD]):
                traces[t, order[i]] += nearer[i - place]
        now[_DEALT] += 1
    return scored


def weights_of_ideal(chute_low: int) -> Floats:
    """The weights for an ideal machine: all cards alike except those too recent to come."""
    weights: Floats = np.zeros(int(_STARTS[-1]))
    weights[: int(_classes(_AGES)[chute_low]) + 1] = NOT_INSIDE
    return weights


class LogitCounter:
    """Watches a history; learns from one, or scores another with the learned weights.

    `stops` are the numbers of cards after which the weights can be read; the second half before
    each counts. With `begun`, the weights of a counter without hearing, it learns only the worth of
    hints.
    """

    def __init__(
        self,
        law: CarouselLaw,
        *stops: int,
        weights: Floats | None = None,
        begun: Floats | None = None,
    ) -> None:
        pack = law.pack
        self._learning = weights is None
        self._warm_up = WARM_UP_PACKS * pack
        self._pack = pack
        self._ages = _classes(_AGES)
        self._follows, self._ranks = _classes(_FOLLOWS), _classes(_RANKS)
        self._lefts = _classes(_LEFT)
        self._now = np.zeros(7, dtype=np.int64)
        self._order = np.zeros(pack + 1, dtype=np.uint16)
        self._fed_when = np.zeros(pack, dtype=np.int64)
        self._fed_number = np.zeros(pack, dtype=np.int64)
        self._left_when = np.zeros(_REMEMBERED, dtype=np.int64)
        self._traces = np.zeros((len(_LASTING), pack))
        self._fading = np.exp(-1 / (law.bins * np.array(_LASTING)))
        self._nearer = np.exp(-np.arange(pack + 1) / law.bins)
        number = int(_STARTS[-1])
        if weights is not None:
            self._weights = weights
        else:
            self._weights = np.zeros(number) if begun is None else begun.copy()
        self._learned_from = 0 if begun is None else int(_STARTS[-2])
        self._hits, self._expected = np.zeros(number), np.zeros(number)
        self._begins = np.array(stops) / BATCH_CARDS / 2
        self._averages, self._averaged = np.zeros((len(stops), number)), np.zeros(len(stops))
        self._sums = np.zeros(2)  # learned cards and batches

    @property
    def dealt(self) -> int:
        return int(self._now[_DEALT])

    def feed(
        self, steps: Steps, hints: Hints = NO_HINTS, candidates: Candidates | None = None
    ) -> Floats:
        """Return the bits leaked of each scored card; an empty array while learning.

        `hints` has a row for each dealt card from the first on, and needs a complete history.
        """
        candidates = candidates or came(steps)
        return candidates.mean(self.bits_leaked(steps, hints, candidates))

    def bits_leaked(self, steps: Steps, hints: Hints, candidates: Candidates) -> Floats:
        """Return the bits by candidate, with a row for each scored card: the last cards dealt."""
        return self.scored(steps, hints, candidates, NO_DEALS)[0]

    def scored(
        self, steps: Steps, hints: Hints, candidates: Candidates, asked: Counts
    ) -> tuple[Floats, Shares]:
        """Return `bits_leaked`, and the chance of each card of the pack before the deals `asked`.

        `asked` has rising numbers of deals in these steps, all after the warm-up.
        """
        rows = 0 if self._learning else len(candidates.cards)
        leaked = np.zeros((rows, candidates.cards.shape[1]))
        chances = np.zeros((len(asked), self._pack), dtype=np.float32)
        scored = _count(
            steps, self._learning, self._learned_from, self._warm_up, BATCH_CARDS, _PRIOR, _RATE,
            _SLOWED, self._now, self._order, self._fed_when, self._fed_number, self._left_when,
            self._ages, self._follows, self._lefts, self._ranks, self._ages, _STARTS, self._traces,
            self._fading, self._nearer, self._weights, self._hits, self._expected, self._begins,
            self._averages, self._averaged, self._sums, hints, candidates.cards,
            candidates.shares, leaked, asked, chances,
        )  # fmt: skip
        return leaked[:scored], chances

    def learned(self, stop: int = -1) -> Floats:
        """Return the weights at one of the stops, by its index, after that stop is reached."""
        if not self._averaged[stop]:
            return self._weights.copy()
        weights: Floats = self._averages[stop].copy()
        return weights
