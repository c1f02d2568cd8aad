"""Counters and the listener: their quality, and the verdict on machines by leaked bits."""

from __future__ import annotations

import json
from dataclasses import replace
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from cutcard.machines import find
from rng_certification.campaign.declared import all_parts
from rng_certification.campaign.parts.predictability import _batch, run
from rng_certification.campaign.plan import Part
from rng_certification.campaign.product import Product
from rng_certification.continuous.steps import CARD_MASK, DEALT, FED, PUSHED, STEP_SHIFT
from rng_certification.predictability import gauge
from rng_certification.predictability.assessment import as_json, assess
from rng_certification.predictability.candidates import MachineInterior, came
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.ear import (
    Hearing,
    Sound,
    direction_bits,
    heard,
    listen,
    share_heard_right,
    turns_of,
)
from rng_certification.predictability.exact import ExactCounter
from rng_certification.predictability.figures import Effort, Figure
from rng_certification.predictability.lanes import bits_of_lanes
from rng_certification.predictability.listener import bits_gained_by_ear, heard_legs
from rng_certification.predictability.logit_counter import LogitCounter
from rng_certification.predictability.measuring import logit_bits, measured
from rng_certification.predictability.of_machine import (
    law_of,
    order_heard,
    shelf_bits,
    sound_of,
)
from rng_certification.predictability.particles import ParticleCounter
from rng_certification.report.leakage_table import leakage_rows


def _part(machine: str, decks: int = 1) -> Part:
    parts = all_parts(Product.of(machine, decks))
    return next(part for part in parts if part.id.startswith(f"predictability-{machine}-"))


def test_every_counter_finds_the_exact_posterior_of_small_machines() -> None:
    findings = gauge.exact_findings(Effort.of(64_000), seed=1)
    assert {finding.name.split("/")[-1] for finding in findings} == {
        "table",
        "logit",
        "particles and logit",
    }
    assert [finding.name for finding in findings if finding.p != 1.0] == []
    assert all(finding.statistic is not None and finding.statistic < 1.05 for finding in findings)


def test_the_simplest_counter_reproduces_the_published_values() -> None:
    """For machines without finer choices of bins than this counter uses."""
    simple = [row for row in gauge.ROWS if row.simple]
    assert [row.bits for row in simple] == [3.65, 2.22, 1.12, 0.61]
    effort = Effort.of(200_000)
    found = [gauge._found_again(row, gauge._by_table(row.law, effort, 1), 1) for row in simple]
    assert [finding.name for finding in found if finding.p != 1.0] == []


@pytest.mark.parametrize(("bits", "again"), [(3.46, 0.0), (3.65, 1.0), (3.84, 0.0)])
def test_a_published_value_is_reproduced_within_a_twentieth(bits: float, again: float) -> None:
    assert gauge._found_again(gauge.ROWS[0], bits, 1000).p == again


@pytest.mark.soak
def test_every_counter_reaches_the_published_values() -> None:
    findings = gauge.reference_findings(gauge.ROWS, Effort.of(200_000), seed=1)
    assert [finding.name for finding in findings if finding.p != 1.0] == []


def test_a_figure_that_is_not_a_number_is_above_every_limit() -> None:
    assert Figure("logit", float("nan"), float("nan"), 100, None).upper > 10


def test_a_counter_without_knowledge_is_detected() -> None:
    weak = gauge._held("rows/group/table", 3.4, 3.65, gauge.LEAST_OF_A_ROW, 1000)
    assert weak.p == 0.0


def test_the_exact_posterior_of_a_machine_with_one_bin_knows_every_card() -> None:
    law = CarouselLaw(1, 6, 1, 6)
    bits = ExactCounter(law).bits(SimulatedCarousel(law, 1, (2,)).steps(200))
    inside = {6: log2(6), 5: log2(5)}
    assert set(np.round(bits, 9)) == {round(value, 9) for value in inside.values()}


