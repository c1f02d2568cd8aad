"""What players may take beside the turns at a live table: insurance, even money, surrender."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutcard.cases.runner import run_file
from cutcard.engine.events import Act
from cutcard.engine.state import Round
from cutcard.table.evening import write_cases
from hil_tests.live_rounds.live_table import Evening

# Ana has a hard 19, Ben 17, and the dealer's ace becomes a Blackjack.
AGAINST_AN_ACE = "Tc 9c Ad 9h 8s Kd"


@pytest.fixture
def at(live: Callable[..., Evening]) -> Evening:
    return live("carousel-38", "crown-melbourne-26")


def test_insurance_is_offered_once_to_each_and_paid_to_who_took_it(at: Evening) -> None:
    offered = []

    def only_ana(round: Round, act: Act) -> bool:
        offered.append((act.kind, act.player))
        return act.player == "Ana"

    at.live.consider = only_ana
    at.play(AGAINST_AN_ACE, "stand stand")

    assert offered == [("insure", "Ana"), ("insure", "Ben")]
    insured = [line for line in at.outcome if line.key.bet == "insurance"]
    assert [(line.key.player, line.result, line.net) for line in insured] == [("Ana", "win", 1000)]
    assert write_cases(at.path, at.cases) == 1
    assert all(run_file(case).ok for case in at.cases.glob("*.toml"))


def test_without_anybody_to_consider_it_nobody_insures(at: Evening) -> None:
    at.play(AGAINST_AN_ACE, "stand stand")
    assert not [line for line in at.outcome if line.key.bet == "insurance"]
