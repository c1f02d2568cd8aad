"""The firmware's carousel (`core/carousel.py`), with the cards that the firmware cannot see.

A history is a pack loaded, and then round after round: so many cards dealt from the chute, and
the same cards fed back one by one. Before each step the chute is filled where it is low, as the
firmware's `_serve` does. How many cards a round takes is no secret and comes from a counter;
after every so many rounds the source cycles, as it does at a table while nothing moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rng_certification.base.compiled import Bytes, Counts, Decks, Floats, Words, compiled, whole
from rng_certification.continuous.steps import BIN_SHIFT, DEALT, FED, PUSHED, ROUND, STEP_SHIFT
from rng_certification.continuous.steps import Steps as StepCodes
from rng_certification.twin.bins import (
    WITH_CARDS,
    WITH_ROOM,
    how_many,
    nth,
    put_in,
    sets_of_bins,
    take_out,
)
from rng_certification.twin.generator import across, shares, within
from rng_certification.twin.sha256 import Word32s
from rng_certification.twin.source import TwinSource

MOST_BINS = 512  # as many as a machine file may have
LEAST_ROUND, MOST_ROUND = 4, 23
_LOADING, _DEALING, _RETURNING = 0, 1, 2
# Where the history stands, by place in `now`.
_STAGE, _FED, _DEALT, _TAKEN, _SUPPLY, _HEAD, _OUT, _ROUND, _WANTED, _NOTED, _CYCLE_IN = range(11)


@compiled
def _cards_of(round_number: int) -> int:
    """LEAST_ROUND to MOST_ROUND, from the number of the round."""
    return LEAST_ROUND + (round_number * 2654435761 >> 7) % (MOST_ROUND + 1 - LEAST_ROUND)


@compiled
def _note(steps: StepCodes, now: Counts, step: int, chosen: int, card: int) -> None:
    """Where nothing is to be noted, `steps` is empty."""
    if len(steps):
        steps[now[_NOTED]] = step << STEP_SHIFT | chosen << BIN_SHIFT | card
        now[_NOTED] += 1


@compiled
def _play(
    out: Decks,
    bins: Decks,
    steps: StepCodes,
    now: Counts,
    held: Counts,
    cells: Decks,
    sets: Words,
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
    """Deal until `out` is full or the source is to cycle (True), or a reseed is due (False).

    `out` takes the cards as they leave, `bins` the bin of each card that was fed, from _FED on
    modulo its length.
    """
    wrap = len(chute) - 1  # both rings are powers of two long
    while now[_OUT] < len(out) and now[_CYCLE_IN] != 0:
        fill = now[_STAGE] != _LOADING and now[_SUPPLY] <= low and how_many(sets, WITH_CARDS) > 0
        if not fill:
            if now[_STAGE] == _LOADING and now[_FED] == pack:
                now[_STAGE] = _DEALING
                _note(steps, now, ROUND, 0, 0)
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
                    _note(steps, now, DEALT, 0, whole(card))
                else:
                    now[_STAGE] = _RETURNING
                    now[_TAKEN] = 0
                continue
            if now[_STAGE] == _RETURNING and now[_TAKEN] == now[_DEALT]:
                now[_STAGE] = _DEALING
                now[_DEALT] = 0
                now[_ROUND] += 1
                now[_WANTED] = _cards_of(now[_ROUND])
                now[_CYCLE_IN] -= 1
                _note(steps, now, ROUND, 0, 0)
                continue
        which = WITH_CARDS if fill else WITH_ROOM
        fitting = how_many(sets, which)
        left = 0
        if fitting > 1:
            size = 2 if fitting <= 256 else 3
            if place[0] + size <= 256:
                number = within(size, buffer, place[0])
                place[0] += size
            elif place[1] > interval:
                return False
            else:
                number = across(size, v, c, buffer, place, start, rounds)
            left = int(number / share[fitting])
            if left >= fitting:
                continue
        chosen = nth(sets, which, left)
        if fill:
            for i in range(held[chosen]):
                chute[(now[_HEAD] + now[_SUPPLY]) & wrap] = cells[chosen, i]
                now[_SUPPLY] += 1
            _note(steps, now, PUSHED, chosen, held[chosen])
            held[chosen] = 0
            put_in(sets, WITH_ROOM, chosen)
            take_out(sets, WITH_CARDS, chosen)
        else:
            card = now[_FED] if now[_STAGE] == _LOADING else whole(table[now[_TAKEN]])
            cells[chosen, held[chosen]] = card
            held[chosen] += 1
            put_in(sets, WITH_CARDS, chosen)
            if held[chosen] == capacity:
                take_out(sets, WITH_ROOM, chosen)
            bins[now[_FED] & (len(bins) - 1)] = chosen
            _note(steps, now, FED, chosen, card)
            now[_FED] += 1
            if now[_STAGE] == _RETURNING:
                now[_TAKEN] += 1
    return True


class CarouselTwin:
    """A carousel loaded with a pack, dealing as long as it is asked to.

    With `cycle_every` the source cycles after every so many rounds.
    """

    def __init__(
        self,
        source: TwinSource,
        bins: int,
        capacity: int,
        chute_low: int,
        pack: int,
        cycle_every: int = 0,
    ) -> None:
        if not 1 <= bins <= MOST_BINS or pack > bins * capacity:
            raise ValueError(f"a carousel has 1 to {MOST_BINS} bins, and they hold the pack")
        if pack <= MOST_ROUND:
            raise ValueError(f"a round takes {MOST_ROUND} cards: the pack needs more than that")
        self._source = source
        self._capacity, self._low, self._pack = capacity, chute_low, pack
        self._cycle_every = cycle_every or -1
        self._now = np.zeros(11, dtype=np.int64)
        self._now[_WANTED] = _cards_of(0)
        self._now[_CYCLE_IN] = self._cycle_every
        self._held = np.zeros(bins, dtype=np.int64)
        self._cells = np.zeros((bins, capacity), dtype=np.uint16)
        self._sets = sets_of_bins(bins)
        self._chute = np.zeros(1 << (pack + capacity).bit_length(), dtype=np.uint16)
        self._shares = shares(bins)
        self._table = np.zeros(MOST_ROUND + 1, dtype=np.uint16)
        self.bins = np.zeros(1 << 16, dtype=np.uint16)  # of the cards fed last

    @property
    def fed(self) -> int:
        return int(self._now[_FED])

    def deal(self, cards: int) -> Decks:
        """The next cards, in the order in which they leave."""
        return self._deal(cards, np.empty(0, dtype=np.uint32))

    def steps(self, cards: int) -> StepCodes:
        """All that happens until so many more cards have left."""
        # a card is dealt, fed and pushed once for each time it is dealt; a pack may come before
        steps = np.empty(4 * (cards + self._pack + MOST_ROUND), dtype=np.uint32)
        self._now[_NOTED] = 0
        self._deal(cards, steps)
        return steps[: self._now[_NOTED]]

    def _deal(self, cards: int, steps: StepCodes) -> Decks:
        out = np.empty(cards, dtype=np.uint16)
        self._now[_OUT] = 0

        def batch(*state: Any) -> bool:
            return _play(out, *self._mechanics(steps), *state)

        while self._now[_OUT] < cards:
            self._source.run(batch)
            self._cycle_where_due()
        return out

    def _mechanics(self, steps: StepCodes) -> tuple[Any, ...]:
        """What `_play` takes between its output and the source."""
        return (
            self.bins,
            steps,
            self._now,
            self._held,
            self._cells,
            self._sets,
            self._chute,
            self._table,
            self._shares,
            self._capacity,
            self._low,
            self._pack,
        )

    def _cycle_where_due(self) -> None:
        if self._now[_CYCLE_IN] == 0:
            self._source.cycle()
            self._now[_CYCLE_IN] = self._cycle_every
