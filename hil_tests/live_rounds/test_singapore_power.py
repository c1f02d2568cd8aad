"""Singapore 5.30: the power fails before or after an outcome is established."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutcard.engine.events import Ruling
from cutcard.rulebooks.vocabulary import RulingKind
from hil_tests.live_rounds.live_table import Evening

# Ana has 12, Ben 17, the dealer a six.
CARDS = "Tc 9c 6d 2h 8s"


@pytest.fixture
def at(live: Callable[..., Evening]) -> Evening:
    return live("shoe-8", "mbs-free-bet-3")


def power_fails(at: Evening, draws: int) -> None:
    """Cut the power at draw number `draws`: the card is on the table, and the shoe cannot report
    it."""
    at.bench.do("power", how="cycle", after=draws, step="draw")


def says(player: str, what: RulingKind) -> Ruling:
    return Ruling(what, player=player)


def test_without_an_outcome_each_player_withdraws_or_stays(at: Evening) -> None:
    """5.30.1: Ana withdraws, Ben stays and the round is concluded."""
    power_fails(at, 4)
    script = [says("Ana", "withdraw"), says("Ben", "stay")]
    result = at.play(f"{CARDS} Td 2d", "stand", script)
    assert at.faults() == [("power-lost", "initial deal")]
    assert result == {"Ana": ("void", 0), "Ben": ("lose", -20)}
    assert at.rules("Ana") == {"5.30.1"}


def test_all_may_withdraw(at: Evening) -> None:
    power_fails(at, 4)
    script = [says("Ana", "withdraw"), says("Ben", "withdraw")]
    assert at.play(CARDS, "", script) == {"Ana": ("void", 0), "Ben": ("void", 0)}


def test_play_continues_with_an_outcome(at: Evening) -> None:
    """5.30.2: Ana has lost with 22, so Ben may not withdraw."""
    power_fails(at, 7)
    result = at.play(f"{CARDS} Ks Td 2d", "hit stand")
    assert result == {"Ana": ("lose", -10), "Ben": ("lose", -20)}
    assert "5.30.2" in at.live.round.rulings[0].rules


def test_card_drawn_without_power_establishes_an_outcome(at: Evening) -> None:
    """Ana's king was drawn when the power failed; read by eye, it makes 22."""
    power_fails(at, 6)
    result = at.play(f"{CARDS} Ks Td 2d", "hit stand")
    assert result == {"Ana": ("lose", -10), "Ben": ("lose", -20)}
    assert at.faults() == [("power-lost", "a player's turn")]


def test_power_failure_at_rest_is_reported(at: Evening) -> None:
    """The shoe needs no recovery; the ruling on the round is still requested."""
    at.before_act = at.bench.cycle_power
    script = [says("Ana", "stay"), says("Ben", "withdraw")]
    result = at.play(f"{CARDS} 9s Td 2d", "hit", script)
    assert at.faults() == []
    assert at.records("started") == [{"boots": 2, "cause": "power"}]
    assert result["Ben"] == ("void", 0)
