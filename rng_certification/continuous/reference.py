"""A second model of the machine, written from its description alone, which gives its law.

The machine: bins with a capacity; a card that comes back goes into any bin that has room, each as
likely as the others; while no more cards than the low mark lie in the chute, any bin that holds
cards is pushed out whole, each as likely as the others, and its cards join the chute in the order
in which they went in. A round takes its cards from the chute, and afterwards they go back in the
order in which they were dealt.

Nothing here is shared with the firmware or its twin: bins are found by trying until one fits, and
chance is numpy's PCG64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rng_certification.base.compiled import Counts, Decks, compiled
from rng_certification.continuous.steps import BIN_SHIFT, DEALT, FED, PUSHED, ROUND, STEP_SHIFT
from rng_certification.continuous.steps import Steps as StepCodes

# Where the model stands, by place in `now`.
_IN_CHUTE, _IN_BINS, _ROUND_NUMBER, _WRITTEN = range(4)


@dataclass(frozen=True)
class Settings:
    """What a machine file and a pack say of a carousel."""

    bins: int
    capacity: int
    chute_low: int
    pack: int

    def __post_init__(self) -> None:
        if self.pack > self.bins * self.capacity:
            raise ValueError(f"{self.pack} cards do not fit into {self.bins} x {self.capacity}")


@compiled
def _feed(
    card: int,
    random: np.random.Generator,
    held: Counts,
    cells: Decks,
    now: Counts,
    steps: StepCodes,
) -> None:
    bin_ = random.integers(0, len(held))
    while held[bin_] == cells.shape[1]:
        bin_ = random.integers(0, len(held))
    cells[bin_, held[bin_]] = card
    held[bin_] += 1
    now[_IN_BINS] += 1
    steps[now[_WRITTEN]] = FED << STEP_SHIFT | bin_ << BIN_SHIFT | card
    now[_WRITTEN] += 1


@compiled
def _fill_chute(
    low: int,
    random: np.random.Generator,
    held: Counts,
    cells: Decks,
    chute: Decks,
    now: Counts,
    steps: StepCodes,
) -> None:
    while now[_IN_CHUTE] <= low and now[_IN_BINS] > 0:
        bin_ = random.integers(0, len(held))
        while held[bin_] == 0:
            bin_ = random.integers(0, len(held))
        for i in range(held[bin_]):
            chute[now[_IN_CHUTE]] = cells[bin_, i]
            now[_IN_CHUTE] += 1
        steps[now[_WRITTEN]] = PUSHED << STEP_SHIFT | bin_ << BIN_SHIFT | held[bin_]
        now[_WRITTEN] += 1
        now[_IN_BINS] -= held[bin_]
        held[bin_] = 0


@compiled
def _rounds(
    cards: int,
    lengths: Counts,
    low: int,
    random: np.random.Generator,
    held: Counts,
    cells: Decks,
    chute: Decks,
    table: Decks,
    now: Counts,
    steps: StepCodes,
) -> int:
    """Whole rounds until at least so many cards were dealt; how many were."""
    dealt = 0
    while dealt < cards:
        length = lengths[now[_ROUND_NUMBER] % len(lengths)]
        now[_ROUND_NUMBER] += 1
        steps[now[_WRITTEN]] = ROUND << STEP_SHIFT
        now[_WRITTEN] += 1
        for i in range(length):
            _fill_chute(low, random, held, cells, chute, now, steps)
            table[i] = chute[0]
            now[_IN_CHUTE] -= 1
            for j in range(now[_IN_CHUTE]):
                chute[j] = chute[j + 1]
            steps[now[_WRITTEN]] = DEALT << STEP_SHIFT | table[i]
            now[_WRITTEN] += 1
        for i in range(length):
            _fill_chute(low, random, held, cells, chute, now, steps)
            _feed(table[i], random, held, cells, now, steps)
        dealt += length
    return dealt


@compiled
def _load(
    pack: int,
    random: np.random.Generator,
    held: Counts,
    cells: Decks,
    now: Counts,
    steps: StepCodes,
) -> None:
    for card in range(pack):
        _feed(card, random, held, cells, now, steps)


class ReferenceMachine:
    """Plays rounds of the lengths given, over and over."""

    def __init__(self, settings: Settings, lengths: Sequence[int], seed: int) -> None:
        if not lengths or not 1 <= min(lengths) <= max(lengths) < settings.pack:
            raise ValueError("a round takes a card or more, and leaves one in the machine")
        self._settings = settings
        self._lengths = np.array(lengths, dtype=np.int64)
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._held = np.zeros(settings.bins, dtype=np.int64)
        self._cells = np.zeros((settings.bins, settings.capacity), dtype=np.uint16)
        self._chute = np.zeros(settings.pack + settings.capacity + 1, dtype=np.uint16)
        self._table = np.zeros(max(lengths), dtype=np.uint16)
        self._now = np.zeros(4, dtype=np.int64)
        self._loaded = False

    def steps(self, cards: int) -> StepCodes:
        """What happens in whole rounds until at least so many more cards have left."""
        most = cards + len(self._table)
        steps = np.empty(4 * (most + self._settings.pack), dtype=np.uint32)
        self._now[_WRITTEN] = 0
        if not self._loaded:
            pack = self._settings.pack
            _load(pack, self._random, self._held, self._cells, self._now, steps)
            self._loaded = True
        _rounds(
            cards,
            self._lengths,
            self._settings.chute_low,
            self._random,
            self._held,
            self._cells,
            self._chute,
            self._table,
            self._now,
            steps,
        )
        return steps[: self._now[_WRITTEN]]
