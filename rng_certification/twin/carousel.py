"""The firmware's carousel (`core/cards/carousel.py`), with the cards that the firmware cannot see.

A history begins with loading a pack. Each round deals cards from the chute, and feeds the same
cards back one by one. Before each step a low chute is refilled, by single cards or by complete
bins, as in the firmware's `_serve`. The number of cards of a round is public and comes from a
counter. After a fixed number of rounds the source cycles, as it does at a table while the machine
is idle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutcard.machines import Row
from rng_certification.base.compiled import Bytes, Counts, Decks, Floats, Words, compiled, whole
from rng_certification.continuous.steps import BIN_SHIFT, DEALT, FED, PUSHED, ROUND, STEP_SHIFT
from rng_certification.continuous.steps import Steps as StepCodes
from rng_certification.twin.bins import (
    HELD,
    INTO,
    OUT,
    change_load,
    chosen_bin,
    empty_bins,
    put_in,
    take_out,
)
from rng_certification.twin.generator import across, values_a_number, within
from rng_certification.twin.sha256 import Word32s
from rng_certification.twin.source import TwinSource

MOST_BINS = 512  # the most that a machine file may have
LEAST_ROUND, MOST_ROUND = 4, 23
_LOADING, _DEALING, _RETURNING = 0, 1, 2
# Indices of the history's state in `now`.
_STAGE, _FED, _DEALT, _TAKEN, _SUPPLY, _HEAD, _OUT, _ROUND, _WANTED, _NOTED, _CYCLE_IN = range(11)


@compiled
def _cards_of(round_number: int) -> int:
    """Return LEAST_ROUND to MOST_ROUND, from the number of the round."""
    return LEAST_ROUND + (round_number * 2654435761 >> 7) % (MOST_ROUND + 1 - LEAST_ROUND)


@compiled
def _note(steps: StepCodes, now: Counts, step: int, chosen: int, card: int) -> None:
    """Record a step, unless `steps` is empty."""
    if len(steps):
        steps[now[_NOTED]] = step << STEP_SHIFT | chosen << BIN_SHIFT | card
        now[_NOTED] += 1


@compiled
def _play(
    out: Decks,
    bins: Decks,
    steps: StepCodes,
    now: Counts,
    state: Counts,
    cells: Decks,
    members: Words,
    number: Counts,
    weights: Counts,
    totals: Counts,
    chute: Decks,
    table: Decks,
    values_a_number: Floats,
    single: bool,
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
    """Deal until `out` is full or the source must cycle (True), or a reseed is due (False).

    `out` receives the cards as they leave, `bins` the bin of each card that was fed, from _FED on
    modulo its length.
    """
    wrap, ring = len(chute) - 1, len(bins) - 1  # both rings are powers of two long
    # As separate names, and not in an array, they stay in the processor's registers.
    stage, fed, dealt, taken, wanted = (
        now[_STAGE],
        now[_FED],
        now[_DEALT],
        now[_TAKEN],
        now[_WANTED],
    )
    supply, head, left_so_far = now[_SUPPLY], now[_HEAD], now[_OUT]
    finished = True
    cycle_in = now[_CYCLE_IN]
    while left_so_far < len(out) and cycle_in != 0:
        fill = supply <= low and stage != _LOADING and totals[OUT] > 0
        if not fill:
            if stage == _DEALING:
                if dealt < wanted:
                    card = whole(chute[head])
                    head = (head + 1) & wrap
                    supply -= 1
                    out[left_so_far] = card
                    table[dealt] = card
                    left_so_far += 1
                    dealt += 1
                    _note(steps, now, DEALT, 0, card)
                else:
                    stage, taken = _RETURNING, 0
                continue
            if stage == _RETURNING and taken == dealt:
                stage, dealt = _DEALING, 0
                now[_ROUND] += 1
                wanted = _cards_of(now[_ROUND])
                cycle_in -= 1
                _note(steps, now, ROUND, 0, 0)
                continue
            if stage == _LOADING and fed == pack:
                stage = _DEALING
                _note(steps, now, ROUND, 0, 0)
                continue
        which = OUT if fill else INTO
        total = totals[which]
        left = 0
        if total > 1:
            size = 2 if total <= 0x100 else 3 if total <= 0x10000 else 4
            if place[0] + size <= 256:
                drawn = within(size, buffer, place[0])
                place[0] += size
            elif place[1] > interval:
                finished = False
                break
            else:
                drawn = across(size, v, c, buffer, place, start, rounds)
            left = int((drawn + 0.5) * values_a_number[total])
            if left >= total:
                continue
        chosen = chosen_bin(members, number, weights, which, left)
        if fill:
            moved = 1 if single else state[HELD, chosen]
            for _ in range(moved):
                chute[(head + supply) & wrap] = take_out(state, cells, chosen)
                supply += 1
            _note(steps, now, PUSHED, chosen, moved)
            change_load(state, members, number, weights, totals, chosen, -moved)
        else:
            card = fed if stage == _LOADING else whole(table[taken])
            put_in(state, cells, chosen, card)
            change_load(state, members, number, weights, totals, chosen, 1)
            bins[fed & ring] = chosen
            _note(steps, now, FED, chosen, card)
            fed += 1
            taken += 1
    now[_STAGE], now[_FED], now[_DEALT], now[_TAKEN], now[_WANTED] = (
        stage,
        fed,
        dealt,
        taken,
        wanted,
    )
    now[_SUPPLY], now[_HEAD], now[_OUT], now[_CYCLE_IN] = supply, head, left_so_far, cycle_in
    return finished


class CarouselTwin:
    """A carousel loaded with a pack, which deals endlessly.

    With `cycle_every` the source cycles after that number of rounds. Without a `row` of weights all
    bins are equal.
    """

    def __init__(
        self,
        source: TwinSource,
        bins: int,
        capacity: int,
        chute_low: int,
        pack: int,
        cycle_every: int = 0,
        single: bool = False,
        row: Row | None = None,
    ) -> None:
        if not 1 <= bins <= MOST_BINS or pack > bins * capacity:
            raise ValueError(f"a carousel must have 1 to {MOST_BINS} bins, with room for the pack")
        if pack <= MOST_ROUND:
            raise ValueError(
                f"a round takes up to {MOST_ROUND} cards: the pack needs more than that"
            )
        self._source = source
        self._single, self._low, self._pack = single, chute_low, pack
        self._cycle_every = cycle_every or -1
        self._now = np.zeros(11, dtype=np.int64)
        self._now[_WANTED] = _cards_of(0)
        self._now[_CYCLE_IN] = self._cycle_every
        into, out = row or ((), ())
        self._bins = empty_bins(bins, capacity, into, out)
        self._chute = np.zeros(1 << (pack + capacity).bit_length(), dtype=np.uint16)
        self._values_a_number = values_a_number(bins * int(self._bins.weights.max()))
        self._table = np.zeros(MOST_ROUND + 1, dtype=np.uint16)
        self.bins = np.zeros(1 << 16, dtype=np.uint16)  # of the last fed cards

    @property
    def fed(self) -> int:
        return int(self._now[_FED])

    def deal(self, cards: int) -> Decks:
        """Return the next cards, in the order in which they leave."""
        return self._deal(cards, np.empty(0, dtype=np.uint32))

    def steps(self, cards: int) -> StepCodes:
        """Return all steps until `cards` more cards have left."""
        # a card is dealt, fed and pushed once for each deal; a pack may be loaded before
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
        """Return the arguments of `_play` between its output and the source."""
        return (
            self.bins,
            steps,
            self._now,
            *self._bins,
            self._chute,
            self._table,
            self._values_a_number,
            self._single,
            self._low,
            self._pack,
        )

    def _cycle_where_due(self) -> None:
        if self._now[_CYCLE_IN] == 0:
            self._source.cycle()
            self._now[_CYCLE_IN] = self._cycle_every
