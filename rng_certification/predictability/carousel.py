"""Any carousel that a designer may think of, simulated by its description at a table.

Not the certificate's law of a machine (`continuous/reference.py` is that): here a bin may be pushed
out whole, in part or card by card, at either end, and a bin is
chosen by its load. So the counters can be tried on machines that nobody has built.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rng_certification.base.compiled import Counts, Decks, Floats, compiled, whole
from rng_certification.continuous.steps import BIN_SHIFT, DEALT, FED, PUSHED, ROUND, STEP_SHIFT
from rng_certification.continuous.steps import Steps as StepCodes

EJECTIONS = ("group", "part", "single")
ENDS = ("first", "last", "either")  # of a bin, from which its cards leave: the oldest card is first
LEAST_ROUND, MOST_ROUND = 4, 23  # cards of a round where nothing else is said: a table's
_GROUP, _PART, _SINGLE = range(3)
_FIRST, _LAST, _EITHER = range(3)
# Where the model stands, by place in `now`.
_HEAD, _SUPPLY, _IN_BINS, _ROUND_NUMBER, _WRITTEN, _LOADED = range(6)


@dataclass(frozen=True)
class CarouselLaw:
    """How a carousel of bins chooses; empty weights are all alike."""

    bins: int
    capacity: int
    chute_low: int
    pack: int
    ejection: str = "group"
    into: tuple[float, ...] = ()  # weight of a bin that holds 0 .. capacity - 1 cards
    out: tuple[float, ...] = ()  # weight of a bin that holds 1 .. capacity cards
    end: str = "first"

    def __post_init__(self) -> None:
        if self.ejection not in EJECTIONS:
            raise ValueError(f"ejection is one of {', '.join(EJECTIONS)}, not {self.ejection!r}")
        if self.end not in ENDS:
            raise ValueError(f"end is one of {', '.join(ENDS)}, not {self.end!r}")
        if self.pack > self.bins * self.capacity:
            raise ValueError(f"{self.pack} cards do not fit into {self.bins} x {self.capacity}")
        for weights in (self.into, self.out):
            if weights and (len(weights) != self.capacity or min(weights) <= 0):
                raise ValueError(f"weights are {self.capacity} numbers above zero")

    @property
    def feeding(self) -> Floats:
        """Weights by load, 0 .. capacity; a full bin has none."""
        return np.array([*(self.into or (1.0,) * self.capacity), 0.0])

    @property
    def ejecting(self) -> Floats:
        """Weights by load, 0 .. capacity; an empty bin has none."""
        return np.array([0.0, *(self.out or (1.0,) * self.capacity)])

    def with_pack(self, pack: int) -> CarouselLaw:
        return replace(self, pack=pack)


@compiled
def _chosen(random: np.random.Generator, held: Counts, weights: Floats) -> int:
    total = 0.0
    for load in held:
        total += weights[load]
    left = random.random() * total
    last = 0
    for b in range(len(held)):
        weight = weights[held[b]]
        if weight > 0:
            last = b
            left -= weight
            if left < 0:
                return b
    return last


@compiled
def _fill_chute(
    random: np.random.Generator, low: int, way: int, end: int, weights: Floats, held: Counts,
    cells: Decks, chute: Decks, now: Counts, steps: StepCodes,
) -> None:  # fmt: skip
    while now[_SUPPLY] <= low and now[_IN_BINS] > 0:
        b = _chosen(random, held, weights)
        load = held[b]
        number = load if way == _GROUP else 1 if way == _SINGLE else random.integers(1, load + 1)
        lifo = end == _LAST or (end == _EITHER and random.integers(0, 2) == 1)
        for i in range(number):
            card = cells[b, load - 1 - i] if lifo else cells[b, i]
            chute[(now[_HEAD] + now[_SUPPLY]) % len(chute)] = card
            now[_SUPPLY] += 1
        if not lifo:
            for i in range(number, load):
                cells[b, i - number] = cells[b, i]
        held[b] -= number
        now[_IN_BINS] -= number
        steps[now[_WRITTEN]] = PUSHED << STEP_SHIFT | b << BIN_SHIFT | number
        now[_WRITTEN] += 1


@compiled
def _feed(
    random: np.random.Generator, card: int, weights: Floats, held: Counts, cells: Decks,
    now: Counts, steps: StepCodes,
) -> None:  # fmt: skip
    b = _chosen(random, held, weights)
    cells[b, held[b]] = card
    held[b] += 1
    now[_IN_BINS] += 1
    steps[now[_WRITTEN]] = FED << STEP_SHIFT | b << BIN_SHIFT | card
    now[_WRITTEN] += 1


@compiled
def _play(
    cards: int, lengths: Counts, random: np.random.Generator, low: int, way: int, end: int,
    feeding: Floats, ejecting: Floats, held: Counts, cells: Decks, chute: Decks, table: Decks,
    now: Counts, steps: StepCodes,
) -> None:  # fmt: skip
    dealt = 0
    while dealt < cards:
        length = lengths[now[_ROUND_NUMBER] % len(lengths)]
        now[_ROUND_NUMBER] += 1
        steps[now[_WRITTEN]] = ROUND << STEP_SHIFT
        now[_WRITTEN] += 1
        for i in range(length):
            _fill_chute(random, low, way, end, ejecting, held, cells, chute, now, steps)
            table[i] = chute[now[_HEAD]]
            now[_HEAD] = (now[_HEAD] + 1) % len(chute)
            now[_SUPPLY] -= 1
            steps[now[_WRITTEN]] = DEALT << STEP_SHIFT | table[i]
            now[_WRITTEN] += 1
        for i in range(length):
            _fill_chute(random, low, way, end, ejecting, held, cells, chute, now, steps)
            _feed(random, whole(table[i]), feeding, held, cells, now, steps)
        dealt += length


@compiled
def _load(
    pack: int, random: np.random.Generator, weights: Floats, held: Counts, cells: Decks,
    now: Counts, steps: StepCodes,
) -> None:  # fmt: skip
    for card in range(pack):
        _feed(random, card, weights, held, cells, now, steps)


class SimulatedCarousel:
    """A carousel at a table: `steps` gives what happens, as `continuous/steps.py` writes it."""

    def __init__(self, law: CarouselLaw, seed: int, lengths: Sequence[int] = ()) -> None:
        self._law = law
        self._random = np.random.Generator(np.random.PCG64(seed))
        most = min(MOST_ROUND, law.pack - law.chute_low - 2)
        drawn = np.random.default_rng(seed).integers(min(LEAST_ROUND, most), most + 1, 1 << 12)
        self._lengths = np.array(lengths, dtype=np.int64) if len(lengths) else drawn
        if not 1 <= int(self._lengths.min()) <= int(self._lengths.max()) < law.pack:
            raise ValueError("a round takes a card or more, and leaves one in the machine")
        self._held = np.zeros(law.bins, dtype=np.int64)
        self._cells = np.zeros((law.bins, law.capacity), dtype=np.uint16)
        self._chute = np.zeros(law.pack + 1, dtype=np.uint16)
        self._table = np.zeros(int(self._lengths.max()), dtype=np.uint16)
        self._now = np.zeros(6, dtype=np.int64)

    def steps(self, cards: int) -> StepCodes:
        """What happens in whole rounds until at least so many more cards have left."""
        law, now = self._law, self._now
        steps = np.empty(4 * (cards + len(self._table) + law.pack), dtype=np.uint32)
        now[_WRITTEN] = 0
        if not now[_LOADED]:
            _load(law.pack, self._random, law.feeding, self._held, self._cells, now, steps)
            now[_LOADED] = 1
        _play(
            cards, self._lengths, self._random, law.chute_low, EJECTIONS.index(law.ejection),
            ENDS.index(law.end), law.feeding, law.ejecting, self._held, self._cells,
            self._chute, self._table, now, steps,
        )  # fmt: skip
        return steps[: now[_WRITTEN]]
