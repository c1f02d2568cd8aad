"""The exact knowledge of the next card, for a machine with few enough states to enumerate.

Every order of the cards in bins and chute has a chance, which the dealt and returned cards update
by Bayes' rule. The enumeration is complete, so no counter can predict more.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from rng_certification.base.compiled import Decks, Floats
from rng_certification.continuous.steps import CARD_MASK, DEALT, FED, STEP_SHIFT, Steps
from rng_certification.continuous.tally import WARM_UP_PACKS
from rng_certification.predictability.candidates import Candidates, came
from rng_certification.predictability.carousel import CarouselLaw

Cards = tuple[int, ...]
State = tuple[tuple[Cards, ...], Cards]  # bins, in any order of bins; the chute
Chances = dict[State, float]


class ExactCounter:
    def __init__(self, law: CarouselLaw) -> None:
        if law.end == "either":
            raise ValueError(
                "a machine with bins that release cards at either end is not supported here"
            )
        self._law = law
        self._feeding, self._ejecting = law.feeding, law.ejecting
        self._fed: dict[tuple[State, int], list[tuple[State, float]]] = {}
        self._filled: dict[State, list[tuple[State, float]]] = {}

    def bits(self, steps: Steps) -> Floats:
        """Return the bits that the exact posterior leaks of each card dealt after the warm-up."""
        cards = came(steps)
        return cards.mean(self.bits_leaked(steps, cards))

    def bits_leaked(self, steps: Steps, candidates: Candidates) -> Floats:
        """Return the bits by candidate, with a row for each card dealt after the warm-up."""
        chances: Chances = {(((),) * self._law.bins, ()): 1.0}
        warm_up, dealt, inside, loading = WARM_UP_PACKS * self._law.pack, 0, 0, True
        leaked = []
        for step in steps:
            kind, card = int(step >> STEP_SHIFT), int(step & CARD_MASK)
            if kind == FED:
                chances = chances if loading else self._after_filling(chances)
                chances = self._after_feeding(chances, card)
                inside += 1
            elif kind == DEALT:
                loading = False
                chances = self._after_filling(chances)
                if dealt >= warm_up:
                    leaked.append(_bits_of(chances, candidates.cards[dealt], inside))
                chances = {
                    (bins, chute[1:]): p for (bins, chute), p in chances.items() if chute[0] == card
                }
                likely = sum(chances.values())
                chances = {state: p / likely for state, p in chances.items()}
                dealt += 1
                inside -= 1
        return np.array(leaked)

    def _after_feeding(self, chances: Chances, card: int) -> Chances:
        after: Chances = defaultdict(float)
        for state, p in chances.items():
            if (state, card) not in self._fed:
                self._fed[state, card] = self._feed(state, card)
            for other, q in self._fed[state, card]:
                after[other] += p * q
        return after

    def _feed(self, state: State, card: int) -> list[tuple[State, float]]:
        bins, chute = state
        weights = [self._feeding[len(cell)] for cell in bins]
        return [
            ((_with(bins, i, (*bins[i], card)), chute), weight / sum(weights))
            for i, weight in enumerate(weights)
            if weight
        ]

    def _after_filling(self, chances: Chances) -> Chances:
        after: Chances = defaultdict(float)
        for state, p in chances.items():
            if state not in self._filled:
                self._filled[state] = self._fill(state)
            for other, q in self._filled[state]:
                after[other] += p * q
        return after

    def _fill(self, state: State) -> list[tuple[State, float]]:
        full: Chances = defaultdict(float)
        waiting: Chances = {state: 1.0}
        while waiting:
            low: Chances = defaultdict(float)
            for (bins, chute), p in waiting.items():
                weights = [self._ejecting[len(cell)] for cell in bins]
                if len(chute) > self._law.chute_low or not sum(weights):
                    full[bins, chute] += p
                    continue
                for i, weight in enumerate(weights):
                    for number, share in self._pushed(len(bins[i])):
                        out, left = self._taken(bins[i], number)
                        low[_with(bins, i, left), chute + out] += p * weight / sum(weights) * share
            waiting = low
        return list(full.items())

    def _pushed(self, load: int) -> list[tuple[int, float]]:
        """Return the number of cards that a push of a bin moves, with the chance of each number."""
        if not load:
            return []
        if self._law.ejection == "part":
            return [(number, 1 / load) for number in range(1, load + 1)]
        return [(load if self._law.ejection == "group" else 1, 1.0)]

    def _taken(self, cell: Cards, number: int) -> tuple[Cards, Cards]:
        if self._law.end == "last":
            return tuple(reversed(cell[len(cell) - number :])), cell[: len(cell) - number]
        return cell[:number], cell[number:]


def _bits_of(chances: Chances, cards: Decks, inside: int) -> Floats:
    """Return the bits leaked if each of these cards is the next."""
    likely: dict[int, float] = defaultdict(float)
    for (_, chute), p in chances.items():
        likely[chute[0]] += p
    return np.array([np.log2(likely[card] * inside) if card in likely else 0 for card in cards])


def _with(bins: tuple[Cards, ...], i: int, cell: Cards) -> tuple[Cards, ...]:
    return tuple(sorted((*bins[:i], cell, *bins[i + 1 :])))
