"""Madness 21 (New Zealand 15A): the button of a real controller at a live table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from cutcard.engine.state import Placed
from cutcard.table.jackpot.interface import NotOfferedError
from hil_tests.jackpots.jackpot_table import PLACE, ButtonTable

# Ana has a Blackjack, Ben stands on 14, the dealer has 6, 16 and 20.
CARDS = "As 9c 6d Kh 5d Tc 4h"


@pytest.fixture
def at(with_button: Callable[..., ButtonTable]) -> ButtonTable:
    return with_button("carousel-38", "nz-division-2", "madness-21")


def cut_power(at: ButtonTable, step: str) -> None:
    at.bench.do("power", how="cycle", after=1, step=step)


def test_press_pays_the_drawn_prize_per_dollar(at: ButtonTable) -> None:
    at.evening.play(CARDS, "stand", side=at.bets(Ana=1, Ben=2))
    (draw,) = at.draws()
    assert (draw.table, draw.round, draw.box, draw.wager) == (PLACE, 1, 1, 500)
    assert draw.prizes == 3750
    assert at.button.prizes.has(draw.amount)
    assert at.won("Ana") == draw.amount * 500
    assert at.won("Ben") == -500
    assert {"15A.4(a)", "15A.6", "15A.7", "15A.9"} <= at.cited("Ana")
    assert at.people.offered == ["Ana"]


def test_one_press_pays_all_players_on_the_box(at: ButtonTable) -> None:
    more = [Placed(1, "Cleo", "main", 1000), Placed(1, "Cleo", "madness-21", 200)]
    at.evening.play(CARDS, "stand", side=[*more, *at.bets(Ana=1)])
    (draw,) = at.draws()
    assert draw.wager == 700
    assert (at.won("Ana"), at.won("Cleo")) == (draw.amount * 500, draw.amount * 200)


@pytest.mark.parametrize("step", ["press", "show"])
def test_power_cut_during_a_press_changes_no_prize(at: ButtonTable, step: str) -> None:
    """Cut the power before or after the draw.

    Before it, no prize is drawn and the player presses again. After it, the controller returns the
    drawn prize after its restart, without another press.
    """
    at.people.before = partial(cut_power, at, step)
    at.evening.play(CARDS, "stand", side=at.bets(Ana=1))
    assert at.controller.status().boots == 2
    (draw,) = at.draws()
    assert at.controller.draws() == [draw]
    assert at.won("Ana") == draw.amount * 500
    assert at.people.offered == (["Ana", "Ana"] if step == "press" else ["Ana"])
    assert at.bench.do("display", how="read", table=PLACE)["meter"] == draw.amount


@pytest.mark.usefixtures("alike")
def test_round_with_a_power_cut_pays_the_prize_already_drawn(
    with_button: Callable[..., ButtonTable],
) -> None:
    """Compare two devices with the same seeds, one with a cut between the draw and the display."""
    won = []
    for cut in (False, True):
        at = with_button("carousel-38", "nz-division-2", "madness-21")
        at.people.before = partial(cut_power, at, "show") if cut else None
        at.evening.play(CARDS, "stand", side=at.bets(Ana=1))
        won.append((at.won("Ana"), [draw.prize for draw in at.draws()]))
    assert won[0] == won[1]


def test_display_failure_during_a_round_settles_with_25_dollars(at: ButtonTable) -> None:
    at.people.before = lambda: at.bench.do("display", how="break", table=PLACE)
    at.evening.play(CARDS, "stand", side=at.bets(Ana=1))
    assert at.won("Ana") == 2500
    assert "16.12" in at.cited("Ana")
    assert at.evening.irregularities() == ["jackpot-failure"]


def test_madness_21_is_not_offered_until_the_display_is_repaired(at: ButtonTable) -> None:
    at.people.before = lambda: at.bench.do("display", how="break", table=PLACE)
    at.people.hopeless = True
    at.evening.play(CARDS, "stand", side=at.bets(Ana=1))
    with pytest.raises(NotOfferedError, match=r"16\.12"):
        at.evening.play(CARDS, "stand", side=at.bets(Ana=1))
    at.evening.play(CARDS, "stand")
    at.people.hopeless = False
    at.evening.play(CARDS, "stand", side=at.bets(Ana=1))
    assert at.won("Ana") == at.draws()[-1].amount * 500


def test_displayed_amount_is_paid(at: ButtonTable) -> None:
    """15A.7: a display of $1,000 is paid, even if the controller drew another prize."""
    at.bench.do("display", how="set", table=PLACE, which="meter", amount=1000)
    at.evening.play(CARDS, "stand", side=at.bets(Ana=1))
    (draw,) = at.draws()
    assert draw.amount != 1000
    assert at.won("Ana") == 1000 * 500
    assert at.evening.irregularities() == ["meter-mismatch"]
    assert "15A.7" in at.cited("Ana")
