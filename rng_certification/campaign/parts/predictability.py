"""Predictability of a machine's next card, by its law and by its sound.

The profile declares the limits before anything runs: bits above an ideal machine, for the strongest
counter and for an ear of a stated accuracy. The whole interval must lie below the limit.
`counters.py` tests the counters themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from cutcard.machines import Machine, find
from rng_certification.base.finding import Finding
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.continuous.counter import HOUSE_EDGE, SPREAD
from rng_certification.predictability.ear import Hearing, share_heard_right
from rng_certification.predictability.measuring import (
    MOST_GAIN,
    QUICK,
    TABLE,
    WHAT,
    Effort,
    Figure,
    MachineLeakage,
    first_bits,
    measured,
)
from rng_certification.predictability.of_machine import (
    edge_of_knowing,
    law_of,
    order_heard,
    shelf_bits,
    sound_of,
)
from rng_certification.predictability.pupil import Pupil

SECONDS = 0.03
UNMEASURED = "the direction of a leg is declared hidden; only a recording of the drive tests that"
HOPELESS = 4.0  # times the limit, in the first answer of all


def run(part: Part, stream: str) -> Shard:
    seed = int.from_bytes(hashlib.sha256(stream.encode()).digest()[:4], "big")
    machine = find(part.subject)
    if machine.continuous:
        return _continuous(part, machine, seed)
    return _batch(part, machine)


def merged(figures: Sequence[Figures]) -> Figures:
    return figures[0]


def _continuous(part: Part, machine: Machine, seed: int) -> Shard:
    settings = part.parameters
    hearing, limit = _hearing(settings), settings["limit_bits"]
    law = law_of(machine, settings["pack"])
    # Learning more only tells a counter more: what fails by far at once need not be learned on.
    first = Effort.of(min(part.sample, QUICK))
    whole = Effort.of(part.sample)
    pupil = Pupil(law, seed, (), *first.stops, *whole.stops)
    hopeless = first_bits(pupil, first) > HOPELESS * limit
    effort = first if hopeless else whole
    leakage = measured(law, sound_of(machine), hearing, effort, seed, pupil=pupil)
    above = worst_upper(leakage) - leakage.ideal
    findings = [
        *(_enough(figure, hopeless) for figure in leakage.counters if figure.gain is not None),
        _below("counter/bits", above, limit, effort.scored),
        _heard(machine, leakage.ear.upper - leakage.ideal, limit, leakage.ear.cards),
    ]
    figures = leakage_figures(leakage, machine, limit, hearing)
    notes = [f"learned from {effort.learned:,} cards: more could not save it"] if hopeless else []
    return Shard(effort.learned, findings, figures={"told": figures}, notes=notes)


def _batch(part: Part, machine: Machine) -> Shard:
    """Exact, nothing is simulated. Slots: every order is equally likely. An ear that hears where
    the wheel goes knows where each card went, and so the order: it is given all of it."""
    settings = part.parameters
    cards = settings["pack"]
    bits = 0.0
    if machine.mechanism == "shelves":
        bits = shelf_bits(cards, (2 * machine.whole("bins.count")) ** settings["passes"] // 2)
    hearing, limit = _hearing(settings), settings["limit_bits"]
    ear = order_heard(machine, cards, bits, hearing)
    heard = not sound_of(machine).hidden
    figures = {
        "told": {
            **_common(machine, cards, limit, hearing),
            "ideal": 0.0,
            "counter": {"by": "the exact law", "bits": bits, "error": 0.0, "cards": cards},
            "counters": [],
            "ear": {
                "by": "ear",
                "bits": ear,
                "error": 0.0,
                "cards": cards,
                "house_edge_percent": 100 * edge_of_knowing(cards) if heard else None,
            },
            "passes": settings.get("passes", 1),
        }
    }
    findings = [
        _below("counter/bits", bits, limit, cards),
        _heard(machine, ear, limit, cards),
    ]
    return Shard(part.sample, findings, figures=figures)


def _hearing(settings: Mapping[str, Any]) -> Hearing:
    return Hearing(settings["ear_start_stop_ms"], direction=settings["ear_direction"])


def worst_upper(leakage: MachineLeakage) -> float:
    """The upper end of the highest interval, also of counters that would have learned more."""
    return max(figure.upper for figure in leakage.counters)


def _below(name: str, bits: float, limit: float, cards: int) -> Finding:
    """A check that holds or does not: p is 1 or 0; the statistic is the upper end."""
    return Finding(name, cards, "cards", float(bits < limit), bits)


def _heard(machine: Machine, bits: float, limit: float, cards: int) -> Finding:
    """A leak by sound that follows from the machine file.

    If the file declares the directions of the legs hidden, only a measurement of the built drive
    can test that: the model neither passes nor fails it.
    """
    if sound_of(machine).hidden:
        return Finding.skip("ear/bits", cards, "cards", UNMEASURED)
    return _below("ear/bits", bits, limit, cards)


def _enough(figure: Figure, hopeless: bool) -> Finding:
    """A figure counts only if twice the data adds next to nothing, or if it fails without.

    The table of today learns slowly and is set aside where it has not learned enough; the other
    one has to have.
    """
    name = f"counter/doubled/{figure.counter}"
    gain = figure.gain or 0.0
    if hopeless:
        return Finding.skip(name, figure.cards, "cards", "it fails, and more data tells more")
    if figure.counter == TABLE and not figure.counts:
        reason = f"twice the data added {gain:.4f} bits, {MOST_GAIN} or more: not counted"
        return Finding.skip(name, figure.cards, "cards", reason)
    return Finding(name, figure.cards, "cards", float(figure.counts), gain)


def leakage_figures(
    leakage: MachineLeakage, machine: Machine, limit: float, hearing: Hearing
) -> dict[str, Any]:
    strongest = leakage.strongest
    return {
        **_common(machine, leakage.law.pack, limit, hearing),
        "ideal": leakage.ideal,
        "counter": _figure(strongest, worth=_least_edge(leakage.counters)),
        "counters": [_figure(figure) for figure in leakage.counters],
        "ear": _figure(leakage.ear),
    }


def _common(machine: Machine, pack: int, limit: float, hearing: Hearing) -> dict[str, Any]:
    sound = sound_of(machine)
    return {
        "machine": machine.name,
        "pack": pack,
        "limit": limit,
        "ear_start_stop_ms": hearing.start_stop_ms,
        "ear_direction": share_heard_right(sound, hearing),
        "direction_hidden": sound.hidden,
        "direction_tested": list(sound.tested),
        "edge_of_knowing_percent": 100 * edge_of_knowing(pack),
        "house_edge_percent": 100 * HOUSE_EDGE,
        "spread": SPREAD,
    }


def _least_edge(figures: Sequence[Figure]) -> float | None:
    known = [figure.house_edge for figure in figures if figure.counts]
    return min((edge for edge in known if edge is not None), default=None)


def _figure(figure: Figure, worth: float | None = None) -> dict[str, Any]:
    edge = figure.house_edge if worth is None else worth
    return {
        "by": figure.counter,
        "does": WHAT.get(figure.counter, "hears the motors and reckons where the wheel stands"),
        "bits": figure.bits,
        "error": figure.error,
        "cards": figure.cards,
        "gain": figure.gain,
        "counts": figure.counts,
        "house_edge_percent": None if edge is None else 100 * edge,
    }
