"""Predictability of a machine's next card, by its law and by its sound.

The profile declares the limits before the run: bits above an ideal machine, for the strongest
counter and for a listener of a stated accuracy; and the gain of a bettor with the counter's
predictions, for each rulebook of the product. The complete interval must be below the limit.
`counters.py` tests the counters themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cutcard.machines import Machine, find
from rng_certification.base.finding import Finding
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.parts.once import measured_once
from rng_certification.campaign.plan import Part
from rng_certification.continuous.counter import HOUSE_EDGE, SPREAD
from rng_certification.predictability.ear import Hearing, share_heard_right
from rng_certification.predictability.figures import (
    MOST_GAIN,
    QUICK,
    TABLE,
    WHAT,
    Effort,
    Figure,
)
from rng_certification.predictability.games import games_for
from rng_certification.predictability.measuring import MachineLeakage, first_bits, measured
from rng_certification.predictability.money import SAFETY, SHARE, Gain
from rng_certification.predictability.of_machine import (
    edge_of_knowing,
    law_of,
    order_heard,
    shelf_bits,
    sound_of,
)
from rng_certification.predictability.pupil import Pupil

SECONDS = 0.06
_A_FOLLOWED_CARD = 64  # cards that the logit learns from for each that simulations follow
UNMEASURED = "the direction of a leg is declared hidden; only a recording of the drive tests that"
LAW_LEAKS = "the law leaks each card by itself: `counter/bits` decides"
NO_EDGE = "with this pack the game favours every player: there is no house edge to protect"
HOPELESS = 4.0  # times the limit, in the first estimate


def run(part: Part, stream: str) -> Shard:
    machine = find(part.subject)
    if not machine.continuous:
        return _batch(part, machine)
    text = machine.file.read_text(encoding="utf-8")
    return measured_once(part, stream, text, lambda part, seed: _continuous(part, machine, seed))


def merged(figures: Sequence[Figures]) -> Figures:
    return figures[0]


def _continuous(part: Part, machine: Machine, seed: int) -> Shard:
    settings = part.parameters
    hearing, limit = _hearing(settings), settings["limit_bits"]
    law = law_of(machine, settings["pack"])
    # More data only adds bits: a machine that fails by far at first needs no more of it.
    first = Effort.of(min(part.sample, QUICK))
    whole = replace(Effort.of(part.sample), followed=part.sample // _A_FOLLOWED_CARD)
    pupil = Pupil(law, seed, (), *first.stops, *whole.stops)
    hopeless = first_bits(pupil, first) > HOPELESS * limit
    effort = first if hopeless else whole
    games = games_for(law.pack)
    leakage = measured(law, sound_of(machine), hearing, effort, seed, pupil=pupil, games=games)
    above = worst_upper(leakage) - leakage.ideal
    findings = [
        *(_enough(figure, hopeless) for figure in leakage.counters if figure.gain is not None),
        _below("counter/bits", above, limit, effort.scored),
        _heard(machine, leakage.ear.upper - leakage.ideal, limit, leakage.ear.cards),
        *_money(leakage.gains, settings["rulebooks"], effort.scored),
    ]
    figures = leakage_figures(leakage, machine, limit, hearing)
    by = leakage.strongest.counter
    figures["money"] = _money_rows(leakage.gains, settings["rulebooks"], by)
    notes = (
        [f"learned from {effort.learned:,} cards: more could not change the failure"]
        if hopeless
        else []
    )
    return Shard(effort.learned, findings, figures={"told": figures}, notes=notes)


def _batch(part: Part, machine: Machine) -> Shard:
    """Compute the figures exactly.

    With slots every order is equally likely, so that a prediction has no worth. A listener who
    hears the wheel's turns knows the slot of each card, and so the complete order.
    """
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
    gains = tuple(Gain(game, 0.0, 0.0, -game.edge) for game in games_for(cards))
    if bits:
        findings += [
            Finding.skip(f"money/{gain.game.rulebook}", cards, "cards", LAW_LEAKS)
            for gain in gains
            if gain.game.rulebook in settings["rulebooks"]
        ]
    else:
        findings += _money(gains, settings["rulebooks"], cards)
        figures["told"]["money"] = _money_rows(gains, settings["rulebooks"], "the exact law")
    return Shard(part.sample, findings, figures=figures)


def _hearing(settings: Mapping[str, Any]) -> Hearing:
    return Hearing(settings["ear_start_stop_ms"], direction=settings["ear_direction"])


def worst_upper(leakage: MachineLeakage) -> float:
    """Return the upper end of the highest interval, of all counters."""
    return max(figure.upper for figure in leakage.counters)


def _below(name: str, bits: float, limit: float, cards: int) -> Finding:
    """Judge a limit: p is 1 or 0; the statistic is the upper end of the interval."""
    return Finding(name, cards, "cards", float(bits < limit), bits)


def _heard(machine: Machine, bits: float, limit: float, cards: int) -> Finding:
    """A leak by sound that follows from the machine file.

    If the file declares the directions of the legs hidden, only a measurement of the built drive
    can test that: the model does not pass or fail it.
    """
    if sound_of(machine).hidden:
        return Finding.skip("ear/bits", cards, "cards", UNMEASURED)
    return _below("ear/bits", bits, limit, cards)


def _enough(figure: Figure, hopeless: bool) -> Finding:
    """Judge whether twice the data adds too little to matter, unless the machine fails anyway.

    The table learns slowly and is set aside if it has not learned enough. Every other counter must
    have learned enough.
    """
    name = f"counter/doubled/{figure.counter}"
    gain = figure.gain or 0.0
    if hopeless:
        return Finding.skip(name, figure.cards, "cards", "the machine fails, and more data adds")
    if figure.counter == TABLE and not figure.counts:
        reason = f"twice the data added {gain:.4f} bits, {MOST_GAIN} or more: not counted"
        return Finding.skip(name, figure.cards, "cards", reason)
    return Finding(name, figure.cards, "cards", float(figure.counts), gain)


def _money(gains: Sequence[Gain], rulebooks: Sequence[str], cards: int) -> list[Finding]:
    """Judge the gain in each rulebook of the product: p is 1 or 0.

    The statistic is the upper limit of the gain with its allowance, in units wagered.
    """
    findings = []
    for gain in gains:
        name = f"money/{gain.game.rulebook}"
        if gain.game.rulebook not in rulebooks:
            continue
        if gain.has_limit:
            findings.append(Finding(name, cards, "cards", float(gain.passes), gain.judged))
        else:
            findings.append(Finding.skip(name, cards, "cards", NO_EDGE))
    return findings


def _money_rows(gains: Sequence[Gain], rulebooks: Sequence[str], by: str) -> dict[str, Any]:
    return {
        "by": by,
        "spread": SPREAD,
        "safety": SAFETY,
        "share": SHARE,
        "rulebooks": [
            {
                "rulebook": gain.game.rulebook,
                "covered": gain.game.rulebook in rulebooks,
                "passes": gain.passes,
                "house_edge_percent": 100 * gain.game.edge,
                "worth_percent": 100 * gain.worth,
                "gain_percent": 100 * gain.gain,
                "upper_percent": 100 * gain.upper,
                "judged_percent": 100 * gain.judged,
                "allowed_percent": 100 * gain.allowed,
                "ideal_gain_percent": 100 * gain.ideal,
            }
            for gain in gains
        ],
    }


def leakage_figures(
    leakage: MachineLeakage, machine: Machine, limit: float, hearing: Hearing
) -> dict[str, Any]:
    strongest = leakage.strongest
    return {
        **_common(machine, leakage.law.pack, limit, hearing),
        **({"house_edge_percent": 100 * leakage.gains[0].game.edge} if leakage.gains else {}),
        "ideal": leakage.ideal,
        "counter": _figure(strongest, worth=_reference_edge(leakage)),
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


def _reference_edge(leakage: MachineLeakage) -> float | None:
    """Return the house edge against the bettor in the first game."""
    return -leakage.gains[0].gain if leakage.gains else None


def _figure(figure: Figure, worth: float | None = None) -> dict[str, Any]:
    edge = figure.house_edge if worth is None else worth
    return {
        "by": figure.counter,
        "does": WHAT.get(
            figure.counter, "hears the motors and estimates the position of the wheel"
        ),
        "bits": figure.bits,
        "error": figure.error,
        "cards": figure.cards,
        "gain": figure.gain,
        "counts": figure.counts,
        "house_edge_percent": None if edge is None else 100 * edge,
    }
