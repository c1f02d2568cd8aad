"""A simulation of any carousel design at a table, from its description.

It is not the certificate's law of a machine (see `continuous/reference.py`). Here a push may move a
complete bin, a part of it or single cards, from either end. A bin is chosen by its load and by the
time since its last choice. A pushed card may go back into a bin by chance, and the chute may have
lanes. So the counters can be tested on machines that do not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rng_certification.base.compiled import Counts, Decks, Floats, compiled, whole
from rng_certification.continuous.steps import BIN_SHIFT, DEALT, FED, PUSHED, ROUND, STEP_SHIFT
from rng_certification.continuous.steps import Steps as StepCodes

EJECTIONS = ("group", "part", "single")
ENDS = (
    "first",
    "last",
    "either",
)  # end of a bin from which its cards leave: the oldest card is first
LEAST_ROUND, MOST_ROUND = 4, 23  # default lengths of rounds: those of a table
_GROUP, _PART, _SINGLE = range(3)
_FIRST, _LAST, _EITHER = range(3)
RESTED = 3  # choices per bin after which the waiting time no longer increases
_FULLY = 0.9  # the maximum gain, as a part of the way to certainty, of a bin that waited this long
# Indices of the model's state in `now`.
_SUPPLY, _IN_BINS, _ROUND_NUMBER, _WRITTEN, _LOADED = range(5)


@dataclass(frozen=True)
class CarouselLaw:
    """The rules by which a carousel of bins chooses; with empty weights all are equal."""

    bins: int
    capacity: int
    chute_low: int
    pack: int
    ejection: str = "group"
    into: tuple[float, ...] = ()  # weight of a bin with 0 .. capacity - 1 cards
    out: tuple[float, ...] = ()  # weight of a bin with 1 .. capacity cards
    end: str = "first"
    rest: float = 0.0  # gain of a bin that was not chosen for long; 1 levels it best
    again: float = 0.0  # chance that a pushed card goes back into a bin, unseen
    lanes: int = 1  # of the chute; a random draw chooses the lane that a card enters and leaves

    def __post_init__(self) -> None:
        if self.ejection not in EJECTIONS:
            raise ValueError(
                f"ejection must be one of {', '.join(EJECTIONS)}, not {self.ejection!r}"
            )
        if self.end not in ENDS:
            raise ValueError(f"end must be one of {', '.join(ENDS)}, not {self.end!r}")
        if self.pack > self.bins * self.capacity:
            raise ValueError(f"{self.pack} cards do not fit into {self.bins} x {self.capacity}")
        if self.again and self.ejection != "single":
            raise ValueError("only single cards can go back into a bin")
        for weights in (self.into, self.out):
            if weights and (len(weights) != self.capacity or min(weights) <= 0):
                raise ValueError(f"weights must be {self.capacity} numbers above zero")

    @property
    def feeding(self) -> Floats:
        """Weights by load, 0 .. capacity; zero for a full bin."""
        return np.array([*(self.into or (1.0,) * self.capacity), 0.0])

    @property
    def ejecting(self) -> Floats:
        """Weights by load, 0 .. capacity; zero for an empty bin."""
        return np.array([0.0, *(self.out or (1.0,) * self.capacity)])

    @property
    def weighted(self) -> bool:
        """Whether the load of a bin changes its chances."""
        return any(len(set(weights)) > 1 for weights in (self.into, self.out))

    @property
    def one_by_one(self) -> bool:
        """Whether single cards leave a bin in the order of entry, and bins are chosen by load."""
        plain = (self.rest, self.again, self.lanes) == (0.0, 0.0, 1)
        return plain and self.ejection == "single" and self.end == "first"

    @property
    def rested(self) -> Floats:
        """The growth of a bin's weight with each choice of another bin."""
        waited = np.arange(RESTED * self.bins + 1) / (RESTED * self.bins)
        grown: Floats = (1 - _FULLY * waited) ** -self.rest
        return grown

    def with_pack(self, pack: int) -> CarouselLaw:
        return replace(self, pack=pack)


@compiled
def _chosen(
    random: np.random.Generator, held: Counts, weights: Floats, waited: Counts, rested: Floats
) -> int:
    total = 0.0
    most = len(rested) - 1
    for b in range(len(held)):
        total += weights[held[b]] * rested[min(waited[b], most)]
    left = random.random() * total
    last = 0
    for b in range(len(held)):
        weight = weights[held[b]] * rested[min(waited[b], most)]
        waited[b] += 1
        if weight > 0 and left >= 0:
            last = b
            left -= weight
    waited[last] = 0
    return last


@compiled
def _into_bin(
    random: np.random.Generator, card: int, weights: Floats, rested: Floats, waited: Counts,
    held: Counts, cells: Decks, now: Counts,
) -> int:  # fmt: skip
    b = _chosen(random, held, weights, waited, rested)
    cells[b, held[b]] = card
    held[b] += 1
    now[_IN_BINS] += 1
    return b


