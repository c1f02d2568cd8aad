"""A second model of the machine, written only from its description, to obtain its law.

The machine has bins with a capacity. A returned card goes into a bin with room. While the chute has
at most the low mark of cards, a bin that has cards is pushed: the card that entered first joins the
chute, or all its cards do, in the order of their entry. Chance selects the bin in both cases: the
chance of a bin is proportional to the weight in the machine's description for its load. A round
takes its cards from the chute; afterwards they return in the order in which they were dealt.

This module shares no code with the firmware or its twin. It proposes all bins equally often and
accepts a proposal by the ratio of its weight to the largest; the random numbers are numpy's PCG64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cutcard.machines import Machine
from rng_certification.base.compiled import Counts, Decks, compiled
from rng_certification.continuous.steps import BIN_SHIFT, DEALT, FED, PUSHED, ROUND, STEP_SHIFT
from rng_certification.continuous.steps import Steps as StepCodes

# Indices of the model's state in `now`.
_IN_CHUTE, _IN_BINS, _ROUND_NUMBER, _WRITTEN = range(4)


@dataclass(frozen=True)
class Settings:
    """The settings of a carousel from a machine file and a pack.

    `into` and `out` are weights for each load of a bin, from 0 and from 1 on; without weights, all
    loads are equal.
    """

    bins: int
    capacity: int
    chute_low: int
    pack: int
    single: bool = False  # one card per push
    into: tuple[int, ...] = ()
    out: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.pack > self.bins * self.capacity:
            raise ValueError(f"{self.pack} cards do not fit into {self.bins} x {self.capacity}")
        for weights in (self.into, self.out):
            if weights and (len(weights) != self.capacity or min(weights) < 1):
                raise ValueError(f"a bin of {self.capacity} needs as many weights, all above 0")

    @staticmethod
    def of(machine: Machine, pack: int) -> Settings:
        """Return the settings of a machine file, with one of the packs that it allows."""
        row = machine.row(pack)
        return Settings(
            machine.whole("bins.count"),
            machine.whole("bins.capacity"),
            machine.whole("chute.low"),
            pack,
            machine.single,
            row.into,
            row.out,
        )

    def weights(self) -> Counts:
        """The weights by load from 0 to the capacity, to receive a card (row 0) and to be pushed
        (row 1)."""
        alike = (1,) * self.capacity
        rows = [(*(self.into or alike), 0), (0, *(self.out or alike))]
        return np.array(rows, dtype=np.int64)


@compiled
def _chosen(random: np.random.Generator, held: Counts, weights: Counts) -> int:
    largest = weights.max()
    while True:
        bin_ = random.integers(0, len(held))
        weight = weights[held[bin_]]
        if weight == largest or random.integers(0, largest) < weight:
            return int(bin_)


@compiled
def _feed(
    card: int,
    weights: Counts,
    random: np.random.Generator,
    held: Counts,
    cells: Decks,
    now: Counts,
    steps: StepCodes,
) -> None:
    bin_ = _chosen(random, held, weights[0])
    cells[bin_, held[bin_]] = card
    held[bin_] += 1
    now[_IN_BINS] += 1
    steps[now[_WRITTEN]] = FED << STEP_SHIFT | bin_ << BIN_SHIFT | card
    now[_WRITTEN] += 1


@compiled
def _fill_chute(
    low: int,
    single: bool,
    weights: Counts,
    random: np.random.Generator,
    held: Counts,
    cells: Decks,
    chute: Decks,
    now: Counts,
    steps: StepCodes,
) -> None:
    while now[_IN_CHUTE] <= low and now[_IN_BINS] > 0:
        bin_ = _chosen(random, held, weights[1])
        leaving = 1 if single else held[bin_]
        for i in range(held[bin_]):
            if i < leaving:
                chute[now[_IN_CHUTE]] = cells[bin_, i]
                now[_IN_CHUTE] += 1
            else:
                cells[bin_, i - leaving] = cells[bin_, i]
        steps[now[_WRITTEN]] = PUSHED << STEP_SHIFT | bin_ << BIN_SHIFT | leaving
        now[_WRITTEN] += 1
        now[_IN_BINS] -= leaving
        held[bin_] -= leaving


@compiled
def _rounds(
    cards: int,
    lengths: Counts,
    low: int,
    single: bool,
    weights: Counts,
    random: np.random.Generator,
    held: Counts,
    cells: Decks,
    chute: Decks,
    table: Decks,
    now: Counts,
    steps: StepCodes,
) -> int:
    """Play complete rounds until at least `cards` cards were dealt; return the number dealt."""
    dealt = 0
    while dealt < cards:
        length = lengths[now[_ROUND_NUMBER] % len(lengths)]
        now[_ROUND_NUMBER] += 1
        steps[now[_WRITTEN]] = ROUND << STEP_SHIFT
        now[_WRITTEN] += 1
        for i in range(length):
            _fill_chute(low, single, weights, random, held, cells, chute, now, steps)
            table[i] = chute[0]
            now[_IN_CHUTE] -= 1
            for j in range(now[_IN_CHUTE]):
                chute[j] = chute[j + 1]
            steps[now[_WRITTEN]] = DEALT << STEP_SHIFT | table[i]
            now[_WRITTEN] += 1
        for i in range(length):
            _fill_chute(low, single, weights, random, held, cells, chute, now, steps)
            _feed(table[i], weights, random, held, cells, now, steps)
        dealt += length
    return dealt


@compiled
def _load(
    pack: int,
    weights: Counts,
    random: np.random.Generator,
    held: Counts,
    cells: Decks,
    now: Counts,
    steps: StepCodes,
) -> None:
    for card in range(pack):
        _feed(card, weights, random, held, cells, now, steps)


class ReferenceMachine:
    """Plays rounds of the given lengths, in a cycle."""

    def __init__(self, settings: Settings, lengths: Sequence[int], seed: int) -> None:
        if not lengths or not 1 <= min(lengths) <= max(lengths) < settings.pack:
            raise ValueError(
                "a round must take at least one card, and leave at least one in the machine"
            )
        self._settings = settings
        self._weights = settings.weights()
        self._lengths = np.array(lengths, dtype=np.int64)
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._held = np.zeros(settings.bins, dtype=np.int64)
        self._cells = np.zeros((settings.bins, settings.capacity), dtype=np.uint16)
        self._chute = np.zeros(settings.pack + settings.capacity + 1, dtype=np.uint16)
        self._table = np.zeros(max(lengths), dtype=np.uint16)
        self._now = np.zeros(4, dtype=np.int64)
        self._loaded = False

    def steps(self, cards: int) -> StepCodes:
        """Return the steps of complete rounds until at least `cards` more cards have left."""
        most = cards + len(self._table)
        steps = np.empty(4 * (most + self._settings.pack), dtype=np.uint32)
        self._now[_WRITTEN] = 0
        if not self._loaded:
            pack = self._settings.pack
            _load(pack, self._weights, self._random, self._held, self._cells, self._now, steps)
            self._loaded = True
        _rounds(
            cards,
            self._lengths,
            self._settings.chute_low,
            self._settings.single,
            self._weights,
            self._random,
            self._held,
            self._cells,
            self._chute,
            self._table,
            self._now,
            steps,
        )
        return steps[: self._now[_WRITTEN]]
