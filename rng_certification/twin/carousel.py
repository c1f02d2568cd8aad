"""The carousel of `firmware/core/mechanisms.py`, with the cards that the firmware cannot see.

A history is a pack loaded, and then round after round: so many cards dealt from the chute, and
the same cards fed back one by one. Before each step the chute is filled where it is low, as the
firmware's `_serve` does. How many cards a round takes is no secret and comes from a counter.
"""

from __future__ import annotations

import numpy as np

from rng_certification.compiled import Bytes, Counts, Decks, Floats, Words, compiled, ones_in, whole
from rng_certification.twin.generator import across, shares, within
from rng_certification.twin.sha256 import Word32s
from rng_certification.twin.source import TwinSource

MOST_BINS = 64  # bins with room, and bins with cards, are one bit each of a word
LEAST_ROUND, MOST_ROUND = 4, 23
_LOADING, _DEALING, _RETURNING = 0, 1, 2
# Where the history stands, by place in `now`.
_STAGE, _FED, _DEALT, _TAKEN, _SUPPLY, _HEAD, _OUT, _ROUND, _WANTED = range(9)


@compiled
def _nth(mask: np.uint64, left: int) -> int:
    """The place of a set bit, `left` others before it."""
    for _ in range(left):
        mask &= mask - np.uint64(1)
    return ones_in((mask & (~mask + np.uint64(1))) - np.uint64(1))


@compiled
def _cards_of(round_number: int) -> int:
    """LEAST_ROUND to MOST_ROUND, from the number of the round."""
    return LEAST_ROUND + (round_number * 2654435761 >> 7) % (MOST_ROUND + 1 - LEAST_ROUND)


@compiled
def _play(
    out: Decks,
    bins: Bytes,
    now: Counts,
    held: Counts,
    cells: Decks,
    masks: Words,
    chute: Decks,
    table: Decks,
    share: Floats,
    capacity: int,
    low: int,
    pack: int,
    v: Word32s,
    c: Word32s,
    buffer: Bytes,
    place: Counts,
    interval: int,
    start: Word32s,
    rounds: Word32s,
) -> bool:
    """Deal until `out` is full (True) or a reseed is due (False).

    `out` takes the cards as they leave, `bins` the bin of each card that was fed, from _FED on
    modulo its length. `masks`: bins with room, bins with cards.
    """
    wrap = len(chute) - 1  # both rings are powers of two long
    while now[_OUT] < len(out):
        fill = now[_STAGE] != _LOADING and now[_SUPPLY] <= low and masks[1] != np.uint64(0)
        if not fill:
            if now[_STAGE] == _LOADING and now[_FED] == pack:
                now[_STAGE] = _DEALING
                continue
            if now[_STAGE] == _DEALING:
                if now[_DEALT] < now[_WANTED]:
                    card = chute[now[_HEAD]]
                    now[_HEAD] = (now[_HEAD] + 1) & wrap
                    now[_SUPPLY] -= 1
                    out[now[_OUT]] = card
                    table[now[_DEALT]] = card
                    now[_OUT] += 1
                    now[_DEALT] += 1
                else:
                    now[_STAGE] = _RETURNING
                    now[_TAKEN] = 0
                continue
            if now[_STAGE] == _RETURNING and now[_TAKEN] == now[_DEALT]:
                now[_STAGE] = _DEALING
                now[_DEALT] = 0
                now[_ROUND] += 1
                now[_WANTED] = _cards_of(now[_ROUND])
                continue
        mask = masks[1] if fill else masks[0]
        fitting = ones_in(mask)
        left = 0
        if fitting > 1:
            if place[0] + 2 <= 256:
                number = within(2, buffer, place[0])
                place[0] += 2
            elif place[1] > interval:
                return False
            else:
                number = across(2, v, c, buffer, place, start, rounds)
            left = int(number / share[fitting])
            if left >= fitting:
                continue
        chosen = _nth(mask, left)
        bit = np.uint64(1) << np.uint64(chosen)
        if fill:
            for i in range(held[chosen]):
                chute[(now[_HEAD] + now[_SUPPLY]) & wrap] = cells[chosen, i]
                now[_SUPPLY] += 1
            held[chosen] = 0
            masks[0] |= bit
            masks[1] &= ~bit
        else:
            card = now[_FED] if now[_STAGE] == _LOADING else whole(table[now[_TAKEN]])
            cells[chosen, held[chosen]] = card
            held[chosen] += 1
            masks[1] |= bit
            if held[chosen] == capacity:
                masks[0] &= ~bit
            bins[now[_FED] & (len(bins) - 1)] = chosen
            now[_FED] += 1
            if now[_STAGE] == _RETURNING:
                now[_TAKEN] += 1
    return True


class CarouselTwin:
    """A carousel loaded with a pack, dealing as long as it is asked to."""

    def __init__(
        self, source: TwinSource, bins: int, capacity: int, chute_low: int, pack: int
    ) -> None:
        if not 1 <= bins <= MOST_BINS or pack > bins * capacity:
            raise ValueError(f"a carousel has 1 to {MOST_BINS} bins, and they hold the pack")
        if pack <= MOST_ROUND:
            raise ValueError(f"a round takes {MOST_ROUND} cards: the pack needs more than that")
        self._source = source
        self._capacity, self._low, self._pack = capacity, chute_low, pack
        self._now = np.zeros(9, dtype=np.int64)
        self._now[_WANTED] = _cards_of(0)
        self._held = np.zeros(bins, dtype=np.int64)
        self._cells = np.zeros((bins, capacity), dtype=np.uint16)
        self._masks = np.array([(1 << bins) - 1, 0], dtype=np.uint64)
        self._chute = np.zeros(1 << (pack + capacity).bit_length(), dtype=np.uint16)
        self._shares = shares(bins)
        self._table = np.zeros(MOST_ROUND + 1, dtype=np.uint16)
        self.bins = np.zeros(1 << 16, dtype=np.uint8)  # of the cards fed last

    @property
    def fed(self) -> int:
        return int(self._now[_FED])

    def deal(self, cards: int) -> Decks:
        """The next cards, in the order in which they leave."""
        out = np.empty(cards, dtype=np.uint16)
        self._now[_OUT] = 0

        def batch(
            v: Word32s,
            c: Word32s,
            buffer: Bytes,
            place: Counts,
            interval: int,
            start: Word32s,
            rounds: Word32s,
        ) -> bool:
            return _play(
                out,
                self.bins,
                self._now,
                self._held,
                self._cells,
                self._masks,
                self._chute,
                self._table,
                self._shares,
                self._capacity,
                self._low,
                self._pack,
                v,
                c,
                buffer,
                place,
                interval,
                start,
                rounds,
            )

        self._source.run(batch)
        return out
