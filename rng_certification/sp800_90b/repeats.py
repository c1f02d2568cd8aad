"""Every repeated stretch of a sequence, by length: suffix array and longest common prefixes.

In the sorted suffixes, all occurrences of a stretch are adjacent. One pass over the prefixes that
neighbours share then gives the number of occurrences of the most common stretch of each length, and
the number of equal pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rng_certification.base.compiled import Bytes, Counts, Words, compiled

Places = npt.NDArray[np.int32]


class RepeatCounts(NamedTuple):
    """Index t: stretches of t symbols. The longest repeated one has len(commonest) - 1."""

    commonest: Counts
    equal_pairs: Counts

    @property
    def longest(self) -> int:
        return len(self.commonest) - 1


def sorted_suffixes(symbols: Bytes, bits: int) -> Places:
    """Return the starts of the suffixes in sorted order; a shorter suffix is before its extensions.

    First sorted by as many symbols as fit a word; equal ones then by doubling the compared length.
    """
    size = len(symbols)
    width = 1 << (64 // bits).bit_length() - 1
    windows = _windows(symbols, bits, width)
    order = np.argsort(windows).astype(np.int64)
    keys = windows[order]
    starts = np.empty(size, dtype=bool)
    starts[0] = True
    # A suffix cut short by the end has the same padding as a longer one: leave both to the next
    # round.
    starts[1:] = keys[1:] != keys[:-1]
    ranks = np.empty(size, dtype=np.int64)
    ranks[order] = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    compared = width
    while True:
        tied = ~starts
        tied[:-1] |= ~starts[1:]
        at = np.flatnonzero(tied)
        if not len(at):
            return order.astype(np.int32)
        _refine(order, ranks, starts, at, compared)
        compared *= 2


def _windows(symbols: Bytes, bits: int, width: int) -> Words:
    """Return each window of `width` symbols as a word, with zeros after the end."""
    windows = symbols.astype(np.uint64)
    done = 1
    while done < width:
        after = np.zeros_like(windows)
        after[:-done] = windows[done:]
        windows = windows << np.uint64(bits * done) | after
        done *= 2
    return windows


def _refine(
    order: Counts, ranks: Counts, starts: npt.NDArray[np.bool_], at: Counts, compared: int
) -> None:
    """Sort suffixes that are equal so far by the rank of their continuation."""
    suffixes = order[at]
    following = suffixes + compared
    inside = following < len(order)
    second = len(order) - 1 - following  # past the end: a shorter suffix is sorted first
    second[inside] = ranks[following[inside]]
    first = ranks[suffixes]
    turn = np.lexsort((second, first))
    suffixes, first, second = suffixes[turn], first[turn], second[turn]
    order[at] = suffixes
    fresh = np.empty(len(at), dtype=bool)
    fresh[0] = True
    fresh[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    starts[at] = fresh
    ranks[suffixes] = at[np.flatnonzero(fresh)[np.cumsum(fresh) - 1]]


@compiled
def shared_prefixes(symbols: Bytes, order: Places) -> Places:
    """Return the prefix length shared by each sorted suffix and the one before (Kasai's method)."""
    size = len(symbols)
    before = np.empty(size, dtype=np.int32)  # the suffix before this one in the order
    before[order[0]] = -1
    for place in range(1, size):
        before[order[place]] = order[place - 1]
    shared = 0
    for suffix in range(size):
        other = before[suffix]
        if other < 0:
            shared = 0
        else:
            while (
                suffix + shared < size
                and other + shared < size
                and symbols[suffix + shared] == symbols[other + shared]
            ):
                shared += 1
        before[suffix] = shared  # already read; from here on, the shared length
        shared = max(0, shared - 1)
    prefixes = np.empty(size, dtype=np.int32)
    for place in range(size):
        prefixes[place] = before[order[place]]
    return prefixes


@compiled
def _tally(prefixes: Places, longest: int) -> tuple[Counts, Counts]:
    """Count stretches: neighbours that share t symbols or more are places of one stretch of t."""
    commonest = np.ones(longest + 2, dtype=np.int64)
    pairs = np.zeros(longest + 2, dtype=np.int64)
    lengths = np.empty(
        longest + 2, dtype=np.int64
    )  # open groups, each longer than the group below it
    begins = np.empty(longest + 2, dtype=np.int64)
    lengths[0] = begins[0] = depth = 0
    for place in range(1, len(prefixes) + 1):
        shared = prefixes[place] if place < len(prefixes) else 0
        begin = place - 1
        while lengths[depth] > shared:
            begin = begins[depth]
            count = place - begin
            length = lengths[depth]
            depth -= 1
            shorter = max(lengths[depth], shared)
            commonest[length] = max(commonest[length], count)
            equal = count * (count - 1) // 2
            pairs[shorter + 1] += equal
            pairs[length + 1] -= equal
        if lengths[depth] < shared:
            depth += 1
            lengths[depth] = shared
            begins[depth] = begin
    for length in range(longest, 0, -1):
        commonest[length] = max(commonest[length], commonest[length + 1])
    return commonest[: longest + 1], np.cumsum(pairs)[: longest + 1]


def repeats_of(prefixes: Places) -> RepeatCounts:
    return RepeatCounts(*_tally(prefixes, int(prefixes.max())))
