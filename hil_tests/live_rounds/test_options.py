"""Players' options outside their turns at a live table: insurance, even money, surrender."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from cutcard.cases.runner import run_file
from cutcard.engine.events import Act
from cutcard.engine.state import Round
from cutcard.table.play.evening import write_cases
from hil_tests.live_rounds.live_table import Evening

# Ana has a hard 19, Ben 17, and the dealer's ace becomes a Blackjack.
AGAINST_AN_ACE = "Tc 9c Ad 9h 8s Kd"


@pytest.fixture
def at(live: Callable[..., Evening]) -> Evening:
    return live("carousel-38", "crown-melbourne-26")


class Takes:
    """Players who take the options in `wanted`; `agrees` decides when claims conflict."""

    def __init__(self, *wanted: str, agrees: str = "") -> None:
        self.wanted = wanted
        self.agrees = agrees
        self.offered: list[tuple[str | None, str | None]] = []

    def consider(self, round: Round, act: Act) -> bool:
        if act.kind == "insure":
            self.offered.append((act.player, act.for_player))
        return act.kind == "insure" and _wish(act) in self.wanted

    def agree(self, round: Round, players: Sequence[str], act: Act) -> str:
        return self.agrees


def _wish(act: Act) -> str:
    return f"{act.player} for {act.for_player}" if act.for_player else str(act.player)


def insured(at: Evening) -> list[tuple[int, str, int]]:
    lines = [line for line in at.outcome if line.key.bet == "insurance"]
    return [(line.key.box, line.key.player, line.net) for line in lines]


def test_insurance_is_offered_to_each_player_once_and_paid_to_its_buyers(at: Evening) -> None:
    at.live.options = only_ana = Takes("Ana")
    at.play(AGAINST_AN_ACE, "stand stand")

    assert only_ana.offered == [("Ana", None), ("Ben", None)]
    assert insured(at) == [(1, "Ana", 1000)]
    assert write_cases(at.path, at.cases) == 1
    assert all(run_file(case).ok for case in at.cases.glob("*.toml"))


def test_players_are_not_insured_by_default(at: Evening) -> None:
    at.play(AGAINST_AN_ACE, "stand stand")
    assert insured(at) == []


# Three boxes of $20, the dealer's ace becomes a Blackjack.
THREE = "Tc 9c 8c Ad 9h 8s 9d Kd"


@pytest.fixture
def in_singapore(live: Callable[..., Evening]) -> Evening:
    return live("carousel-38", "mbs-free-bet-3")


def test_declined_option_goes_to_the_nearest_player_who_wants_it(in_singapore: Evening) -> None:
    at = in_singapore
    at.live.options = players = Takes("Cleo for Ana", "Ben for Ana")
    at.play(THREE, "stand stand stand", Ana=20, Ben=20, Cleo=20)
    assert players.offered[3] == ("Ben", "Ana")
    assert ("Cleo", "Ana") not in players.offered
    assert (1, "Ben", 2000) in insured(at)
    assert write_cases(at.path, at.cases) == 1
    assert all(run_file(case).ok for case in at.cases.glob("*.toml"))


@pytest.mark.parametrize(("agrees", "won"), [("Cleo", [(2, "Cleo", 2000)]), ("", [])])
def test_equal_claims_need_an_agreement(
    in_singapore: Evening, agrees: str, won: list[tuple[int, str, int]]
) -> None:
    """Ana and Cleo sit at the same distance from Ben's box (3.27.4.3, 3.27.4.4)."""
    at = in_singapore
    at.live.options = Takes("Ana for Ben", "Cleo for Ben", agrees=agrees)
    at.play(THREE, "stand stand stand", Ana=20, Ben=20, Cleo=20)
    assert insured(at) == won
    unagreed = [record["rules"] for record in at.records("unagreed")]
    assert unagreed == ([] if agrees else [["3.27.4", "3.27.4.4"]])
    assert write_cases(at.path, at.cases) == 1
    assert all(run_file(case).ok for case in at.cases.glob("*.toml"))