def test_bits_weighted_over_all_candidates_equal_the_plain_mean() -> None:
    """The same mean as with the dealt cards, with a smaller variance."""
    law = CarouselLaw(12, 6, 3, 48, "single")
    steps = SimulatedCarousel(law, 1).steps(12_000)
    pupil = LogitCounter(law, 12_000)
    pupil.feed(steps, candidates=MachineInterior(law).candidates(steps))
    scored = SimulatedCarousel(law, 2).steps(12_000)
    could = MachineInterior(law).candidates(scored)
    assert np.allclose(could.shares.sum(axis=1), 1)
    plain, weighed = (
        LogitCounter(law, weights=pupil.learned()).feed(scored, candidates=candidates)
        for candidates in (None, could)
    )
    assert weighed.mean() == pytest.approx(plain.mean(), abs=0.03)
    assert weighed.std() < plain.std() / 2


def test_the_card_that_came_is_among_those_that_could_have() -> None:
    law = CarouselLaw(6, 4, 2, 20, "single", (8.0, 4.0, 2.0, 1.0), (4.0, 3.0, 2.0, 1.0))
    steps = SimulatedCarousel(law, 3).steps(500)
    could, came_out = MachineInterior(law).candidates(steps), came(steps).cards
    assert ((could.cards == came_out) & (could.shares > 0)).any(axis=1).all()


def test_an_ear_that_hears_every_bin_is_left_with_the_lanes_of_the_chute() -> None:
    """One lane: the complete order. With each further lane it knows less of the next card."""
    law = CarouselLaw(12, 6, 3, 48, "single")
    one, two, three = (bits_of_lanes(replace(law, lanes=n), 600).mean() for n in (1, 2, 3))
    assert log2(48) - 0.3 < one < log2(48)
    assert one - 1 > two > three + 0.1


def test_two_lanes_leave_an_ear_that_hears_directions_most_of_a_card() -> None:
    """The figure of docs/evidence/certification.md."""
    law = replace(law_of(find("carousel-38"), 312), lanes=2)
    assert bits_of_lanes(law, 1500)[312:].mean() == pytest.approx(6.46, abs=0.1)


def test_returning_one_card_in_four_to_a_bin_leaks_less_to_a_counter() -> None:
    law = CarouselLaw(12, 6, 3, 48, "single")
    once, again = (logit_bits(replace(law, again=share), Effort.of(40_000)) for share in (0, 0.25))
    assert again < once - 0.1


@pytest.mark.parametrize("ejection", ["group", "part", "single"])
def test_a_simulated_carousel_deals_each_card_as_often_as_it_takes_it_back(ejection: str) -> None:
    law = CarouselLaw(6, 4, 2, 20, ejection)
    steps = SimulatedCarousel(law, 1).steps(2_000)
    kind, card = steps >> np.uint32(STEP_SHIFT), steps & np.uint32(CARD_MASK)
    fed, dealt = (np.bincount(card[kind == what], minlength=20) for what in (FED, DEALT))
    assert set(fed - dealt) <= {0, 1}
    assert (card[kind == PUSHED] == 1).all() == (ejection == "single")


def test_the_particles_reject_a_machine_that_pushes_several_cards() -> None:
    with pytest.raises(ValueError, match="single cards"):
        ParticleCounter(CarouselLaw(3, 2, 1, 5))


def test_a_listener_to_every_turn_knows_the_bin_of_each_card() -> None:
    """The dealt card has the strongest possible hint, without an older card in its bin."""
    law = CarouselLaw(12, 6, 3, 48, "single")
    steps = SimulatedCarousel(law, 1).steps(500)
    sound, turns = Sound(legs=6), turns_of(steps, law.bins)
    away = heard(turns, law.bins, sound, Hearing(), np.random.default_rng(1))
    hints = listen(steps, law.pack, law.bins, *away)
    dealt = (steps[steps >> np.uint32(STEP_SHIFT) == DEALT] & np.uint32(CARD_MASK)).astype(int)
    shown = hints[np.arange(400), dealt[:400]]
    assert len(set(shown)) == 1
    others = np.array([np.count_nonzero(row == shown[0]) for row in hints[:400]])
    assert (others == 1).all()


