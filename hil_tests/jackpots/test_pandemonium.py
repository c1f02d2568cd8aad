"""Pontoon Pandemonium (Crown 11): the right to press, its order, and rulings on a wrong press."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutcard.engine.events import Ruling
from cutcard.engine.state import Placed
from cutcard.prizes.tables import text_of
from cutcard.rulebooks.side_wagers.catalogue import side_wagers
from cutcard.table.jackpot.button import ButtonPress
from cutcard.table.jackpot.interface import NotOfferedError
from hil_tests.jackpots.jackpot_table import PLACE, ButtonTable

BET = "pontoon-pandemonium"
HIGHER_DUTIES = "tg-higher-duties-dealer"
DECLARE = Ruling("declare-malfunction", by=HIGHER_DUTIES)
# Ana and Ben have Pontoons, the dealer a nine, and the round has no other hands.
PONTOONS = "As Kc 9h Kd Ah"
# Ana has a Pontoon, Ben stands on 18; the dealer busts with nine, seven and king.
ONE = "As 9c 9h Kd 9d 7h Kc"


@pytest.fixture
def at(with_button: Callable[..., ButtonTable]) -> ButtonTable:
    return with_button("shoe-8", "crown-melbourne-26", BET, "4")


def test_each_winner_presses_and_is_paid_a_separate_prize(at: ButtonTable) -> None:
    at.evening.play(PONTOONS, side=at.bets(Ana=1, Ben=2))
    first, second = at.draws()
    assert (first.box, second.box, first.prizes) == (1, 2, 37_501)
    assert (at.won("Ana"), at.won("Ben")) == (first.amount * 500, second.amount * 500)
    assert {"11.5.4(d)", "11.5.5(a)"} <= at.cited("Ana")


def test_caller_of_a_box_presses_first(at: ButtonTable) -> None:
    cleo = [Placed(1, "Cleo", "main", 1000), Placed(1, "Cleo", BET, 200)]
    at.evening.play(ONE, "stand", side=[*cleo, *at.bets(Ana=1)])
    first, second = at.draws()
    assert at.people.offered == ["Ana", "Cleo"]
    assert [(d.seat, d.wager) for d in (first, second)] == [(0, 500), (1, 200)]
    assert at.won("Cleo") == second.amount * 200


def test_a_nominee_presses_for_the_winner(at: ButtonTable) -> None:
    at.people.script = [ButtonPress("Dan", nominated=True)]
    at.evening.play(ONE, "stand", side=at.bets(Ana=1))
    (draw,) = at.draws()
    assert at.won("Ana") == draw.amount * 500
    assert "11.5.5(b)" in at.cited("Ana")


def test_dealer_presses_if_no_player_decides(at: ButtonTable) -> None:
    at.people.script = [ButtonPress("dealer")]
    at.evening.play(ONE, "stand", side=at.bets(Ana=1))
    assert "11.5.5(c)" in at.cited("Ana")


def test_winner_may_accept_a_press_by_another_person(at: ButtonTable) -> None:
    at.people.script = [ButtonPress("Ben")]
    accept = Ruling("accept", player="Ana")
    at.evening.play(ONE, "stand", [accept], side=at.bets(Ana=1))
    (draw,) = at.draws()
    assert at.won("Ana") == draw.amount * 500
    assert "11.6.1" in at.cited("Ana")


def test_winner_may_press_again_and_the_second_prize_counts(at: ButtonTable) -> None:
    at.people.script = [ButtonPress(None)]
    again = Ruling("press-again", player="Ana")
    at.evening.play(ONE, "stand", [again], side=at.bets(Ana=1))
    first, second = at.draws()
    assert [(d.round, d.box, d.attempt) for d in (first, second)] == [(1, 1, 0), (1, 1, 1)]
    assert at.won("Ana") == second.amount * 500
    assert at.people.offered == ["Ana", "Ana"]


def test_press_without_an_offer_draws_no_prize_and_is_void(at: ButtonTable) -> None:
    at.evening.before_act = lambda: at.bench.do("press", table=PLACE)
    at.evening.play(ONE, "stand", side=at.bets(Ben=2))
    assert at.draws() == []
    assert at.evening.irregularities() == ["button-misfire"]
    assert ("11.6.2",) in [ruled.rules for ruled in at.evening.live.round.rulings]
    assert at.won("Ben") == -500


def test_events_at_another_table_of_the_controller_are_ignored(
    at: ButtonTable,
) -> None:
    other = 1
    at.evening.before_act = lambda: at.bench.do("press", table=other)
    at.evening.play(ONE, "stand", side=at.bets(Ana=1))
    assert at.evening.irregularities() == []
    assert [event.table for event in at.controller.heard(other)] == [other]


def test_pontoon_without_the_wager_draws_no_prize(at: ButtonTable) -> None:
    at.people.in_the_dark = ("Ana", 1)
    at.evening.before_act = lambda: at.bench.do("press", table=PLACE)
    at.evening.play(ONE, "stand", side=at.bets(Ben=2))
    assert at.draws() == []
    assert ("11.5.6",) in [ruled.rules for ruled in at.evening.live.round.rulings]
    assert at.evening.irregularities() == []


def test_panel_amount_is_paid_if_meter_and_panel_differ(at: ButtonTable) -> None:
    at.bench.do("display", how="set", table=PLACE, which="meter", amount=1000)
    at.evening.play(ONE, "stand", side=at.bets(Ana=1))
    (draw,) = at.draws()
    assert draw.amount != 1000
    assert at.won("Ana") == draw.amount * 500
    assert "11.6.3(a)" in at.cited("Ana")
    readings = {"drawn": draw.amount, "meter": 1000, "panel": draw.amount}
    assert readings in at.evening.records("readings")


def test_wrong_panel_amount_is_paid(at: ButtonTable) -> None:
    """11.6.3(a): the player wins the amount on the Central Control Panel, here not the amount
    drawn."""
    at.bench.do("display", how="set", table=PLACE, which="panel", amount=500)
    at.evening.play(ONE, "stand", side=at.bets(Ana=1))
    assert at.won("Ana") == 500 * 500


def test_declared_malfunction_pays_20_for_each_1_to_the_other_players(at: ButtonTable) -> None:
    at.bench.do("display", how="set", table=PLACE, which="meter", amount=1000)
    at.evening.play(PONTOONS, rulings=[DECLARE], side=at.bets(Ana=1, Ben=2))
    (draw,) = at.draws()
    assert at.won("Ana") == draw.amount * 500
    assert at.won("Ben") == 20 * 500
    assert "11.6.4(a)" in at.cited("Ana")
    assert "11.6.4(b)" in at.cited("Ben")


def test_controller_failure_during_a_round_pays_20_for_each_1_to_unsettled_players(
    at: ButtonTable,
) -> None:
    """Ana has drawn and was paid; the door of the controller opens before Ben's press."""
    at.people.hopeless = True

    def door_opens() -> None:
        at.bench.do("door", how="open")
        at.bench.settle()  # Ben presses after that, not in the same millisecond

    def then_it_fails() -> None:
        at.people.before = door_opens

    at.people.before = then_it_fails
    at.evening.play(PONTOONS, rulings=[DECLARE], side=at.bets(Ana=1, Ben=2))
    (draw,) = at.draws()
    assert (at.won("Ana"), at.won("Ben")) == (draw.amount * 500, 20 * 500)
    assert "11.6.4(b)" in at.cited("Ben")
    with pytest.raises(NotOfferedError, match=r"11\.6\.4\(c\)"):
        at.evening.play(ONE, "stand", side=at.bets(Ana=1))
    at.bench.do("door", how="close")
    at.people.hopeless = False
    at.evening.play(ONE, "stand", side=at.bets(Ana=1))
    assert at.won("Ana") == at.draws()[-1].amount * 500


