"""The gain of a bettor: its limit, its estimator, and the pool of predictions."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pypdfium2
import pytest

from cutcard.machines import find
from rng_certification.campaign.parts.predictability import _money_rows
from rng_certification.campaign.product import COVERED
from rng_certification.continuous.counter import SPREAD
from rng_certification.continuous.steps import Steps
from rng_certification.predictability.candidates import MachineInterior, Shares
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.ear import Hearing
from rng_certification.predictability.figures import ORDINARY, Effort
from rng_certification.predictability.games import PLACES, Game, games_for, values_of
from rng_certification.predictability.measuring import measured
from rng_certification.predictability.money import (
    SAFETY,
    SHARE,
    Bets,
    Gain,
    bets,
    chances_by_place,
    first_deals,
    gains,
    standard_error,
    true_chances,
)
from rng_certification.predictability.of_machine import law_of, sound_of
from rng_certification.predictability.pool import learned_exponents, pooled
from rng_certification.profiles.profile import load
from rng_certification.report.money_table import money_rows, money_sentence, rulebooks_not_passed
from rng_certification.report.writing import rendered

LAW = CarouselLaw(8, 10, 3, 52, "single")
GAME = Game("a game", 0.005, np.linspace(-0.3, 0.3, 40).reshape(PLACES, 10) ** 3 * 20)


def _history(cards: int = 12_000) -> tuple[MachineInterior, Steps]:
    return MachineInterior(LAW), SimulatedCarousel(LAW, 5).steps(cards)


def _gain(edge: float, worth: float, error: float = 0.0) -> Gain:
    return Gain(replace(GAME, edge=edge), worth, error, -edge)


class TestLimit:
    def test_gain_is_the_worth_of_the_prediction_less_the_house_edge(self) -> None:
        gain = _gain(0.005, 0.007, 0.001)
        assert gain.gain == pytest.approx(0.002)
        assert gain.upper == pytest.approx(0.002 + 1.645 * 0.001)

    def test_the_upper_limit_of_a_gain_is_judged_with_its_allowance(self) -> None:
        gain = _gain(0.005, 0.006)
        assert gain.judged == pytest.approx(1.25 * 0.001)
        assert gain.allowed == pytest.approx(0.0025)

    @pytest.mark.parametrize(
        ("worth", "passes"), [(0.0069, True), (0.0071, False), (0.001, True), (0.0, True)]
    )
    def test_a_gain_passes_up_to_half_of_the_house_edge(self, worth: float, passes: bool) -> None:
        assert _gain(0.005, worth).passes is passes

    def test_an_uncertain_gain_does_not_pass(self) -> None:
        assert not _gain(0.005, 0.004, error=0.002).passes

    def test_a_game_without_a_house_edge_has_no_limit(self) -> None:
        gain = _gain(-0.001, 0.0)
        assert not gain.has_limit
        assert not gain.passes

    def test_the_profile_declares_the_limits_of_the_code(self) -> None:
        [clause] = [clause for clause in load("shuffler").clauses if clause.id == "money"]
        assert clause.limits == {
            "money_share": SHARE,
            "money_safety": SAFETY,
            "money_spread": SPREAD,
        }


class TestBets:
    def test_a_bettor_without_knowledge_wins_no_money(self) -> None:
        inside, steps = _history()
        could, deals = inside.candidates(steps), first_deals(steps, LAW.pack)
        even = np.full((len(deals), LAW.pack), 1 / LAW.pack, dtype=np.float32)
        [found] = bets([GAME], [even] * PLACES, could, deals, 32, seed=1)
        assert found.worth == 0
        assert (found.staked == 1).all()

    def test_true_chances_agree_with_the_cards_that_came(self) -> None:
        """The mean worth of large bets by true chances equals the worth by the dealt cards."""
        inside, steps = _history(120_000)
        could, deals = inside.candidates(steps), first_deals(steps, LAW.pack)
        came = MachineInterior(replace(LAW, lanes=2)).candidates(steps)  # knows the cards alone
        assert came.cards.shape[1] == 1
        known = [true_chances(could, deals, LAW.pack)] * PLACES  # before the first card leaves
        [true] = bets([GAME], known, could, deals, 32, seed=2)
        [realised] = bets([GAME], known, came, deals, 32, seed=2)
        apart = standard_error(true.deviations() - realised.deviations())
        assert true.worth > 0.01
        assert abs(true.worth - realised.worth) < 4 * apart
        assert standard_error(true.deviations()) < standard_error(realised.deviations())

    def test_true_chances_add_up_to_one_card(self) -> None:
        inside, steps = _history()
        could, deals = inside.candidates(steps), first_deals(steps, LAW.pack)
        for place in range(PLACES):
            chances = true_chances(could, deals + place, LAW.pack)
            assert np.allclose(chances.sum(axis=1), 1, atol=1e-5)

    def test_more_knowledge_wins_more(self) -> None:
        inside, steps = _history()
        could, deals = inside.candidates(steps), first_deals(steps, LAW.pack)
        truth = [true_chances(could, deals + place, LAW.pack) for place in range(PLACES)]
        even = np.full_like(truth[0], 1 / LAW.pack)
        [first] = bets([GAME], [truth[0], even, even, even], could, deals, 32, seed=1)
        [every] = bets([GAME], truth, could, deals, 32, seed=1)
        assert 0 < first.worth < every.worth

    def test_places_are_predicted_from_the_next_card_and_valued_on_other_rounds(self) -> None:
        inside, steps = _history()
        could, deals = inside.candidates(steps), first_deals(steps, LAW.pack)
        next_card = true_chances(could, deals, LAW.pack)
        chances, learned = chances_by_place(next_card, could, deals, LAW.pack)
        assert learned == len(deals) // 4
        assert [len(each) for each in chances] == [len(deals) - learned] * PLACES

    def test_only_a_better_counter_raises_the_gain(self) -> None:
        weak, strong = (Bets(np.full(8, 2.0), np.full(8, won)) for won in (0.004, 0.008))
        [same] = gains([GAME], [weak], [weak], ([weak], [strong]))
        [more] = gains([GAME], [weak], [weak], ([strong], [weak]))
        assert same.worth == pytest.approx(0.002)
        assert more.worth == pytest.approx(0.004)

    def test_too_few_stretches_have_an_unknown_error(self) -> None:
        assert standard_error(np.zeros(3)) == 1.0


class TestGames:
    def test_an_average_card_has_a_worth_of_zero(self) -> None:
        values = values_of(416)
        for game in games_for(416):
            assert np.abs(game.worth[:3, values].mean(axis=1)).max() < 1e-6

    def test_every_rulebook_that_a_product_covers_has_a_game(self) -> None:
        assert set(COVERED) <= {game.rulebook for game in games_for(416)}

    def test_a_pack_of_incomplete_decks_has_no_games(self) -> None:
        assert games_for(20) == ()


class TestPool:
    @staticmethod
    def _data(rows: int, exponents: tuple[float, ...]) -> tuple[list[Shares], Shares]:
        random = np.random.default_rng(3)
        chances = [
            random.dirichlet(np.full(20, 0.5), size=rows).astype(np.float32) + np.float32(1e-6)
            for _ in exponents
        ]
        return chances, pooled(chances, np.array(exponents))

    def test_the_exponents_of_known_data_are_found_again(self) -> None:
        chances, truth = self._data(4_000, (0.7, 0.4))
        assert learned_exponents(chances, truth, (0.5, 0.5)) == pytest.approx([0.7, 0.4], abs=0.02)

    @pytest.mark.parametrize("start", [(0.0, 0.0), (5.0, -3.0), (30.0, 30.0)])
    def test_a_far_start_does_not_overshoot(self, start: tuple[float, float]) -> None:
        chances, truth = self._data(4_000, (0.7, 0.4))

        def likelihood(exponents: tuple[float, ...]) -> float:
            pool = pooled(chances, np.array(exponents))
            return float((truth * np.log(np.maximum(pool, 1e-30))).sum())

        found = learned_exponents(chances, truth, start)
        assert np.isfinite(found).all()
        assert likelihood(tuple(found)) >= likelihood(start)

    def test_few_rows_keep_the_exponents_near_the_prior(self) -> None:
        chances, truth = self._data(2, (3.0, 0.0))
        assert learned_exponents(chances, truth, (0.5, 0.5)) == pytest.approx([0.5, 0.5], abs=0.6)

    def test_a_card_that_one_prediction_excludes_has_no_chance(self) -> None:
        first = np.array([[0.5, 0.5, 0.0]], dtype=np.float32)
        second = np.array([[0.2, 0.3, 0.5]], dtype=np.float32)
        pool = pooled([first, second], np.array([1.0, 1.0]))
        assert pool[0, 2] == 0
        assert pool.sum() == pytest.approx(1)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "pack", "passes"), [("carousel-60", 416, True),
                                                      ("carousel-38", 208, False)])  # fmt: skip
def test_the_default_machine_passes_in_money_and_the_smaller_one_does_not(
    name: str, pack: int, passes: bool
) -> None:
    machine, games = find(name), games_for(pack)
    effort = Effort.of(ORDINARY)
    found = measured(law_of(machine, pack), sound_of(machine), Hearing(), effort, games=games)
    by_rulebook = {gain.game.rulebook: gain.passes for gain in found.gains}
    assert all(by_rulebook[rulebook] for rulebook in COVERED) is passes
    assert not by_rulebook["crown-melbourne-26"]


class TestReport:
    @staticmethod
    def _part() -> dict[str, Any]:
        """A predictability part with a rulebook that passes, one that fails, and two others."""
        gains = (
            Gain(replace(GAME, rulebook="uk-blackjack"), 0.004, 0.0001, -0.004),
            Gain(replace(GAME, rulebook="nz-division-2"), 0.009, 0.0001, -0.004),
            Gain(replace(GAME, rulebook="mbs-free-bet-3", edge=-0.001), 0.0, 0.0, 0.001),
            Gain(replace(GAME, rulebook="crown-melbourne-26", edge=0.001), 0.004, 0.0, 0.0),
        )
        money = _money_rows(gains, COVERED, "particles and logit")
        return {
            "id": "predictability-x",
            "title": "Predictability of 416 cards in the carousel-60",
            "figures": {"told": {"money": money}},
        }

    def test_each_rulebook_has_a_row_and_those_outside_of_the_product_are_last(self) -> None:
        rows = money_rows([self._part()])
        assert [(row["rulebook"], row["verdict"]) for row in rows] == [
            ("uk-blackjack", "pass"),
            ("nz-division-2", "fail"),
            ("mbs-free-bet-3", "no limit"),
            ("crown-melbourne-26", "not covered"),
        ]
        assert rows[1]["judged"] == "+0.52 %"

    def test_the_sentence_states_the_limit(self) -> None:
        sentence = money_sentence([self._part()])
        assert "1.25 times the upper one-sided 95 % limit" in sentence
        assert "50 % of the house edge" in sentence
        assert money_sentence([]) == ""

    def test_a_rulebook_outside_of_the_product_that_fails_is_a_condition_of_use(self) -> None:
        assert rulebooks_not_passed([self._part()]) == ["crown-melbourne-26"]

    def test_page_and_pdf_show_the_table(self, campaign_data: dict[str, Any]) -> None:
        campaign = copy.deepcopy(campaign_data)
        campaign["parts"][0]["figures"]["told"] = {
            **_leakage(),
            "money": self._part()["figures"]["told"]["money"],
        }
        page, print_ = rendered(campaign, None, {})
        text = "".join(
            sheet.get_textpage().get_text_range() for sheet in pypdfium2.PdfDocument(print_)
        )
        for shown in (page, text):
            assert "Predictability in money" in shown
            assert "not covered" in " ".join(shown.split())


def _leakage() -> dict[str, Any]:
    figure = {"by": "logit", "bits": 0.1, "error": 0.01, "cards": 1_000, "gain": 0.0}
    return {
        "machine": "carousel-60", "pack": 416, "limit": 0.25, "ideal": 0.03, "spread": 10,
        "house_edge_percent": 0.5, "edge_of_knowing_percent": -16.0, "direction_hidden": False,
        "direction_tested": [], "ear_direction": 0.75, "counter": figure, "counters": [figure],
        "ear": figure,
    }  # fmt: skip
