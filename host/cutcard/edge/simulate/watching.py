"""Counters who watch every card: one knows which are left, one also in which order they went back.

At the start of a round each weighs what the next one is worth, and puts down the large wager where
that is above nothing. The first goes by the shares of the values that are left. The second has seen
each discard go back and has learned, from other rounds of the same machine, how likely a card is to
come soon that went in so far behind or before the last one dealt, and has been inside for so long.
Both play their hands by the same table as everybody. A better watcher may win more: what they win
is a lower bound.
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
# What a card's chance goes by: runs of neighbours so far, distance on either side, time inside.
_DISTANCES = (1, 2, 3, 4, 6, 9, 15, 25, 49)
_AGES = (0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 64, 128)
RUNS, SIDES, NEAR, FAR = 4, 2, 8, 1024
CLASSES = RUNS * SIDES * len(_DISTANCES) * len(_AGES)
SMOOTHED_BY = 2000.0  # exposures: a rare situation counts as the same in a run of any length
# Who stakes, and what is added up of each.
BY_SHARES, BY_DISCARDS = range(2)
WATCHERS = ("composition", "discards")
WON, WON_SQUARED, LARGE, WATCHED = range(4)
SUMS = 4


@dataclass(frozen=True)
class Gauge:
    """How a watcher weighs a round. Plain data: it goes to other computers.

    `places` is the worth of each value at each card of the initial deal, `chances` how likely a
    card of each class comes there: empty while it is being learned.
    """

    edge: float
    shares: list[float]
    places: list[list[float]]
    spread: int
    chances: list[list[float]]


def gauge_of(worth: CardWorth, boxes: int, spread: int) -> Gauge:
    """What the cards are worth to a box among several: each box's cards count for their part."""
    box, dealer = (worth.on_box / boxes).tolist(), worth.on_dealer.tolist()
    places = [box] * boxes + [dealer] + [box] * boxes
    return Gauge(worth.edge, worth.share.tolist(), places, spread, [])


def values_of(faces: Cards) -> Counts:
    """The value of each card: 0 an ace, 9 all that count ten."""
    return np.minimum(faces.astype(np.int64) % len(RANKS), VALUES - 1)


def _classes(starts: Sequence[int]) -> Counts:
    numbers = np.arange(FAR + 1)
    return np.maximum(np.searchsorted(np.array(starts), numbers, side="right") - 1, 0)


_DISTANCE_CLASS, _AGE_CLASS = _classes(_DISTANCES), _classes(_AGES)


def learned(hits: Floats, exposures: Floats) -> list[list[float]]:
    """How likely a card of each class is at each place; rare classes lean on all runs together."""
    shape = (RUNS, CLASSES // RUNS)
    by_run = hits.reshape(len(hits), *shape)
    usual = (by_run.sum(axis=1) + 0.01) / (exposures.reshape(shape).sum(axis=0) + 1.0)
    chances = (by_run + SMOOTHED_BY * usual[:, None]) / (exposures.reshape(shape) + SMOOTHED_BY)
    found: list[list[float]] = chances.reshape(len(hits), CLASSES).tolist()
    return found


class Watcher:
    """Watches rounds, and learns from them or stakes on them."""

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
        """Rounds that began with these cards in this order; `put_back` after each of them."""
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
    """Follow what is inside, in the order in which it went in, round by round.

    `last` is the place where the last card dealt lay: those that went in after it begin there. At
    the start that is the end of the tray, as if what was put in last had been dealt.
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
