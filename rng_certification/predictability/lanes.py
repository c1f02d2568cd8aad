"""What an ear is left that hears every bin, where the chute has lanes that nobody hears.

Whoever hears every turn knows which card each push brings. With lanes he does not know into which
of them it went, nor from which the next one comes: a silent second draw. What he may think of that
is followed exactly, every way in which the cards in the chute may lie; no ear is told more.
"""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np

from rng_certification.base.compiled import Floats
from rng_certification.continuous.steps import BIN_SHIFT, CARD_MASK, DEALT, FED, PUSHED, STEP_SHIFT
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel

Lanes = tuple[tuple[int, ...], ...]  # the cards in each, the first to come first


def bits_of_lanes(law: CarouselLaw, cards: int, seed: int = 1) -> Floats:
    """Of each card dealt, by single cards from bins that are all heard: the bits he is told."""
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
    """Into any lane. Which of two ways of naming lanes it is, makes no difference."""
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
