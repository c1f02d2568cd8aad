"""The assessment of a machine for its designer: predictability, speed, wear, and improvements.

Bits and gains are measured on simulated machines. Cards an hour and waiting are estimates from the
times in the machine file and those of the bench's mechanics; `make bench` measures the firmware.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from cutcard.machines import Machine, Row
from cutcard.machines.legs import leg_ms
from rng_certification.continuous.counter import HOUSE_EDGE
from rng_certification.continuous.steps import CARD_MASK, FED, PUSHED, STEP_SHIFT
from rng_certification.continuous.weights import derive
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.ear import (
    Hearing,
    Sound,
    direction_bits,
    share_heard_right,
    turns_of,
)
from rng_certification.predictability.figures import (
    EAR,
    QUICK,
    Effort,
    Figure,
    Progress,
    silently,
)
from rng_certification.predictability.games import games_for
from rng_certification.predictability.lanes import bits_of_lanes
from rng_certification.predictability.measuring import MachineLeakage, logit_bits, measured
from rng_certification.predictability.money import Gain
from rng_certification.predictability.of_machine import (
    edge_of_knowing,
    law_of,
    order_heard,
    shelf_bits,
    sound_of,
)

LIMIT = 0.25
CARD_MS = 85  # time of a card past a sensor, on the bench
START_MS = 60  # approximate time until it gets there
HAND_MS = 1000  # a person takes one card per second
_WEIGHED = 400  # steps of the search for weights of bins of ten: enough for a first answer
_TALLEST = 30  # largest capacity for the search of weights: each step takes capacity^6
_WATCHED = 20_000  # cards, for turns and pushes
_LEGS = 6  # of a wheel without a value
_GOOD_TEST = (10_000, 5_200)  # legs, and right answers: two standard deviations above guessing


@dataclass(frozen=True)
class OfPack:
    """The assessment of one pack in a machine."""

    pack: int
    ideal: float
    counter: Figure
    counters: tuple[Figure, ...]
    ear: Figure
    weights: Row | None  # chosen by the method; None if it chooses no weights
    gains: tuple[Gain, ...] = ()  # of a bettor, by rulebook; estimates that do not affect a verdict

    def passes(self, limit: float = LIMIT) -> bool:
        return max(f.upper for f in (*self.counters, self.ear)) - self.ideal < limit


@dataclass(frozen=True)
class MachinePace:
    """Estimates of speed and wear."""

    turns: float  # for each card dealt, in and out
    bins: float  # movements of the wheel for each card
    pushes: float
    cards_an_hour: float
    wait_ms: float  # for hands that take one card per second


@dataclass(frozen=True)
class DesignChange:
    """A change of the design, and the bits that counter and listener would still gain."""

    name: str
    counter: float
    ear: float


@dataclass(frozen=True)
class MachineAssessment:
    machine: Machine
    packs: tuple[OfPack, ...]
    pace: MachinePace | None
    changes: tuple[DesignChange, ...]  # the best first

    @property
    def worst(self) -> OfPack:
        return max(self.packs, key=lambda p: max(p.counter.bits, p.ear.bits) - p.ideal)

    @property
    def passes(self) -> bool:
        return all(pack.passes() for pack in self.packs)


def assess(
    machine: Machine,
    packs: Sequence[int] = (),
    hearing: Hearing | None = None,
    learned: int = QUICK,
    progress: Progress = silently,
) -> MachineAssessment:
    """Assess every requested pack, or each that the machine allows."""
    hearing, effort = hearing or Hearing(), Effort.of(learned)
    wanted = sorted(packs or {decks * deck for decks, deck in machine.admitted()})
    if not machine.continuous:
        batches = tuple(_batch(machine, pack, hearing) for pack in wanted)
        return MachineAssessment(machine, batches, None, ())
    done = []
    for pack in wanted:
        law = law_of(machine, pack)
        leakage = measured(
            law,
            sound_of(machine),
            hearing,
            effort,
            progress=_of(pack, progress),
            games=games_for(pack),
        )
        progress(f"{pack} cards: the best weights")
        done.append(_of_pack(leakage, _best_weights(law)))
    found = MachineAssessment(machine, tuple(done), _pace(machine, max(wanted)), ())
    changes = _changes(machine, found.worst, hearing, effort, progress)
    return replace(found, changes=changes)


def _of(pack: int, progress: Progress) -> Progress:
    return lambda step: progress(f"{pack} cards: {step}")


def _of_pack(leakage: MachineLeakage, weights: Row | None) -> OfPack:
    return OfPack(
        leakage.law.pack,
        leakage.ideal,
        leakage.strongest,
        leakage.counters,
        leakage.ear,
        weights,
        leakage.gains,
    )


def _batch(machine: Machine, pack: int, hearing: Hearing) -> OfPack:
    """Exact: see `campaign/parts/predictability.py`."""
    bits = shelf_bits(pack, machine.whole("bins.count")) if machine.mechanism == "shelves" else 0.0
    law = Figure("the exact law", bits, 0.0, pack, None)
    edge = None if sound_of(machine).hidden else edge_of_knowing(pack)
    ear = Figure(EAR, order_heard(machine, pack, bits, hearing), 0.0, pack, None, edge)
    return OfPack(pack, 0.0, law, (law,), ear, None)


def _best_weights(law: CarouselLaw) -> Row | None:
    return _derived(law.bins, law.capacity, law.chute_low, law.pack)


@lru_cache
def _derived(bins: int, capacity: int, chute_low: int, pack: int) -> Row | None:
    """Derive weights; cached, because it takes seconds and is called repeatedly."""
    if capacity > _TALLEST:
        return None
    steps = int(_WEIGHED * min(1.0, (10 / capacity) ** 2))
    try:
        return derive(bins, capacity, chute_low, pack, steps)
    except ValueError:
        return None


def _pace(machine: Machine, pack: int) -> MachinePace:
    law, sound = law_of(machine, pack), sound_of(machine)
    steps = SimulatedCarousel(law, 1).steps(_WATCHED)[pack:]
    kind = steps >> np.uint32(STEP_SHIFT)
    cards = int(np.count_nonzero(kind == FED))
    pushes = int(np.count_nonzero(kind == PUSHED))
    pushed = int((steps[kind == PUSHED] & np.uint32(CARD_MASK)).sum())
    away = turns_of(steps, law.bins)
    bins = float(np.minimum(away, law.bins - away).mean())
    turn = bins * sound.bin_ms
    if machine.legs:
        bins = sum(machine.legs) / 2
        turn = sum(
            leg_ms(leg, machine.whole("motor.steps_bin"), machine.whole("timing.turn_bin"))
            for leg in machine.legs
        )
    turns = (cards + pushes) / cards
    out = turn + START_MS + CARD_MS * pushed / pushes
    a_card = turn + START_MS + CARD_MS + out * pushes / cards
    # The chute is a store: the person waits only if a card, in and out, takes longer than the
    # person.
    waits = max(0.0, a_card - HAND_MS)
    return MachinePace(turns, bins * turns, pushes / cards, 3_600_000 / a_card, waits)


@dataclass(frozen=True)
class _Idea:
    """A change: its law, and the audible part of its turns."""

    name: str
    law: CarouselLaw
    sound: Sound


def _changes(
    machine: Machine, now: OfPack, hearing: Hearing, effort: Effort, progress: Progress
) -> tuple[DesignChange, ...]:
    """Return the remaining leakage to counter and listener after each change, best change first.

    It uses one counter with little data, so only the order of the figures is reliable.
    """
    law, changes = law_of(machine, now.pack), []
    for idea in _ideas(law, sound_of(machine)):
        progress(f"improvement: {idea.name}")
        bits = now.counter.bits if idea.law == law else logit_bits(idea.law, effort)
        if idea.sound.hidden:
            ear = bits + direction_bits(idea.sound.legs, share_heard_right(idea.sound, hearing))
        elif idea.law.lanes > 1:
            ear = float(bits_of_lanes(idea.law, 5 * now.pack)[now.pack :].mean())
        else:
            ear = max(now.ear.bits, bits)
        changes.append(DesignChange(idea.name, bits, min(ear, max(now.ear.bits, bits))))
    return tuple(sorted(changes, key=lambda c: max(c.counter, c.ear) + 0.01 * c.counter))


def _ideas(law: CarouselLaw, sound: Sound) -> list[_Idea]:
    ideas: list[_Idea] = []
    single = replace(law, ejection="single", into=(), out=())
    best = _weighed(single)
    if law.ejection != "single":
        ideas.append(_Idea("single cards, any bin", single, sound))
    if best != law and best != single:
        ideas.append(_Idea("single cards by the best weights", best, sound))
    ideas += [
        _Idea(f"{bins} x {capacity}, single cards by weights", larger, sound)
        for bins, capacity in ((law.bins, 2 * law.capacity), (3 * law.bins // 2, law.capacity))
        if (larger := _weighed(replace(single, bins=bins, capacity=capacity))).into
    ]
    kept = law if law.weighted else best
    ideas += [
        _Idea("single cards, one in four back into a bin", replace(kept, again=0.25), sound),
        _Idea("single cards, a chute of two silent lanes", replace(kept, lanes=2), sound),
    ]
    quiet = Sound(legs=sound.legs or _LEGS, direction_heard=False, tested=_GOOD_TEST)
    if not sound.hidden or not sound.tested:
        ideas.append(_Idea("legs, and a drive that passes its test", law, quiet))
        if kept != law:
            ideas.append(_Idea("that, and single cards by weights", kept, quiet))
    return ideas


def _weighed(law: CarouselLaw) -> CarouselLaw:
    """Use the weights found by the method; without a result, leave the weights unchanged."""
    row = _best_weights(law)
    if row is None:
        return law
    into, out = (tuple(float(weight) for weight in side) for side in row)
    return replace(law, into=into, out=out)


def as_json(found: MachineAssessment) -> dict[str, Any]:
    worst = found.worst
    return {
        "machine": found.machine.name,
        "mechanism": found.machine.mechanism,
        "limit_bits": LIMIT,
        "house_edge_percent": 100 * HOUSE_EDGE,
        "passes": found.passes,
        "worst_pack": worst.pack,
        "packs": [
            {
                "pack": pack.pack,
                "ideal": pack.ideal,
                "passes": pack.passes(),
                "counters": [_figure(figure) for figure in pack.counters],
                "ear": _figure(pack.ear),
                "gains": [
                    {
                        "rulebook": gain.game.rulebook,
                        "house_edge_percent": 100 * gain.game.edge,
                        "gain_percent": 100 * gain.gain,
                        "upper_percent": 100 * gain.upper,
                        "allowed_percent": 100 * gain.allowed,
                        "passes": gain.passes,
                    }
                    for gain in pack.gains
                ],
                "best_weights": pack.weights
                and {"in": list(pack.weights.into), "out": list(pack.weights.out)},
            }
            for pack in found.packs
        ],
        "pace": found.pace and vars(found.pace),
        "changes": [vars(change) for change in found.changes],
    }


def _figure(figure: Figure) -> dict[str, Any]:
    edge = figure.house_edge
    return {
        "by": figure.counter,
        "bits": figure.bits,
        "error": figure.error,
        "cards": figure.cards,
        "house_edge_percent": None if edge is None else 100 * edge,
    }
