"""The firmware's `RandomSource` with its output compiled.

Noise, health tests, seeding, reseeding and mixing are rare; they are the firmware's own code, run
by CPython. The twin compiles only the frequent operations, requests and draws. It works on the same
state, and returns it to the firmware's object when a batch ends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cutcard.machines import Row
from cutcard_firmware.core.random.source import RandomSource
from rng_certification.base.compiled import Bytes, Counts, Decks, Draws
from rng_certification.twin.bins import empty_bins
from rng_certification.twin.generator import fill_bytes, fill_draws, share_of_a_value, shares
from rng_certification.twin.packs import fill_carousels, fill_shelves, fill_slots
from rng_certification.twin.sha256 import ROUNDS, START, Word32s
from rng_certification.twin.state import (
    put_state,
    reseed,
    reseed_interval,
    resists_prediction,
    take_state,
)

# A batch of work: it returns when it is done (True) or when a reseed is due (False).
Batch = Callable[[Word32s, Word32s, Bytes, Counts, int, Word32s, Word32s], bool]


class TwinSource(RandomSource):
    """A random source with the firmware's draws, which can continue from the firmware's state."""

    def draws(self, span: int, number: int) -> Draws:
        """Return this many draws from 0 to span - 1."""
        out = np.empty(number, dtype=np.uint32)
        self._fill(partial(fill_draws, span, out), number)
        return out

    def bytes(self, number: int) -> Bytes:
        """Return raw output, the same bytes that draws would use."""
        out = np.empty(number, dtype=np.uint8)
        self._fill(partial(fill_bytes, out), number)
        return out

    def slot_shuffles(self, cards: int, number: int) -> Decks:
        """Return packs through the firmware's `Slots`: each card by its place in the tray."""
        out = np.empty((number, cards), dtype=np.uint16)
        slots = np.empty(cards, dtype=np.int64)
        self._fill(partial(fill_slots, out, slots, shares(cards)), out.size)
        return out

    def shelf_shuffles(self, shelves: int, capacity: int, cards: int, number: int) -> Decks:
        """Return packs through the firmware's `Shelves`."""
        _require_room(shelves, capacity, cards)
        out = np.empty((number, cards), dtype=np.uint16)
        chosen, held = np.empty(cards, dtype=np.int64), np.zeros(2 * shelves, dtype=np.int64)
        share = share_of_a_value(2 * shelves)
        self._fill(partial(fill_shelves, out, chosen, held, capacity, share), out.size)
        return out

    def carousel_shuffles(
        self,
        bins: int,
        capacity: int,
        cards: int,
        number: int,
        single: bool = False,
        row: Row | None = None,
    ) -> Decks:
        """Return packs loaded into the firmware's `Carousel` and dealt out, without returns."""
        _require_room(bins, capacity, cards)
        out = np.empty((number, cards), dtype=np.uint16)
        placed = np.zeros(1, dtype=np.int64)
        into, out_of = row or ((), ())
        held = empty_bins(bins, capacity, into, out_of)
        share = shares(bins * int(held.weights.max()))
        self._fill(partial(fill_carousels, out, placed, *held, single, share), out.size)
        return out

    def _fill(self, fill: Callable[..., int], number: int) -> None:
        done = 0

        def batch(*state: Any) -> bool:
            nonlocal done
            done = fill(done, *state)
            return done == number

        self.run(batch)

    def run(self, batch: Batch) -> None:
        """Call the batch until it is done, and reseed from noise on each request for it.

        With prediction resistance every request needs a reseed: the batch makes no request before
        the first reseed, and one after each.
        """
        self._require_healthy()
        resists, most = resists_prediction(self), reseed_interval(self)
        finished = reseeded = False
        while not finished:
            state = take_state(self)
            interval = int(reseeded) if resists else most
            finished = batch(state.v, state.c, state.buffer, state.place, interval, START, ROUNDS)
            put_state(self, state)
            if not finished:
                reseed(self)
                reseeded = True


def _require_room(bins: int, capacity: int, cards: int) -> None:
    if bins < 1 or cards > bins * capacity:
        raise ValueError(f"{cards} cards do not fit into {bins} bins of {capacity}")
