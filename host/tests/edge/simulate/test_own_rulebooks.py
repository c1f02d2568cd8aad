"""Custom games: engine, exact analysis and simulator agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.edge.game.figures import figures_of
from cutcard.edge.money_rules import money_rules
from cutcard.edge.simulate.job import Job, ready
from cutcard.edge.simulate.running import simulate
from cutcard.edge.strategy import as_json
from cutcard.rulebooks import open_rulebook
from tests.edge.simulate.comparing import compare
from tests.rulebooks.club import change, club

ROUNDS, PLAYED = 8_000_000, 1_000


TOGETHER = {
    "[double]\n": '[double]\nafter_split = { is = false, rule = "9.9" }\n',
    'totals = { is = "any", rule = "5.1" }': 'totals = { is = "hard-10-11", rule = "5.1" }',
    "[dealer]\n": '[dealer]\npeeks = { is = true, rule = "9.9" }\n',
    'aces_once = { is = true, rule = "6.3" }': 'aces_once = { is = false, rule = "6.3" }\n'
    'aces_again = { is = true, rule = "9.9" }',
}
CHANGES = {
    "insurance pays 3:1": (
        'wins = { is = "2:1", rule = "3.3" }',
        'wins = { is = "3:1", rule = "3.3" }',
    ),
    "five cards that are no 21 win at once": (
        "five_and_under = { is = false",
        "five_and_under = { is = true",
    ),
    "a bonus that is not paid": (
        "[double]\n",
        '[bonus]\n678-mixed = { is = "50:1", rule = "9.9" }\n\n[double]\n',
    ),
    "no double after a split": (
        "[double]\n",
        '[double]\nafter_split = { is = false, rule = "9.9" }\n',
    ),
    "the dealer peeks": (
        "[dealer]\n",
        '[dealer]\npeeks = { is = true, rule = "9.9" }\n',
    ),
    "aces are split again": (
        'aces_once = { is = true, rule = "6.3" }',
        'aces_once = { is = false, rule = "6.3" }\naces_again = { is = true, rule = "9.9" }',
    ),
}


@pytest.fixture(params=CHANGES)
def changed(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the club's rulebook with one rule that no included rulebook has."""
    folder = club(tmp_path)
    change(folder / "base.toml", *CHANGES[request.param])
    return str(folder)


def test_best_play_has_its_exact_edge(changed: str) -> None:
    exact = figures_of(money_rules(open_rulebook(changed, ("social",)), 6))
    job = Job(changed, ("social",), 6, as_json(exact.strategy))
    found, _ = simulate(job, ready(job), ROUNDS)
    assert abs(found.with_insurance.value - exact.edge) < 5 * found.with_insurance.error


def test_kernel_and_engine_play_the_same_round(changed: str) -> None:
    assert compare((changed, ("social",)), PLAYED)["rounds"] > 0.9 * PLAYED


def test_kernel_and_engine_play_all_changed_rules_together(tmp_path: Path) -> None:
    folder = club(tmp_path)
    for old, new in TOGETHER.items():
        change(folder / "base.toml", old, new)
    seen = compare((str(folder), ("social",)), PLAYED)
    assert seen["rounds"] > 0.9 * PLAYED
    assert seen["double refused: a split hand may not be doubled"]
    assert seen["double refused: only a hard 10 or 11 may be doubled"]
    assert seen["dealer's Blackjack"]
