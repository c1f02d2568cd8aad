"""Counts, indices and bets, compared with published figures."""

from __future__ import annotations

import json
from functools import cache
from math import exp, inf, log

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.edge.counting.counts import COUNTS, pack_shares, share_moved
from cutcard.edge.counting.indices import PlayIndex, indices
from cutcard.edge.counting.ramp import (
    CountBucket,
    optimal_bets,
    simple_bets,
    spread_figures,
)
from cutcard.edge.game.card_worth import card_worth
from cutcard.edge.money_rules import MoneyRules, money_rules
from cutcard.edge.own_rules import with_own
from cutcard.edge.simulate.risk import risk_of_ruin
from cutcard.rulebooks import open_rulebook

AMERICAN = {"dealer.peeks": True, "split.hands": 4}
OWN = ["--set", "dealer.peeks=true", "--set", "split.hands=4"]
# Betting and insurance correlation as the Encyclopedia of Blackjack (qfit.com) lists them.
CORRELATIONS = {
    "hi-lo": (0.97, 0.76),
    "hi-opt-i": (0.88, 0.85),
    "hi-opt-ii": (0.91, 0.91),
    "omega-ii": (0.92, 0.85),
    "zen": (0.96, 0.85),
    "halves": (0.99, 0.72),
}
# D. Schlesinger's Illustrious 18 for hi-lo, more decks, S17, double after split (Blackjack Attack).
ILLUSTRIOUS = {
    ("insurance", "A"): 3,
    ("hard 16", "T"): 0,
    ("hard 15", "T"): 4,
    ("pair T-T", "5"): 5,
    ("pair T-T", "6"): 4,
    ("hard 10", "T"): 4,
    ("hard 12", "3"): 2,
    ("hard 12", "2"): 3,
    ("hard 11", "A"): 1,
    ("hard 9", "2"): 1,
    ("hard 10", "A"): 4,
    ("hard 9", "7"): 3,
    ("hard 16", "9"): 5,
    ("hard 13", "2"): -1,
    ("hard 12", "4"): 0,
    ("hard 12", "5"): -2,
    ("hard 12", "6"): -1,
    ("hard 13", "3"): -2,
}


@cache
def rules(decks: int = 6) -> MoneyRules:
    return money_rules(with_own(open_rulebook("uk-blackjack"), AMERICAN), decks)


@cache
def found(count: str) -> dict[tuple[str, str], PlayIndex]:
    return {(each.hand, each.up): each for each in indices(rules(), COUNTS[count])}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_balanced_and_their_correlations_are_the_published_ones(name: str) -> None:
    count, shares = COUNTS[name], pack_shares(rules())
    assert float(shares @ count.tags) == pytest.approx(0, abs=1e-12)
    betting, insurance = CORRELATIONS[name]
    worth = -card_worth(rules()).share
    assert count.betting_correlation(worth, shares) == pytest.approx(betting, abs=0.01)
    assert count.insurance_correlation(shares) == pytest.approx(insurance, abs=0.01)


@pytest.mark.parametrize("hand", ILLUSTRIOUS, ids=" against ".join)
def test_hi_lo_index_is_the_published_one(hand: tuple[str, str]) -> None:
    assert found("hi-lo")[hand].index == pytest.approx(ILLUSTRIOUS[hand], abs=0.85)


def test_index_of_a_count_with_halves_is_in_true_counts() -> None:
    one, other = found("halves")["hard 15", "T"], found("hi-lo")["hard 15", "T"]
    assert one.index == pytest.approx(other.index, abs=1)
    assert one.deviation.from_count == pytest.approx(2 * one.index, abs=1)


def test_expected_shares_move_with_the_count() -> None:
    moved = share_moved(COUNTS["hi-lo"], pack_shares(rules()))
    assert moved.sum() == pytest.approx(0, abs=1e-12)
    tags = COUNTS["hi-lo"].tags
    # The tags of the cards left sum to minus the count.
    assert float(moved @ tags) * 52 == pytest.approx(-1)


BUCKETS = [
    CountBucket(-1, 6000, 0.6, -0.01, 1.3),
    CountBucket(2, 3000, 0.3, 0.01, 1.3),
    CountBucket(4, 1000, 0.1, 0.03, 1.3),
]


def test_figures_of_a_spread_are_those_worked_out_by_hand() -> None:
    figures = spread_figures(BUCKETS, simple_bets(BUCKETS, 10, 2))
    assert figures.bets == {-1: 1, 2: 10, 4: 10}
    assert figures.win == pytest.approx(-0.006 + 0.03 + 0.03)
    assert figures.variance == pytest.approx(1.3 * (0.6 + 40) - 0.054**2)
    assert figures.n0 == pytest.approx(figures.variance / 0.054**2)
    assert figures.risk_of_ruin(2000) == pytest.approx(exp(-2 * 0.054 * 2000 / figures.variance))
    assert figures.risk_of_ruin(2000) == pytest.approx(
        risk_of_ruin(-figures.win, figures.variance, 2000)
    )
    assert figures.bankroll(0.05) == pytest.approx(-log(0.05) * figures.variance / 0.108)