def test_stuck_button_is_a_failure(at: ButtonTable) -> None:
    """Ana's press was valid and its prize is shown, so it is paid. Ben cannot press any more."""
    at.people.held = 60_000
    at.people.hopeless = True
    at.evening.play(PONTOONS, rulings=[DECLARE], side=at.bets(Ana=1, Ben=2))
    (draw,) = at.draws()
    assert (at.won("Ana"), at.won("Ben")) == (draw.amount * 500, 20 * 500)


def test_dark_meter_differs_from_the_panel(at: ButtonTable) -> None:
    at.people.before = lambda: at.bench.do("display", how="break", table=PLACE)
    at.evening.play(ONE, "stand", side=at.bets(Ana=1))
    (draw,) = at.draws()
    assert at.won("Ana") == draw.amount * 500
    assert "11.6.3(a)" in at.cited("Ana")


def test_a_power_cut_between_draw_and_display_changes_no_prize(at: ButtonTable) -> None:
    at.people.before = lambda: at.bench.do("power", how="cycle", after=1, step="show")
    at.evening.play(PONTOONS, side=at.bets(Ana=1, Ben=2))
    first, second = at.draws()
    assert at.controller.status().boots == 2
    assert (at.won("Ana"), at.won("Ben")) == (first.amount * 500, second.amount * 500)


def test_each_of_the_ten_prize_tables_can_be_drawn_from(at: ButtonTable) -> None:
    at.evening.play(ONE, "stand")
    for column in side_wagers("crown-melbourne-26")[BET].columns:
        at.controller.set_prizes(1, text_of(column.prizes))
        draw = at.controller.press(1, int(column.choice), 1, 100)
        total = sum(count for _, count in column.prizes.chances)
        assert draw.prizes == total
        assert column.prizes.has(draw.amount)