@compiled
def _fill_chute(
    random: np.random.Generator, low: int, way: int, end: int, again: float, feeding: Floats,
    ejecting: Floats, rested: Floats, waited: Counts, held: Counts, cells: Decks,
    chute: Decks, ends: Counts, now: Counts, steps: StepCodes,
) -> None:  # fmt: skip
    while now[_SUPPLY] <= low and now[_IN_BINS] > 0:
        b = _chosen(random, held, ejecting, waited[1], rested)
        load = held[b]
        number = load if way == _GROUP else 1 if way == _SINGLE else random.integers(1, load + 1)
        lifo = end == _LAST or (end == _EITHER and random.integers(0, 2) == 1)
        first = whole(cells[b, load - 1 if lifo else 0])
        back = again > 0 and random.random() < again
        lane = random.integers(0, len(ends)) if len(ends) > 1 else 0
        for i in range(0 if back else number):
            card = cells[b, load - 1 - i] if lifo else cells[b, i]
            chute[lane, ends[lane, 1] % chute.shape[1]] = card
            ends[lane, 1] += 1
            now[_SUPPLY] += 1
        if not lifo:
            for i in range(number, load):
                cells[b, i - number] = cells[b, i]
        held[b] -= number
        now[_IN_BINS] -= number
        if back:
            _into_bin(random, first, feeding, rested, waited[0], held, cells, now)
            continue
        steps[now[_WRITTEN]] = PUSHED << STEP_SHIFT | b << BIN_SHIFT | number
        now[_WRITTEN] += 1


@compiled
def _from_chute(random: np.random.Generator, chute: Decks, ends: Counts, now: Counts) -> int:
    lane = random.integers(0, len(ends)) if len(ends) > 1 else 0
    while ends[lane, 0] == ends[lane, 1]:
        lane = (lane + 1) % len(ends)
    card = chute[lane, ends[lane, 0] % chute.shape[1]]
    ends[lane, 0] += 1
    now[_SUPPLY] -= 1
    return whole(card)


@compiled
def _feed(
    random: np.random.Generator, card: int, weights: Floats, rested: Floats, waited: Counts,
    held: Counts, cells: Decks, now: Counts, steps: StepCodes,
) -> None:  # fmt: skip
    b = _into_bin(random, card, weights, rested, waited[0], held, cells, now)
    steps[now[_WRITTEN]] = FED << STEP_SHIFT | b << BIN_SHIFT | card
    now[_WRITTEN] += 1


@compiled
def _play(
    cards: int, lengths: Counts, random: np.random.Generator, low: int, way: int, end: int,
    again: float, feeding: Floats, ejecting: Floats, rested: Floats, waited: Counts, held: Counts,
    cells: Decks, chute: Decks, ends: Counts, table: Decks, now: Counts,
    steps: StepCodes,
) -> None:  # fmt: skip
    dealt = 0
    while dealt < cards:
        length = lengths[now[_ROUND_NUMBER] % len(lengths)]
        now[_ROUND_NUMBER] += 1
        steps[now[_WRITTEN]] = ROUND << STEP_SHIFT
        now[_WRITTEN] += 1
        for i in range(length):
            _fill_chute(random, low, way, end, again, feeding, ejecting, rested, waited, held,
                        cells, chute, ends, now, steps)  # fmt: skip
            table[i] = _from_chute(random, chute, ends, now)
            steps[now[_WRITTEN]] = DEALT << STEP_SHIFT | table[i]
            now[_WRITTEN] += 1
        for i in range(length):
            _fill_chute(random, low, way, end, again, feeding, ejecting, rested, waited, held,
                        cells, chute, ends, now, steps)  # fmt: skip
            _feed(random, whole(table[i]), feeding, rested, waited, held, cells, now,
                  steps)  # fmt: skip
        dealt += length


@compiled
def _load(
    pack: int, random: np.random.Generator, weights: Floats, rested: Floats, waited: Counts,
    held: Counts, cells: Decks, now: Counts, steps: StepCodes,
) -> None:  # fmt: skip
    for card in range(pack):
        _feed(random, card, weights, rested, waited, held, cells, now, steps)


class SimulatedCarousel:
    """A carousel at a table: `steps` returns its history in the format of `continuous/steps.py`."""

    def __init__(self, law: CarouselLaw, seed: int, lengths: Sequence[int] = ()) -> None:
        self._law = law
        self._random = np.random.Generator(np.random.PCG64(seed))
        most = min(MOST_ROUND, law.pack - law.chute_low - 2)
        drawn = np.random.default_rng(seed).integers(min(LEAST_ROUND, most), most + 1, 1 << 12)
        self._lengths = np.array(lengths, dtype=np.int64) if len(lengths) else drawn
        if not 1 <= int(self._lengths.min()) <= int(self._lengths.max()) < law.pack:
            raise ValueError(
                "a round must take at least one card, and leave at least one in the machine"
            )
        self._held = np.zeros(law.bins, dtype=np.int64)
        self._cells = np.zeros((law.bins, law.capacity), dtype=np.uint16)
        self._chute = np.zeros((law.lanes, law.pack + 1), dtype=np.uint16)
        self._ends = np.zeros((law.lanes, 2), dtype=np.int64)
        self._waited = np.zeros((2, law.bins), dtype=np.int64)
        self._table = np.zeros(int(self._lengths.max()), dtype=np.uint16)
        self._now = np.zeros(5, dtype=np.int64)

    def steps(self, cards: int) -> StepCodes:
        """Return the steps of complete rounds until at least `cards` more cards have left."""
        law, now = self._law, self._now
        steps = np.empty(4 * (cards + len(self._table) + law.pack), dtype=np.uint32)
        now[_WRITTEN] = 0
        if not now[_LOADED]:
            _load(
                law.pack, self._random, law.feeding, law.rested, self._waited, self._held,
                self._cells, now, steps,
            )  # fmt: skip
            now[_LOADED] = 1
        _play(
            cards, self._lengths, self._random, law.chute_low, EJECTIONS.index(law.ejection),
            ENDS.index(law.end), law.again, law.feeding, law.ejecting, law.rested, self._waited,
            self._held, self._cells, self._chute, self._ends, self._table, now, steps,
        )  # fmt: skip
        return steps[: now[_WRITTEN]]