def test_optimal_spread_keeps_the_risk_and_bets_more_at_a_higher_count() -> None:
    best = optimal_bets(BUCKETS, 40, 3000, 0.05)
    assert best is not None
    assert best.risk_of_ruin(3000) <= 0.05
    assert best.bets[-1] == 1 < best.bets[2] < best.bets[4] <= 40
    steeper = {count: 2 * bet if bet > 1 else 1 for count, bet in best.bets.items()}
    assert spread_figures(BUCKETS, steeper).risk_of_ruin(3000) > 0.05
    assert optimal_bets(BUCKETS, 12, 10, 0.05) is None


def test_optimal_bets_rise_with_the_count_though_chance_favours_a_lower_one() -> None:
    lucky = [*BUCKETS[:2], CountBucket(3, 300, 0.03, -0.02, 1.3), BUCKETS[2]]
    rare = CountBucket(9, 10, 0.001, -1.0, 1.3)
    best = optimal_bets([*lucky, rare], 40, 3000, 0.05)
    assert best is not None
    bets = list(best.bets.values())
    assert bets == sorted(bets)
    assert best.bets[2] == best.bets[3] < best.bets[4] == best.bets[9]


def test_bets_that_lose_ruin_for_certain() -> None:
    losing = spread_figures([BUCKETS[0]], {-1: 1})
    assert (losing.n0, losing.risk_of_ruin(1e9), losing.bankroll(0.05)) == (inf, 1.0, inf)


def counting(*words: str) -> dict[str, object]:
    command = ["edge", "counting", "uk-blackjack", "--decks", "6", *OWN, "--json", *words]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    data: dict[str, object] = json.loads(done.stdout)
    return data


@pytest.fixture(scope="module")
def shoe() -> dict[str, object]:
    return counting("--rounds", "1.5e6", "--spread", "20", "--bankroll", "20000")


def test_each_true_count_is_worth_about_half_a_per_cent(shoe: dict[str, object]) -> None:
    """The rule of thumb of S. Wong and others for hi-lo."""
    rows: list[dict[str, float]] = shoe["counts"]  # type: ignore[assignment]
    used = [row for row in rows if -4 <= row["count"] <= 5]
    weight = sum(row["share"] for row in used)
    mean = sum(row["share"] * row["count"] for row in used) / weight
    top = sum(row["share"] * (row["count"] - mean) * row["edge"] for row in used)
    slope = top / sum(row["share"] * (row["count"] - mean) ** 2 for row in used)
    assert 0.004 < slope < 0.0065
    assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_counter_wins_at_a_shoe_and_not_at_a_continuous_shuffler(shoe: dict[str, object]) -> None:
    continuous = counting("--rounds", "30000", "--dealing", "carousel-38", "--from", "1")
    simple, there = shoe["simple_spread"], continuous["simple_spread"]
    assert isinstance(simple, dict)
    assert isinstance(there, dict)
    assert simple["win_a_hundred_rounds"] > 3 * simple["error"]
    assert there["win_a_hundred_rounds"] < 2 * there["error"]


def test_optimal_spread_of_a_shoe_keeps_the_risk(shoe: dict[str, object]) -> None:
    optimal = shoe["optimal_spread"]
    assert isinstance(optimal, dict)
    assert optimal["risk_of_ruin"] <= 0.05
    assert optimal["n0"] > 0


def test_count_without_indices_plays_only_the_strategy() -> None:
    """Paired by seed: the same shoes, and other plays at high and low counts only."""
    plain = counting("--rounds", "200000", "--no-by-indices")
    varied = counting("--rounds", "200000")
    assert plain["by_indices"] is False
    assert plain["counts"] != varied["counts"]
    assert plain["indices"] == varied["indices"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--count", "hi-low"], "the counts are hi-lo, hi-opt-i"),
        (["--dealing", "every-round"], "are dealt by shoe, "),
        (["--risk", "0"], "--risk between 0 and 100"),
        (["--set", "split.hands=0"], "it moves no money"),
    ],
)
def test_wrong_options_are_rejected(words: list[str], said: str) -> None:
    command = ["edge", "counting", "uk-blackjack", "--decks", "6", "--rounds", "1000", *words]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_tables_are_printed_for_people() -> None:
    command = ["edge", "counting", "uk-blackjack", "--decks", "6", "--rounds", "9000"]
    done = CliRunner().invoke(app, command)
    assert "N0" in done.stdout
    assert "insurance" in done.stdout
