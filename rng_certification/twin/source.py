"""The firmware's `RandomSource` with its output compiled.

Noise, health tests, seeding, reseeding and mixing are the firmware's own code, run by CPython:
they are rare. Only what is made by the million, requests and draws, is made by the twin, on the
same state, which goes back into the firmware's object when a batch ends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from firmware.core.source import RandomSource
from rng_certification.compiled import Bytes, Counts, Decks, Draws
from rng_certification.twin.generator import fill_bytes, fill_draws, fill_shuffles, shares
from rng_certification.twin.sha256 import ROUNDS, START, Word32s

# A batch of work: it returns when it is done (True) or when a reseed is due (False).
Batch = Callable[[Word32s, Word32s, Bytes, Counts, int, Word32s, Word32s], bool]


class TwinSource(RandomSource):
    """Draws as the firmware's source draws them, and goes on where that one is."""

    def draws(self, span: int, number: int) -> Draws:
        """As many calls of `below(span)`."""
        out = np.empty(number, dtype=np.uint32)
        self._fill(partial(fill_draws, span, out), number)
        return out

    def bytes(self, number: int) -> Bytes:
        """Raw output, as draws would take it."""
        out = np.empty(number, dtype=np.uint8)
        self._fill(partial(fill_bytes, out), number)
        return out

    def shuffles(self, cards: int, number: int) -> Decks:
        """The permutations that the firmware's `Slots` draws for as many packs."""
        out = np.empty((number, cards), dtype=np.uint16)
        self._fill(partial(fill_shuffles, out, shares(cards)), number * cards)
        return out

    def _fill(self, fill: Callable[..., int], number: int) -> None:
        done = 0

        def batch(*state: Any) -> bool:
            nonlocal done
            done = fill(done, *state)
            return done == number

        self.run(batch)

    def run(self, batch: Batch) -> None:
        """Call the batch until it is done, reseeding from noise whenever it asks for it."""
        self._require_healthy()
        if self._prediction_resistance:
            raise ValueError("the twin makes no requests with prediction resistance")
        finished = False
        while not finished:
            drbg = self._drbg
            v, c = _words(drbg._v), _words(drbg._c)
            place = np.array([self._at, drbg._counter], dtype=np.int64)
            buffer = np.frombuffer(self._buffer, dtype=np.uint8)
            finished = batch(v, c, buffer, place, drbg._interval, START, ROUNDS)
            drbg._v[:] = _bytes(v)
            self._at, drbg._counter = int(place[0]), int(place[1])
            self._buffer[: self._at] = bytes(self._at)
            if not finished:
                drbg.reseed(self._entropy())


def _words(number: bytearray) -> Word32s:
    """55 bytes as 14 words, shifted left by a byte."""
    return np.frombuffer(bytes(number) + b"\0", dtype=">u4").astype(np.uint32)


def _bytes(words: Word32s) -> bytes:
    return words.astype(">u4").tobytes()[:-1]
