"""Crown: a continuous machine that fails in a live round, from the sensor to the settlement."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from cutcard.engine.events import Ruling
from cutcard.rulebooks.readings import reading
from cutcard.table.play.live import TableLockedError
from hil_tests.live_rounds.live_table import Evening

HIGHER_DUTIES = "tg-higher-duties-dealer"
VOID = Ruling("void-round", by=HIGHER_DUTIES)
GO_ON = Ruling("continue", by=HIGHER_DUTIES)
# Ana has a Blackjack, Ben 14, the dealer a six.
BLACKJACK = "As 9c 6d Kh 5d"
# The same with 5 for Ben, and small cards for him to draw until the machine detects the loss.
SMALL = "2c 2d 2h 2s 2c 2d 2h 2s"
LONG = f"As 2c 6d Kh 3d {SMALL}"
HITS = "hit hit hit hit hit hit hit"


@pytest.fixture
def at(live: Callable[..., Evening]) -> Evening:
    return live("carousel-38", "crown-melbourne-26")


@pytest.fixture
def by_bins(live: Callable[..., Evening]) -> Evening:
    """Return a table with a machine that ejects full bins and so detects a missing card
    immediately."""
    return live("carousel-44", "crown-melbourne-26")


def door_opens(at: Evening, draws: int) -> None:
    """Open the door after `draws` cards; the machine stops immediately."""
    at.bench.do("door", how="open", after=draws, step="draw")


def steal(at: Evening) -> None:
    """Steal a card from every bin; the count finds the loss when a bin is ejected."""
    for number, cards in enumerate(at.bench.status()["bins"]):
        if cards > 1:
            at.bench.do("steal", bin=number)


def test_malfunction_in_the_initial_deal_voids_all_wagers(at: Evening) -> None:
    door_opens(at, 3)
    assert at.play(BLACKJACK, rulings=[VOID]) == {"Ana": ("void", 0), "Ben": ("void", 0)}
    assert at.faults() == [("door-open", "initial deal")]
    assert at.rules("Ana") == {"9.12", "32.5"}


def test_unpaid_blackjack_is_void_too(at: Evening) -> None:
    """The machine stops with the last card of the initial deal, before the interim settlement."""
    door_opens(at, 5)
    assert at.play(BLACKJACK, rulings=[VOID]) == {"Ana": ("void", 0), "Ben": ("void", 0)}
    assert "9.12.1" not in at.rules("Ana")


def test_payment_before_the_malfunction_remains_valid(at: Evening) -> None:
    """Ana's Blackjack was paid 3 to 2; Ben's hand cannot be completed."""
    at.before_act = partial(at.bench.do, "door", how="open")
    result = at.play(BLACKJACK, "hit", [VOID])
    assert result == {"Ana": ("win", 15), "Ben": ("void", 0)}
    assert at.faults() == [("door-open", "a player's turn")]
    assert "9.12.1" in at.rules("Ana")
    assert at.rules("Ben") == {"9.12", "32.5"}


def test_recovered_machine_completes_the_round(at: Evening) -> None:
    at.before_act = partial(at.bench.do, "door", how="open")
    result = at.play(f"{BLACKJACK} 7h Tc 9s", "hit", [GO_ON])
    assert result == {"Ana": ("win", 15), "Ben": ("win", 20)}
    assert at.ruled() == [("malfunction", "continue")]


def test_jam_is_a_malfunction(at: Evening) -> None:
    """A real card stops at the exit while the chute is filled again."""
    at.bench.do("jam", where="exit")
    assert at.play(LONG, HITS, [VOID])["Ben"] == ("void", 0)
    assert at.faults()[0][0] == "jam-on-exit"


def test_wrong_cards_return_even_paid_wagers(by_bins: Evening) -> None:
    """A count differs, all cards are removed and counted by hand: 9.13 and 9.15 void the round.

    The machine is filled with new cards, counts them, and the next round is played.
    """
    by_bins.before_act = partial(steal, by_bins)
    cards = f"As 2c 9h 9d 6d Kh 3d 9s 9c {SMALL}"
    result = by_bins.play(cards, HITS, Ana=10, Ben=20, Cleo=10, Dan=10)
    assert result == dict.fromkeys(result, ("void", 0))
    assert by_bins.faults() == [("missing-card", "a player's turn")]
    assert by_bins.rules("Ana") == {"9.13", "9.15", "9.16"}
    assert by_bins.irregularities() == ["malfunction", "wrong-cards"]
    assert by_bins.records("unloaded")[0]["found"] == "missing"
    assert by_bins.records("loaded") == [{"cards": 208}]
    assert by_bins.play("Ts 9c 6d Kh 9d Tc Td", "stand stand")["Ana"] == ("win", 10)


def test_machine_stays_locked_without_new_cards(by_bins: Evening) -> None:
    by_bins.floor.has_new_cards = False
    steal(by_bins)
    by_bins.play(LONG, HITS)
    assert by_bins.live.machine.locked
    with pytest.raises(TableLockedError):
        by_bins.live.play([])


def test_unhealthy_random_source_stops_the_round(at: Evening) -> None:
    at.before_act = at.bench.stick_noise
    result = at.play(LONG, HITS, [VOID])
    assert at.faults() == [("random-source", "a player's turn")]
    assert result == {"Ana": ("win", 15), "Ben": ("void", 0)}


def test_random_source_that_stays_unhealthy_locks_the_machine(at: Evening) -> None:
    """Its start-up test fails: no count is accepted, and the machine deals no more cards."""
    at.floor.overlooks, at.floor.has_new_cards = 100, False
    at.before_act = at.bench.stick_noise
    at.play(LONG, HITS, [VOID])
    assert at.live.machine.locked


def test_power_failure_may_void_the_round(at: Evening) -> None:
    at.before_act = at.bench.cycle_power
    result = at.play(f"{BLACKJACK} 7h", "hit", [VOID])
    assert result == {"Ana": ("void", 0), "Ben": ("void", 0)}
    assert at.rules("Ana") == {
        *("32.4", reading("crown-power-failure")),
        *("32.5", reading("crown-void-outcome")),
    }
