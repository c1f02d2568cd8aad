"""A game on our machines, a counter's gain there, and the meaning of figures over time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf, pi, sqrt

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.cli.edges.machines import MORE_FOR_IDEAL, MachineResult
from cutcard.cli.edges.simulate import basic_strategy
from cutcard.cli.main import app
from cutcard.edge.simulate import kernel
from cutcard.edge.simulate.figures import Estimate, counters_win
from cutcard.edge.simulate.job import SHOE, Job
from cutcard.edge.simulate.machines import run_machine_shard
from cutcard.edge.simulate.risk import risk_of_ruin, rounds_until_detectable
from cutcard.edge.simulate.running import played_shards
from cutcard.progress import Work, working

BRITISH = Job("uk-blackjack", ("blackjack",), 6, basic_strategy(), dealing=SHOE)


# A carousel's kernel takes half a minute to compile if it is not cached.
CAROUSEL = pytest.param("carousel-38", marks=pytest.mark.soak)


@pytest.mark.parametrize("machine", ["slots-416", "shelves-10", CAROUSEL])
def test_machine_plays_the_requested_number_of_rounds(machine: str) -> None:
    tally, _, counts = run_machine_shard(vars(BRITISH), machine, 0, 2000)
    assert tally[kernel.ROUNDS] == 2000
    assert sum(counts[::3]) == 2000
    assert 5.2 < tally[kernel.CARDS] / 2000 < 5.45


@pytest.mark.parametrize("machine", ["shelves-10", CAROUSEL])
def test_same_seed_gives_the_same_rounds_on_a_machine(machine: str) -> None:
    first, second = (run_machine_shard(vars(BRITISH), machine, 1, 500) for _ in range(2))
    assert first == second


def test_counter_wins_in_a_deep_shoe_of_one_deck() -> None:
    job = replace(BRITISH, decks=1, cut=0.75)
    shards, _ = played_shards(job, 1_000_000)
    flat, counting = counters_win(job, shards, 1, 2), counters_win(job, shards, 8, 2)
    assert counting.low > flat.high


@pytest.mark.parametrize(("edge", "variance"), [(0.005, 1.3), (0.0, 1.0), (-0.01, 2.0)])
def test_risk_of_ruin_equals_a_simulated_walk(edge: float, variance: float) -> None:
    rng, walks, rounds, bankroll = np.random.default_rng(17), 4000, 2000, 40.0
    steps = rng.normal(-edge, variance**0.5, (walks, rounds)).astype(np.float32)
    ruined = float((np.cumsum(steps, axis=1).min(axis=1) <= -bankroll).mean())
    # A walk in steps overshoots the line: the line is effectively nearer by 0.583 of a step's
    # deviation.
    seen = risk_of_ruin(edge, variance, bankroll + 0.583 * variance**0.5, rounds)
    assert abs(seen - ruined) < 4 * (seen * (1 - seen) / walks) ** 0.5 + 0.002


def test_endless_play_at_a_disadvantage_is_certain_ruin() -> None:
    assert risk_of_ruin(0.005, 1.3, 1000) == 1.0
    assert 0 < risk_of_ruin(-0.01, 1.3, 100) < 1


def test_risk_of_ruin_is_computed_if_one_term_overflows() -> None:
    """After as many rounds as the edge takes to eat the bankroll, on average: a little over half.

    The formula's second part is there exp(2 a) times the chance to lie 2 sqrt(a) standard
    deviations below, for a = edge x bankroll / variance, which goes as 1 / sqrt(8 pi a).
    """
    for bankroll in (1_000, 100_000):
        a = 0.05 * bankroll
        ruin = risk_of_ruin(0.05, 1.0, bankroll, bankroll / 0.05)
        assert ruin - 0.5 == pytest.approx(1 / sqrt(8 * pi * a), rel=0.01)


def test_half_the_shift_takes_four_times_as_long_to_detect() -> None:
    assert rounds_until_detectable(0.001, 1.3) * 4 == pytest.approx(
        rounds_until_detectable(0.0005, 1.3)
    )
    assert rounds_until_detectable(0.0, 1.3) == inf


def test_machines_are_compared_with_an_ideal_source() -> None:
    words = ["edge", "machines", "uk-blackjack", "--decks", "1", "--rounds", "20000", "--json"]
    done = CliRunner().invoke(app, [*words, "--machine", "slots-416"])
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    named = ["ideal source", "shoe cut at 50%", "shoe cut at 75%", "slots-416"]
    assert [each["dealt_by"] for each in found] == named
    assert all(each["difference"] for each in found[1:])
    assert [each["rounds"] for each in found] == [160_000, 20_000, 20_000, 20_000]
    asked = {(each["strategy"], each["seed"], each["complete"]) for each in found}
    assert asked == {("basic", "cutcard", True)}
    assert {(each["decks"], each["large_wager"], each["from_count"]) for each in found} == {
        (1, 8, 2)
    }
    counters = [[each["counter_wins"], *each["watcher_wins"].values()] for each in found[1:]]
    assert all(set(wins) >= {"value", "low", "high"} for each in counters for wins in each)
    assert all(len(each) == 3 for each in counters)


def test_progress_of_the_machines_ends_at_the_total(monkeypatch: pytest.MonkeyPatch) -> None:
    """This includes shoes with more rounds than requested."""
    seen = []

    @contextmanager
    def watched(name: str, total: float | None = None) -> Iterator[Work]:
        with working(name, total) as work:
            seen.append(work)
            yield work

    monkeypatch.setattr("cutcard.cli.edges.machines.working", watched)
    words = ["edge", "machines", "uk-blackjack", "--decks", "1", "--rounds", "1000"]
    assert CliRunner().invoke(app, [*words, "--machine", "slots-416"]).exit_code == 0
    assert seen[-1].done == pytest.approx(seen[-1].total)


def test_interrupted_comparison_prints_the_machines_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cutcard.cli.edges.machines.having_learned", stopped)
    words = ["edge", "machines", "uk-blackjack", "--decks", "1", "--rounds", "1000"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 130
    (only,) = json.loads(done.stdout)
    assert (only["dealt_by"], only["complete"]) == ("ideal source", False)
    said = CliRunner().invoke(app, words)
    assert said.stdout.startswith("Stopped: these are the rounds played so far.\n")


def test_time_to_detect_a_difference_is_given_only_beyond_chance() -> None:
    by_chance = MachineResult(
        "shelves-10",
        rounds=1000,
        edge=Estimate(0.01, 0.001),
        difference=Estimate(0.002, 0.001),
        counter=None,
        watchers={},
        variance=1.3,
        hours=120.0,
    )
    for_sure = replace(by_chance, difference=Estimate(0.004, 0.001))
    assert by_chance.as_json()["hours_until_it_shows"] is None
    assert for_sure.as_json()["hours_until_it_shows"] == 120.0


def test_help_explains_that_the_ideal_source_plays_more_rounds() -> None:
    said = CliRunner().invoke(app, ["edge", "machines", "--help"]).output
    assert MORE_FOR_IDEAL == 8
    assert "The ideal source plays eight times --rounds" in " ".join(said.split())


def test_too_small_machine_is_refused_by_the_number_of_cards() -> None:
    words = ["edge", "machines", "uk-blackjack", "--decks", "8", "--machine", "carousel-38"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "416 cards" in done.output


def test_one_hour_is_written_in_the_singular() -> None:
    words = ["edge", "risk", "--edge", "0.5", "--variance", "1.3", "--hours", "1"]
    assert "ruined in 1 hour:" in CliRunner().invoke(app, words).output


def test_machines_play_changed_rules() -> None:
    """Paired by seed: a Blackjack that pays less gives the house more in the same rounds."""
    words = ["edge", "machines", "uk-blackjack", "--decks", "1", "--machine", "carousel-38"]
    words += ["--rounds", "8192", "--json"]
    plain, changed = (
        json.loads(CliRunner().invoke(app, [*words, *more]).stdout)
        for more in ([], ["--set", "blackjack.odds=1:1"])
    )
    assert [each["rules_of_ones_own"] for each in changed] == [{"blackjack.odds": "1:1"}] * 4
    ideal = [found[0]["edge"]["value"] for found in (plain, changed)]
    assert ideal[1] > ideal[0] + 0.015


@pytest.mark.parametrize(("option", "meant"), [("--edge", "0.52"), ("--shift", "0.52")])
def test_risk_rejects_a_share_instead_of_per_cent(option: str, meant: str) -> None:
    words = {"--edge": "0.5", "--shift": "0.1"} | {option: "52"}
    typed = [word for pair in words.items() for word in pair]
    done = CliRunner().invoke(app, ["edge", "risk", *typed, "--variance", "1.3"])

    assert done.exit_code == 2
    assert f"did you mean {meant}?" in done.output


@pytest.mark.parametrize(("shift", "never"), [("0.0001", True), ("1", False)])
def test_risk_marks_a_shift_that_never_shows_in_practice(shift: str, never: bool) -> None:
    words = ["edge", "risk", "--edge", "0.5", "--variance", "1.3", "--shift", shift]
    said = " ".join(CliRunner().invoke(app, words).stdout.split())

    assert ("hours of one box" in said, "never in practice" in said) == (True, never)


def test_risk_explains_the_figures_of_several_boxes() -> None:
    said = CliRunner().invoke(app, ["edge", "risk", "--help"]).output
    assert "multiply edge and shift by the number of boxes" in " ".join(said.split())


def test_risk_is_printed_for_people_and_for_scripts() -> None:
    words = ["edge", "risk", "--edge", "0.5", "--variance", "1.3", "--shift", "0.02"]
    said = CliRunner().invoke(app, words).output
    result = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert "ruined in 4 hours" in said
    assert result["hours_until_it_shows"] == pytest.approx(result["rounds_until_it_shows"] / 60)