def test_one_pass_over_ten_shelves_fails_and_two_pass() -> None:
    assert shelf_bits(52, 10) == pytest.approx(0.4126, abs=0.001)
    assert shelf_bits(3, 1) == pytest.approx(log2(6) / 3 - 2 / 3, abs=1e-9)  # 4 orders of 6 alike
    for passes, verdict in ((1, 0.0), (2, 1.0)):
        once = _part("shelves-10")
        part = replace(once, parameters={**once.parameters, "passes": passes})
        found = {finding.name: finding.p for finding in run(part, "x").findings}
        assert found["counter/bits"] == verdict


def test_an_audible_batch_machine_fails_by_its_sound_and_not_by_its_law() -> None:
    shard = run(_part("drum-60"), "x")
    assert {finding.name: finding.p for finding in shard.findings} == {
        "counter/bits": 1.0,
        "ear/bits": 0.0,
        "money/mbs-free-bet-3": 1.0,
        "money/nz-division-2": None,  # one deck favours every player
        "money/uk-blackjack": None,
    }
    assert not sound_of(find("drum-60")).hidden


def test_direction_bits_are_two_for_each_percent_above_chance() -> None:
    """The figures of docs/evidence/certification.md and of the threat table."""
    assert direction_bits(6, 0.5) == direction_bits(6, 0.4) == 0.0
    assert [round(direction_bits(6, right), 2) for right in (0.51, 0.53, 0.55, 0.60, 0.75)] == [
        0.24, 0.72, 1.2, 2.4, 6.0,
    ]  # fmt: skip
    assert direction_bits(6, 1.0) == 12.0


@given(st.lists(st.tuples(st.floats(0.5, 1), st.floats(0.01, 1)), min_size=1, max_size=8))
def test_direction_bits_bound_a_listener_who_is_certain_of_some_legs(
    legs: list[tuple[float, float]],
) -> None:
    """Legs of any certainties, each with its frequency, reveal no more than their mean allows."""
    total = sum(frequency for _, frequency in legs)
    mean = sum(right * frequency for right, frequency in legs) / total
    revealed = sum((1 - entropy([right, 1 - right], base=2)) * f for right, f in legs) / total
    assert 2 * 6 * revealed <= direction_bits(6, mean) + 1e-9


def test_a_drive_is_judged_by_the_worst_case_of_its_listening_test() -> None:
    quiet = Sound(legs=6, direction_heard=False)
    assert share_heard_right(quiet, Hearing()) == 0.75
    assert share_heard_right(replace(quiet, tested=(10_000, 5_200)), Hearing()) == pytest.approx(
        0.528, abs=0.001
    )
    assert share_heard_right(replace(quiet, tested=(10_000, 4_000)), Hearing()) == 0.5
    assert share_heard_right(replace(quiet, tested=(1_000, 1_000)), Hearing()) == 1.0


def test_the_sound_of_hidden_directions_is_an_open_item_and_no_failure() -> None:
    """Only a recording of the built drive tests the declaration of the machine file."""
    drum = find("drum-60")
    values = {**drum.values, "motor.legs": [30, 15, 8, 4, 2, 1, 1], "sound.direction": "hidden"}
    for tested in ([], [10_000, 5_000]):
        quiet = replace(drum, values={**values, "sound.tested": tested})
        (law, ear, *_) = _batch(_part("drum-60"), quiet).findings
        assert (law.p, ear.p) == (1.0, None)
        assert "only a recording of the drive" in ear.skipped


def test_the_shipped_carousels_declare_hidden_directions_without_a_test() -> None:
    for name in ("carousel-38", "carousel-60"):
        sound = sound_of(find(name))
        assert sound.hidden
        assert not sound.tested


def test_batch_machine_with_uniform_turns_leaks_almost_no_bits_to_a_listener() -> None:
    drum = find("drum-60")
    values = {**drum.values, "motor.legs": [30, 15, 8, 4, 2, 1, 1], "sound.direction": "hidden"}
    quiet = replace(drum, values={**values, "sound.tested": [10_000, 5_000]})
    assert sound_of(quiet).hidden
    assert order_heard(quiet, 52, 0.0, Hearing()) < 0.25
    assert order_heard(replace(drum, values=values), 52, 0.0, Hearing()) > 2  # not recorded yet
    assert order_heard(drum, 52, 0.0, Hearing()) > 4


