"""The effect of a cutting card on the edge: measured with little noise, and reproducible."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cutcard.cli.edges.simulate import basic_strategy
from cutcard.edge.simulate.cut_card import cut_card_effect, rounds_to_compare_with
from cutcard.edge.simulate.figures import Estimate, figures
from cutcard.edge.simulate.job import EVERY_ROUND, SHOE, Job, ready
from cutcard.edge.simulate.running import cut_shards, played_shards

BRITISH = Job("uk-blackjack", ("blackjack",), 6, basic_strategy(), dealing=SHOE, cut=0.75)
CARDS_A_ROUND = 5.35
EDGE = Estimate(0.0052, 0.0003)
PUBLISHED = 0.00020  # for six decks; the depth of that shoe is not stated


def effect(job: Job, shoes: int) -> Estimate:
    fixed = rounds_to_compare_with(52 * job.decks, job.cut, CARDS_A_ROUND)
    shards, _ = cut_shards(job, shoes, fixed)
    return cut_card_effect(job, shards, EDGE)


@pytest.mark.parametrize(
    ("shoes", "precision"), [(50_000, 2 / 3), pytest.param(200_000, 1 / 3, marks=pytest.mark.soak)]
)
def test_cutting_card_costs_about_the_published_amount_for_six_decks(
    shoes: int, precision: float
) -> None:
    found = effect(BRITISH, shoes)
    assert abs(found.value - PUBLISHED) < 4 * found.error
    assert found.error < PUBLISHED * precision


def test_two_separate_simulations_agree_with_more_noise() -> None:
    job = replace(BRITISH, decks=2, cut=0.5)
    whole_pack, made = replace(job, dealing=EVERY_ROUND), ready(job)
    ideal, cut = (
        figures(each, made.bets, made.sides, played_shards(each, 2_000_000)[0]).edge
        for each in (whole_pack, job)
    )
    fixed = rounds_to_compare_with(104, 0.5, CARDS_A_ROUND)
    shards, _ = cut_shards(job, 100_000, fixed)
    found = cut_card_effect(job, shards, ideal)
    apart = (ideal.error**2 + cut.error**2) ** 0.5
    assert abs((cut.value - ideal.value) - found.value) < 4 * apart
    assert found.error < apart / 2


def test_fixed_number_of_rounds_never_runs_out_of_cards() -> None:
    job = replace(BRITISH, decks=1)
    fixed = rounds_to_compare_with(52, job.cut, CARDS_A_ROUND)
    shards, _ = cut_shards(job, 20_000, fixed)
    ran_out = sum(shard[0][-1] for shard in shards)
    assert ran_out <= 2


@pytest.mark.parametrize("cores", [1, 2])
def test_same_shoes_are_dealt_on_any_number_of_cores(cores: int) -> None:
    shards, _ = cut_shards(BRITISH, 1024, 44, cores)
    assert sorted(shards, key=str) == sorted(cut_shards(BRITISH, 1024, 44)[0], key=str)
