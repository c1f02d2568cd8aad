"""Random shoes and strategies for the oracle; half of the shoes are stacked."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np

from cutcard.edge.simulate.drawing import Cards
from cutcard.edge.simulate.strategy import (
    ALWAYS,
    ANY_SUITS,
    DOUBLE,
    EXCEPTED,
    HIT,
    MIXED,
    MONEY,
    NEVER,
    SPADES,
    SPLIT,
    STAND,
    SUITED,
    SURRENDER,
    TOKEN,
    WHEN_IT_GAINS,
    Play,
    composition,
    hashed,
    key_of,
    no_play,
    wish,
)

CARDS = 400
ANY, DRAWS, SPLITS = range(3)
ORDERS = tuple(permutations((DOUBLE, SPLIT, SURRENDER)))
# Ranks that make rare events likely, A as 0: sevens, 6-7-8, split pairs, Blackjacks on both sides,
# hands of many cards, free doubles, free doubles of hands that were split for free.
STACKS = (
    (6,),
    (5, 6, 7),
    (0,),
    (0, 9, 12),
    (7,),
    (1, 2),
    (0, 1, 2),
    (3, 4, 5),
    (8, 9),
    (11, 12),
    (0, 6),
    (1, 2, 3, 4),
    (4, 5),
    (3, 5),
    (2, 6),
    (1, 7),
)


def random_shoe(chance: np.random.Generator) -> Cards:
    return _below(chance, 52)


def stacked_shoe(rng: random.Random, chance: np.random.Generator) -> Cards:
    """Return a shoe with most cards from a few ranks, and often of one suit."""
    suits = rng.choice(((0, 1, 2, 3), (3,), (rng.randrange(4),)))
    ranks = rng.choice(STACKS)
    codes = [13 * suit + rank for suit in suits for rank in ranks]
    stacked = np.array(codes, dtype=np.uint8)[_below(chance, len(codes))]
    from_stack = _below(chance, 100) < rng.choice((50, 85))
    return np.where(from_stack, stacked, random_shoe(chance))


def _below(chance: np.random.Generator, limit: int) -> Cards:
    return chance.integers(0, limit, CARDS, dtype=np.uint8)


def without_tens(shoe: Cards) -> Cards:
    """Replace each ten by a jack, for a pack of 48."""
    shoe[shoe % 13 == 9] += 1
    return shoe


def random_play(rng: random.Random) -> Play:
    """Return a strategy with any wish for any hand; pairs are mostly split and low totals mostly
    drawn to.

    Every third strategy never doubles, for hands of many cards; every fourth splits all pairs and
    doubles all free doubles.
    """
    play = no_play()
    style = rng.choices((ANY, DRAWS, SPLITS), (5, 4, 3))[0]
    for kind in range(2):
        for state in range(play.actions.shape[1]):
            for up in range(1, 11):
                play.actions[kind, state, up] = _wish(rng, state, style)
    play.rescue[:] = np.array(
        [[rng.random() < 0.3 for _ in range(11)] for _ in range(len(play.rescue))]
    )
    for low in range(1, 11):
        for high in range(low, 11):
            play.insure[low, high] = rng.choice((NEVER, ALWAYS, WHEN_IT_GAINS))
    keys, wishes = hashed(_exceptions(rng, play))
    return play._replace(even_money=rng.randrange(2), keys=keys, wishes=wishes)


def _wish(rng: random.Random, state: int, style: int = ANY) -> int:
    if style == SPLITS and (state >= 32 or 9 <= state <= 11):
        return wish(SPLIT, DOUBLE, HIT)
    if style == DRAWS and state < 32:
        return wish(HIT if state < 18 or 22 <= state < 29 else STAND)
    last = HIT if state < 12 or rng.random() < 0.6 else STAND
    others = list(rng.choice(ORDERS))
    if state >= 32 and rng.random() < 0.8:
        others.remove(SPLIT)
        others.insert(0, SPLIT)
    return wish(*others[: rng.randrange(4)], last)


def _exceptions(rng: random.Random, play: Play) -> dict[int, int]:
    """Return exceptions: some hands of two and three cards by composition, some by suit, some
    doubled."""
    found: dict[int, int] = {}
    for _ in range(200):
        values = [rng.randrange(1, 11) for _ in range(rng.choice((1, 2, 3)))]
        if len(values) == 1:
            values *= 2  # a pair: it may be split or not by its suits
        points = sum(values)
        if points >= 21:
            continue
        total = points + 10 if 1 in values and points <= 11 else points
        counted = {value: values.count(value) for value in set(values)}
        up, suits = rng.randrange(1, 11), rng.choice((ANY_SUITS, MIXED, SUITED, SPADES))
        if len(values) == 3 and rng.random() < 0.5:
            for soft in (0, 10):
                play.rescue[points + soft, up] |= 2
            found[key_of(composition(counted), up, MONEY, suits, True)] = rng.randrange(2)
            continue
        kind = rng.choice((MONEY, TOKEN))
        pair = len(values) == 2 and values[0] == values[1]
        state = 32 + values[0] if pair else total + (10 if total != points else 0)
        play.actions[kind, state, up] |= EXCEPTED
        found[key_of(composition(counted), up, kind, suits, False)] = _wish(rng, state)
    for value in range(1, 11):  # the same pair is split in one suit and left in another
        for up in range(1, 11):
            if rng.random() < 0.3:
                play.actions[MONEY, 32 + value, up] |= EXCEPTED
                suits = rng.choice((MIXED, SUITED, SPADES))
                found[key_of(composition({value: 2}), up, MONEY, suits, False)] = wish(HIT)
    return found
