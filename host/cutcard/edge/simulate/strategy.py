"""A strategy as the kernel reads it: for every hand the ways that are wished for, in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutcard.edge.simulate.drawing import inlined
from rng_certification.base.compiled import Words, compiled

# The ways to play a hand; a wish is up to four of them, the first in the lowest three bits.
STAND, HIT, DOUBLE, SPLIT, SURRENDER = range(1, 6)
WAY_BITS, WAY = 3, 7
EXCEPTED = 1 << 13  # in a wish: some hands of this total are played in another way

MONEY, TOKEN = 0, 1  # what the hand's own stake is
# A hand's state: its hard total; 10 + its soft total; 32 + the value of a pair.
SOFT, PAIR = 10, 32
STATES = PAIR + 11
UPS = 11  # the dealer's card by points, from 1

# A hand by its composition: how many cards of each value, five bits each, and beside them these.
_UP, _STAKE, _SUITS, _DOUBLED = 50, 54, 56, 58
ANY_SUITS, MIXED, SUITED, SPADES = range(4)

NEVER, ALWAYS, WHEN_IT_GAINS = range(3)

Actions = npt.NDArray[np.int16]
Flags = npt.NDArray[np.int8]


class Play(NamedTuple):
    """A strategy for one game.

    `actions` by stake, state and the dealer's card; `rescue` by the state of a doubled hand and the
    dealer's card; `insure` by the values of the two cards, low first. `keys` and `wishes` hold the
    hands that are played otherwise than their total says, hashed.
    """

    actions: Actions
    rescue: Flags
    insure: Flags
    even_money: int
    keys: Words
    wishes: Actions


def no_play() -> Play:
    """A strategy that stands on everything."""
    return Play(
        np.full((2, STATES, UPS), STAND, dtype=np.int16),
        np.zeros((STATES, UPS), dtype=np.int8),
        np.zeros((11, 11), dtype=np.int8),
        0,
        *hashed({}),
    )


def wish(*ways: int) -> int:
    """Up to four ways, the one wanted most first."""
    return sum(way << WAY_BITS * place for place, way in enumerate(ways))


def composition(values: Mapping[int, int]) -> int:
    """A hand by how many cards of each value it has."""
    return sum(number << 5 * (value - 1) for value, number in values.items())


def hashed(exceptions: Mapping[int, int]) -> tuple[Words, Actions]:
    """Keys and wishes in open addressing, half empty."""
    size = 1 << (2 * len(exceptions)).bit_length()
    keys, wishes = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int16)
    for key, wished in exceptions.items():
        at = int(_hash(np.uint64(key), size))
        while keys[at]:
            at = (at + 1) & (size - 1)
        keys[at], wishes[at] = key, wished
    return keys, wishes


@compiled
def _hash(key: Any, size: int) -> Any:
    mixed = (key ^ (key >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & (size - 1)


@compiled
def _found(keys: Any, size: int, key: Any) -> int:
    """The place of a key; -1 where it is not."""
    at = _hash(key, size)
    while keys[at] != np.uint64(0):
        if keys[at] == key:
            return int(at)
        at = (at + 1) & (size - 1)
    return -1


@inlined
def hand_state(total: int, points: int, pair: int) -> int:
    """The place of a hand in `actions`."""
    if pair != 0:
        return PAIR + pair
    return total if total == points else SOFT + total


def key_of(values: int, up: int, stake: int, suits: int, doubled: bool) -> int:
    """An exception's key, from the hand's `composition`."""
    return values | up << _UP | stake << _STAKE | suits << _SUITS | int(doubled) << _DOUBLED


@compiled
def exception(
    keys: Any, wishes: Any, size: int, held: Any, cards: int, up: int, stake: int, doubled: int
) -> int:
    """What is wished for with exactly these cards; -1 where their total decides."""
    values = 0
    suits = SPADES if held[0] // 13 == 3 else SUITED
    for i in range(cards):
        rank = held[i] % 13
        values += 1 << 5 * (rank if rank < 9 else 9)
        if held[i] // 13 != held[0] // 13:
            suits = MIXED
    key = values | up << _UP | stake << _STAKE | doubled << _DOUBLED
    at = _found(keys, size, np.uint64(key | suits << _SUITS))
    if at < 0:
        at = _found(keys, size, np.uint64(key))
    return int(wishes[at]) if at >= 0 else -1
