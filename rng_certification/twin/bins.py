"""Sets of bins as bits in words, and the choice of the n-th bin of a set."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Words, compiled, ones_in

WITH_ROOM, WITH_CARDS = 0, 1  # the two sets that a carousel has, a row each


def sets_of_bins(number: int) -> Words:
    """The sets at the start: every bin has room, none has cards."""
    whole, rest = divmod(number, 64)
    full = [(1 << 64) - 1] * whole + ([(1 << rest) - 1] if rest else [])
    return np.array([full, [0] * len(full)], dtype=np.uint64)


@compiled
def nth(sets: Words, which: int, left: int) -> int:
    """The bin of the set with this many others before it."""
    word = 0
    mask = sets[which, 0]
    while left >= ones_in(mask):
        left -= ones_in(mask)
        word += 1
        mask = sets[which, word]
    for _ in range(left):
        mask &= mask - np.uint64(1)
    return 64 * word + ones_in((mask & (~mask + np.uint64(1))) - np.uint64(1))


@compiled
def put_in(sets: Words, which: int, chosen: int) -> None:
    sets[which, chosen >> 6] |= np.uint64(1) << np.uint64(chosen & 63)


@compiled
def take_out(sets: Words, which: int, chosen: int) -> None:
    sets[which, chosen >> 6] &= ~(np.uint64(1) << np.uint64(chosen & 63))


@compiled
def how_many(sets: Words, which: int) -> int:
    number = ones_in(sets[which, 0])
    for word in range(1, sets.shape[1]):
        number += ones_in(sets[which, word])
    return number