def test_listener_without_directions_gets_the_strongest_counter_plus_direction_bits() -> None:
    law = CarouselLaw(6, 4, 2, 20, "single")
    effort = Effort(learned=8_000, scored=2_000, followed=200, listened=8_000)
    quiet = Sound(legs=4, direction_heard=False, tested=(10_000, 5_000))
    leakage = measured(law, quiet, Hearing(), effort)
    most = direction_bits(4, share_heard_right(quiet, Hearing()))
    assert leakage.ear.bits == leakage.strongest.bits + most
    open_ear = measured(law, Sound(legs=4), Hearing(), effort).ear
    assert open_ear.bits > leakage.ear.bits + 1


def test_limits_are_in_the_plan_before_the_run() -> None:
    parts = {part.id: part for part in all_parts(Product.of("carousel-38", 6))}
    settings = parts["predictability-carousel-38-312"].parameters
    assert settings["limit_bits"] == 0.25
    assert (settings["ear_start_stop_ms"], settings["ear_direction"]) == (3.0, 0.75)
    assert "predictability-counters" in parts


def test_a_failure_is_listed_first_with_its_worth_and_the_required_observer() -> None:
    figure = {"by": "table", "bits": 3.62, "error": 0.02, "house_edge_percent": -3.7}
    leakage = {
        "ideal": 0.04, "limit": 0.25, "spread": 10, "house_edge_percent": 0.5,
        "direction_hidden": True, "direction_tested": [], "ear_direction": 0.75,
        "edge_of_knowing_percent": -16.7, "counter": figure,
        "ear": {"by": "ear", "bits": 0.1, "error": 0.01, "house_edge_percent": 0.4},
    }  # fmt: skip
    part = {"id": "predictability-x", "title": "X", "figures": {"told": leakage}}
    tests = [
        {"name": "predictability-x/counter/bits", "verdict": "fail"},
        {"name": "predictability-x/ear/bits", "verdict": "skipped"},
    ]
    first, second = leakage_rows([part], tests)
    assert first["verdict"] == "fail"
    assert second["verdict"] == "open"
    assert (first["bits"], first["allowed"]) == ("3.62 ± 0.02", "0.29")
    assert first["edge"] == "0.5 % to -3.7 %"
    assert "no computer is needed" in first["who"]
    assert "no recording of a built drive" in second["who"]
    assert "75 times in 100" in second["who"]
    leakage |= {"direction_tested": [10_000, 5_200], "ear_direction": 0.53}
    assert "5,200 of 10,000 legs" in leakage_rows([part], tests)[1]["who"]


def test_shelves_are_assessed_in_an_instant() -> None:
    found = as_json(assess(find("shelves-10"), [52]))
    assert not found["passes"]
    assert found["pace"] is None
    json.dumps(found)


@pytest.mark.soak
def test_a_carousel_is_assessed_with_the_best_improvements() -> None:
    machine = find("elevator-8")
    found = assess(machine, [208], learned=20_000)
    assert not found.passes
    best = found.changes[0]
    assert max(best.counter, best.ear) < found.worst.counter.bits
    assert replace(found, changes=()).pace is not None


def test_a_listener_to_every_direction_knows_every_card() -> None:
    """With the legs of our own machine.

    Three right answers of four give this listener almost no bits, far below the limit for all
    listeners. The figures of docs/evidence/certification.md.
    """
    machine, effort = find("carousel-38"), Effort(10_000, 0, 0, 6_000)
    all_of_them = bits_gained_by_ear(machine, 312, 1.0, effort)
    assert all_of_them.bits > 7.5
    most = direction_bits(len(machine.legs), 0.75)
    assert bits_gained_by_ear(machine, 312, 0.75, effort).upper < 0.02 < most / 100


def test_the_sound_of_a_turn_is_its_distance_if_every_direction_is_heard() -> None:
    machine, turns = find("carousel-38"), np.arange(38)
    away, variances = heard_legs(turns, machine, 1.0, np.random.default_rng(1))
    assert (np.round(away).astype(int) % 38 == turns).all()
    assert not variances.any()
