"""The bits left to a listener with an audible bin for each card, if lanes are silent.

A listener who hears every turn knows the card of each push. With lanes, the lane that it enters and
the lane of the next card are unknown: a silent second draw. All possible contents of the chute are
enumerated; no listener can predict more.
"""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np

from rng_certification.base.compiled import Floats
from rng_certification.continuous.steps import BIN_SHIFT, CARD_MASK, DEALT, FED, PUSHED, STEP_SHIFT
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel

Lanes = tuple[tuple[int, ...], ...]  # the cards in each, in the order of leaving


def bits_of_lanes(law: CarouselLaw, cards: int, seed: int = 1) -> Floats:
    """Return the leaked bits of each dealt card, for single cards from bins that are all heard."""
    bins: list[deque[int]] = [deque() for _ in range(law.bins)]
    chances: dict[Lanes, float] = {((),) * law.lanes: 1.0}
    inside, bits = 0, []
    for step in SimulatedCarousel(law, seed).steps(cards):
        kind, card = int(step) >> STEP_SHIFT, int(step) & CARD_MASK
        place = int(step) >> BIN_SHIFT & 0xFFF
        if kind == FED:
            bins[place].append(card)
            inside += 1
        elif kind == PUSHED:
            chances = _pushed(chances, bins[place].popleft())
        elif kind == DEALT:
            chances, likely = _dealt(chances, card)
            bits.append(float(np.log2(likely * inside)))
            inside -= 1
    return np.array(bits)


def _pushed(chances: dict[Lanes, float], card: int) -> dict[Lanes, float]:
    """Put the card into any lane; lanes are interchangeable."""
    after: dict[Lanes, float] = defaultdict(float)
    for lanes, chance in chances.items():
        for i in range(len(lanes)):
            after[_with(lanes, i, (*lanes[i], card))] += chance / len(lanes)
    return after


def _dealt(chances: dict[Lanes, float], card: int) -> tuple[dict[Lanes, float], float]:
    after: dict[Lanes, float] = defaultdict(float)
    for lanes, chance in chances.items():
        full = [i for i, lane in enumerate(lanes) if lane]
        for i in full:
            if lanes[i][0] == card:
                after[_with(lanes, i, lanes[i][1:])] += chance / len(full)
    likely = sum(after.values())
    return {lanes: chance / likely for lanes, chance in after.items()}, likely


def _with(lanes: Lanes, i: int, lane: tuple[int, ...]) -> Lanes:
    return tuple(sorted((*lanes[:i], lane, *lanes[i + 1 :])))
