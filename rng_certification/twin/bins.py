"""The bins of a carousel, indexed by their loads, and the weighted choice among them.

The firmware examines all bins at every choice. Here, tables are kept up to date: for each load the
number of bins, their total weight, and the bins themselves as bits in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rng_certification.base.compiled import Counts, Decks, Words, compiled, ones_in, whole

INTO, OUT = 0, 1  # the two choices: a bin for the next card, a bin to push
HEAD, HELD = 0, 1  # for each bin: the place of its first card, and its load


class TwinBins(NamedTuple):
    """The current state of the bins."""

    state: Counts  # [2, bins]: HEAD and HELD
    cells: Decks  # [bins, a power of two]: a ring of cards each
    members: Words  # [loads, words]: the bins of each load
    number: Counts  # [loads]: the number of bins of each load
    weights: Counts  # [2, loads]: for the next card and for the next push; 0 if impossible
    totals: Counts  # [2]: the sum of all bins' weights


def empty_bins(bins: int, capacity: int, into: Sequence[int], out: Sequence[int]) -> TwinBins:
    """Return bins without cards. Weights are for loads from 0 and from 1 on; without weights all
    loads are equal."""
    alike = [1] * capacity
    weights = np.array([[*(into or alike), 0], [0, *(out or alike)]], dtype=np.int64)
    words, rest = divmod(bins, 64)
    all_bins = [(1 << 64) - 1] * words + ([(1 << rest) - 1] if rest else [])
    members = np.zeros((capacity + 1, len(all_bins)), dtype=np.uint64)
    members[0] = np.array(all_bins, dtype=np.uint64)
    number = np.zeros(capacity + 1, dtype=np.int64)
    number[0] = bins
    return TwinBins(
        np.zeros((2, bins), dtype=np.int64),
        np.zeros((bins, 1 << (capacity - 1).bit_length()), dtype=np.uint16),
        members,
        number,
        weights,
        bins * weights[:, 0],
    )


@compiled
def chosen_bin(members: Words, number: Counts, weights: Counts, which: int, left: int) -> int:
    """Return the bin for a draw below the total of these weights."""
    load = 0
    share = number[0] * weights[which, 0]
    while left >= share:
        left -= share
        load += 1
        share = number[load] * weights[which, load]
    left = whole(np.uint32(left) // np.uint32(weights[which, load]))
    word = 0
    mask = members[load, 0]
    while left >= ones_in(mask):
        left -= ones_in(mask)
        word += 1
        mask = members[load, word]
    for _ in range(left):
        mask &= mask - np.uint64(1)
    return 64 * word + ones_in((mask & (~mask + np.uint64(1))) - np.uint64(1))


@compiled
def change_load(
    state: Counts,
    members: Words,
    number: Counts,
    weights: Counts,
    totals: Counts,
    chosen: int,
    change: int,
) -> None:
    """Change the load of a bin by this many cards."""
    before = state[HELD, chosen]
    after = before + change
    bit = np.uint64(1) << np.uint64(chosen & 63)
    members[before, chosen >> 6] ^= bit
    members[after, chosen >> 6] ^= bit
    number[before] -= 1
    number[after] += 1
    totals[INTO] += weights[INTO, after] - weights[INTO, before]
    totals[OUT] += weights[OUT, after] - weights[OUT, before]
    state[HELD, chosen] = after


@compiled
def put_in(state: Counts, cells: Decks, chosen: int, card: int) -> None:
    """Append a card to a bin, before its load is changed."""
    place = (state[HEAD, chosen] + state[HELD, chosen]) & (cells.shape[1] - 1)
    cells[chosen, place] = card


@compiled
def take_out(state: Counts, cells: Decks, chosen: int) -> int:
    """Return the first card of a bin; its load is changed afterwards."""
    head = state[HEAD, chosen]
    state[HEAD, chosen] = (head + 1) & (cells.shape[1] - 1)
    return whole(cells[chosen, head])
