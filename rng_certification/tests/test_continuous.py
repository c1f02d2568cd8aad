"""Continuous shuffling: the law of a machine, its predictability, and the detection of defects."""

from __future__ import annotations

from dataclasses import astuple, replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from cutcard.machines import find
from rng_certification.base.judgement import judge
from rng_certification.base.reading import UnusableDataError
from rng_certification.certification import Certificate, certify
from rng_certification.continuous import kept_laws, law
from rng_certification.continuous.blackjack import ACE, TEN, value_chances, worth
from rng_certification.continuous.continuous_battery import ContinuousBattery
from rng_certification.continuous.kept_laws import Arrays, kept
from rng_certification.continuous.reference import ReferenceMachine, Settings
from rng_certification.continuous.steps import Steps, without_bins
from rng_certification.continuous.subject import ContinuousHistory
from rng_certification.continuous.tally import Tally
from rng_certification.planted import continuous as bad
from rng_certification.tests.small_carousel import SmallCarousel
from rng_certification.twin import streams
from rng_certification.twin.streams import Mechanism

CARDS = 100_000
REFERENCE = 96 * law.BATCH
TABLE = Mechanism("carousel", 38, 10, 8)


def _certified(steps: Steps, settings: Settings = bad.MACHINE) -> Certificate:
    subject = ContinuousHistory(settings, REFERENCE)
    return certify(BytesIO(steps.astype("<u4").tobytes()), subject)


@pytest.mark.parametrize(
    "small",
    [
        Settings(3, 2, 1, 5),
        Settings(2, 3, 0, 4),
        Settings(3, 2, 1, 5, single=True),
        Settings(2, 3, 0, 4, single=True, into=(5, 3, 1), out=(7, 2, 4)),
        Settings(3, 2, 0, 4, into=(1, 6), out=(5, 2)),
    ],
    ids=["group", "group, tall", "single", "single, weighed", "group, weighed"],
)
def test_the_reference_follows_the_exact_law_of_a_machine_small_enough_to_solve(
    small: Settings,
) -> None:
    lengths = (1, 2)
    exact = SmallCarousel(*astuple(small)).gap_law(lengths)
    machine = ReferenceMachine(small, lengths, seed=3)
    tally = Tally(small.pack)
    tally.feed(machine.steps(400_000))
    seen = tally.gaps / tally.counted
    away = sum(abs(seen[gap] - exact.get(gap, 0.0)) for gap in range(len(seen))) / 2
    assert away < 0.005
    assert min(exact) == np.flatnonzero(tally.gaps)[0]


def test_the_twins_history_follows_the_law_of_its_machine() -> None:
    battery = ContinuousBattery(bad.MACHINE, REFERENCE)
    for steps in streams.history(streams.start("good"), TABLE, 312, CARDS):
        battery.feed(steps)
    judgement = judge(battery.findings())
    assert judgement.passed, judgement.failures
    figures = battery.figures()
    assert figures["chute"]["least"] >= figures["chute"]["bound"] == 9
    assert figures["gap_profile"]["distance_to_ideal"] == pytest.approx(0.018, abs=0.003)


def test_a_machine_that_pushes_single_cards_by_weights_follows_its_law() -> None:
    machine = find("carousel-38")
    battery = ContinuousBattery(Settings.of(machine, 312), REFERENCE)
    source = streams.start("single")
    for steps in streams.history(source, Mechanism.of(machine), 312, CARDS):
        battery.feed(steps)
    judgement = judge(battery.findings())
    assert judgement.passed, judgement.failures
    assert battery.figures()["counter"]["bits"] < 0.25


def test_weights_that_differ_from_the_machines_are_found_in_the_bins() -> None:
    machine = find("carousel-38")
    settings = Settings.of(machine, 312)
    battery = ContinuousBattery(replace(settings, into=settings.into[::-1]), REFERENCE)
    battery.feed(ReferenceMachine(settings, (12, 5, 17), seed=4).steps(20_000))
    found = judge(battery.bins.findings()).failures
    assert "bins/load" in {test.finding.name for test in found}


def test_report_estimates_the_leakage_of_group_ejection_to_a_counter_with_a_computer() -> None:
    """The dealt cards confirm the predicted edge."""
    figures = _certified(bad.history(np.random.default_rng(5), 200_000)).details["counter"]
    assert figures["bits"] == pytest.approx(figures["bits_law"], abs=0.05)
    assert figures["bits"] > 3 > 0.1 > figures["bits_ideal"] > 0.01
    away = figures["house_edge_counted_percent"] - figures["house_edge_realised_percent"]
    assert abs(away) < 4 * figures["house_edge_realised_error"]
    assert 0 < figures["house_edge_counted_ideal_percent"] < figures["house_edge_percent"]


def test_a_history_without_bins_is_judged_by_observable_events() -> None:
    certificate = _certified(without_bins(bad.history(np.random.default_rng(6), CARDS)))
    assert certificate.judgement.passed
    skipped = {test.finding.name for test in certificate.judgement.tests if test.finding.skipped}
    assert skipped == {"bins"}


def test_too_few_cards_give_no_verdict() -> None:
    with pytest.raises(UnusableDataError, match="at least 10000 are needed"):
        _certified(bad.history(np.random.default_rng(7), 9_000))


@pytest.mark.parametrize(
    ("place", "step", "problem"),
    [
        (400, 0x3FFF_FFFF, "step 400"),  # no such card
        (400, 0x1027_0001, "step 400"),  # no bin 39
        (312, 0x1000_0005, "feeds card 5 twice"),  # all cards are inside
    ],
)
def test_an_impossible_step_is_named_with_its_offset(place: int, step: int, problem: str) -> None:
    steps = bad.history(np.random.default_rng(8), 20_000)
    steps[place] = step
    with pytest.raises(UnusableDataError, match=problem) as raised:
        _certified(steps)
    assert raised.value.offset == 4 * place


def test_an_ace_first_is_worth_half_a_wager_and_values_sum_to_zero() -> None:
    chances = np.array(value_chances())
    for place in worth():
        assert abs(float(place @ chances)) < 1e-12
    first, up, _ = worth()
    assert first[ACE] == pytest.approx(0.49, abs=0.04)
    assert up[ACE] < 0 < first[TEN]


def test_a_law_is_computed_once_and_then_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    times = []

    def work_out() -> Arrays:
        times.append(1)
        return {"gaps": np.array([[0.1, 0.2]]), "sizes": np.array((3, 4))}

    for about in ("one machine", "one machine", "another"):
        found = kept("law", about, work_out)
        assert found["gaps"].tolist() == [[0.1, 0.2]]
        assert found["sizes"].tolist() == [3, 4]
    assert len(times) == 2
    for file in kept_laws.folder().iterdir():
        file.write_bytes(file.read_bytes()[:100])
    kept("law", "another", work_out)
    assert len(times) == 3


def test_a_law_is_computed_if_it_cannot_be_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cutcard").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert kept("law", "a machine", lambda: {"gaps": np.ones(1)})["gaps"].tolist() == [1.0]


def test_the_cache_of_laws_has_a_maximum_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for about in range(kept_laws.MOST_KEPT + 3):
        kept("law", about, lambda: {"gaps": np.ones(1)})
    assert len(list(kept_laws.folder().iterdir())) == kept_laws.MOST_KEPT
