"""Counters who watch every card: one knows the cards left, one also the order of their return.

At the start of a round each estimates the value of the next one, and makes the large wager if it is
positive. The first uses the shares of the values left. The second has seen each discard go back and
has learned, from other rounds of the same machine, the chance of a card to come soon by its
distance from the last dealt card and its time inside. Both play their hands by the common table. A
better watcher may win more: their gain is a lower bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutcard.cards import RANKS
from cutcard.edge.game.card_worth import CardWorth
from cutcard.edge.simulate.drawing import Cards
from rng_certification.base.compiled import Counts, Decks, Floats, compiled

VALUES = 10
# The features of a card's chance: runs of neighbours so far, distance on either side, time inside.
_DISTANCES = (1, 2, 3, 4, 6, 9, 15, 25, 49)
_AGES = (0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 64, 128)
RUNS, SIDES, NEAR, FAR = 4, 2, 8, 1024
CLASSES = RUNS * SIDES * len(_DISTANCES) * len(_AGES)
SMOOTHED_BY = 2000.0  # exposures: a rare situation counts as the same in a run of any length
# The watchers, and their sums.
BY_SHARES, BY_DISCARDS = range(2)
WATCHERS = ("composition", "discards")
WON, WON_SQUARED, LARGE, WATCHED = range(4)
SUMS = 4


@dataclass(frozen=True)
class Gauge:
    """A watcher's weights for a round. Plain data: it is sent to other computers.

    `places` is the value of each card value at each card of the initial deal, `chances` the
    probability of a card of each class there: empty during learning.
    """

    edge: float
    shares: list[float]
    places: list[list[float]]
    spread: int
    chances: list[list[float]]


def gauge_of(worth: CardWorth, boxes: int, spread: int) -> Gauge:
    """Return the value of cards to a box among several: each box's cards count for their part."""
    box, dealer = (worth.on_box / boxes).tolist(), worth.on_dealer.tolist()
    places = [box] * boxes + [dealer] + [box] * boxes
    return Gauge(worth.edge, worth.share.tolist(), places, spread, [])


def values_of(faces: Cards) -> Counts:
    """Return the value of each card: 0 an ace, 9 all that count ten."""
    return np.minimum(faces.astype(np.int64) % len(RANKS), VALUES - 1)


def _classes(starts: Sequence[int]) -> Counts:
    numbers = np.arange(FAR + 1)
    return np.maximum(np.searchsorted(np.array(starts), numbers, side="right") - 1, 0)


_DISTANCE_CLASS, _AGE_CLASS = _classes(_DISTANCES), _classes(_AGES)


def learned(hits: Floats, exposures: Floats) -> list[list[float]]:
    """Return the chance of a card of each class at each place; rare classes are pooled over all
    runs."""
    shape = (RUNS, CLASSES // RUNS)
    by_run = hits.reshape(len(hits), *shape)
    usual = (by_run.sum(axis=1) + 0.01) / (exposures.reshape(shape).sum(axis=0) + 1.0)
    chances = (by_run + SMOOTHED_BY * usual[:, None]) / (exposures.reshape(shape) + SMOOTHED_BY)
    found: list[list[float]] = chances.reshape(len(hits), CLASSES).tolist()
    return found


class Watcher:
    """Watch rounds, and learn from them or make wagers on them."""

    def __init__(self, faces: Cards, gauge: Gauge) -> None:
        self._values = values_of(faces)
        usual = np.bincount(self._values, minlength=VALUES) / len(faces)
        self._shares = np.array(gauge.shares) - float(np.array(gauge.shares) @ usual)
        self._places = np.array(gauge.places)
        self._edge, self._spread = gauge.edge, gauge.spread
        self._learns = not gauge.chances
        cells = (len(gauge.places), CLASSES)
        self._chances = np.zeros(cells) if self._learns else np.array(gauge.chances)
        self.hits, self.exposures = np.zeros(cells), np.zeros(CLASSES)
        self.sums = np.zeros((len(WATCHERS), SUMS), dtype=np.int64)

    def see(self, tray: Decks, dealt: Decks, ends: Counts, nets: Counts, *, put_back: bool) -> None:
        """Process rounds that began with these cards in this order; `put_back` after each of
        them."""
        _watch(
            tray,
            dealt,
            ends,
            nets,
            put_back,
            self._learns,
            self._values,
            self._shares,
            self._places,
            self._edge,
            self._spread,
            self._chances,
            _DISTANCE_CLASS,
            _AGE_CLASS,
            self.hits,
            self.exposures,
            self.sums,
        )


@compiled
def _place_of(card: int, inside: Any, number: int) -> int:
    for place in range(number):
        if inside[place] == card:
            return place
    return -1


@compiled
def _watch(
    tray: Decks,
    dealt: Decks,
    ends: Counts,
    nets: Counts,
    put_back: bool,
    learns: bool,
    values: Counts,
    shares: Floats,
    places: Floats,
    edge: float,
    spread: int,
    chances: Floats,
    distance_class: Counts,
    age_class: Counts,
    hits: Floats,
    exposures: Floats,
    sums: Counts,
) -> None:
    """Track the cards inside, in the order in which they went in, round by round.

    `last` is the place of the last card dealt: cards that went in after it begin there. At the
    start this is the end of the tray, as if the last card put in had been dealt.
    """
    inside, number = tray.copy(), len(tray)
    put_in = np.full(len(values), -FAR)
    classes = np.zeros(len(tray), dtype=np.int64)
    of_value = np.zeros(VALUES)
    last, forward, run, seen, first = number, False, 0, 0, 0
    distances, ages = distance_class[FAR] + 1, age_class[FAR] + 1
    for r in range(len(ends)):
        for i in range(number):
            ahead = i >= last
            distance = min(i - last + 1 if ahead else last - i, FAR)
            side = 0 if ahead == forward else 1
            age = age_class[min(seen - put_in[inside[i]], FAR)]
            kind = (run * SIDES + side) * distances + distance_class[distance]
            classes[i] = kind * ages + age
        if learns:
            for i in range(number):
                exposures[classes[i]] += 1
            for place in range(len(places)):
                at = _place_of(dealt[first + place], inside, number)
                hits[place, classes[at]] += 1
        else:
            of_value[:] = 0.0
            for i in range(number):
                of_value[values[inside[i]]] += 1.0
            usual = 0.0
            for value in range(VALUES):
                of_value[value] /= number
                usual += of_value[value] * shares[value]
            predicted = usual
            for place in range(len(places)):
                expected = total = 0.0
                for i in range(number):
                    chance = chances[place, classes[i]]
                    expected += chance * places[place, values[inside[i]]]
                    total += chance
                predicted += expected / total
                for value in range(VALUES):
                    predicted -= of_value[value] * places[place, value]
            for who in range(len(sums)):
                large = (usual if who == BY_SHARES else predicted) > edge
                won = nets[r] * (spread if large else 1)
                sums[who, WON] += won
                sums[who, WON_SQUARED] += won * won
                sums[who, LARGE] += 1 if large else 0
                sums[who, WATCHED] += 1
        for j in range(first, ends[r]):
            at = _place_of(dealt[j], inside, number)
            ahead = at >= last
            near = (at - last + 1 if ahead else last - at) <= NEAR
            run = min(run + 1, RUNS - 1) if near and ahead == forward else 0
            forward = ahead
            number -= 1
            seen += 1
            for i in range(at, number):
                inside[i] = inside[i + 1]
            last = at
        if put_back:
            for j in range(first, ends[r]):
                inside[number] = dealt[j]
                put_in[dealt[j]] = seen
                number += 1
        first = ends[r]
