"""Wagers placed at a console: valid places, their round, and their single effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cutcard.engine.state import Placed
from cutcard.journal import Journal
from cutcard.table.plan.table_file import TablePlan, plan_from
from cutcard.table.play.wagering import MOST_WAGERS, BadWagerError, Wagering
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.table.reports.journal_text import journal_lines
from tests.console.live import PLAN
from tests.console.questioned_table import MANAGER, QuestionedTable

OFFERS = PLAN.replace("max = 1000", 'max = 1000\noffers = { perfect-pairs = "a" }')
ANA, BEN = Placed(1, "Ana", "main", 2000), Placed(3, "Ben", "main", 5000)


def wager(
    box: Any = 5, player: Any = "Ida", bet: Any = "main", cents: Any = 2000
) -> dict[str, Any]:
    return {"box": box, "player": player, "bet": bet, "cents": cents}


@pytest.fixture
def plan(tmp_path: Path) -> TablePlan:
    return plan_from(OFFERS, tmp_path / "table.toml")


@pytest.fixture
def wagering(asked: QuestionedTable) -> Wagering:
    return asked.wagering


def test_side_wager_without_a_main_wager_is_refused_with_its_rule(asked: QuestionedTable) -> None:
    (answer,) = asked.answers({**MANAGER, "on": 1, "wager": wager(bet="perfect-pairs", cents=500)})
    assert (answer["status"], answer["rules"]) == (422, ["15.3.2"])
    assert asked.requests() == []


def test_wager_not_on_the_layout_is_refused_with_its_rules(wagering: Wagering) -> None:
    with pytest.raises(BadWagerError, match="not offered at this table") as refused:
        wagering.looked_at(wager(box=1, player="Ana", bet="supernova"))
    assert refused.value.rules != ()


def test_wager_below_the_minimum_is_accepted_with_a_note(
    wagering: Wagering,
) -> None:
    assert wagering.looked_at(wager(cents=500_000)) == (
        "Wager accepted. Only $1,000 of it counts.",
        ("6.2.2",),
    )
    assert wagering.looked_at(wager(cents=500)) == (
        "Wager accepted. It is below the minimum.",
        ("6.2.1",),
    )
    assert wagering.looked_at(wager()) == ("Wager accepted.", ())


@pytest.mark.parametrize(
    "said",
    [
        wager(box=0),
        wager(box=True),
        wager(box="5"),
        wager(cents=-1),
        wager(cents=10.5),
        wager(cents=10**12),
        wager(player=""),
        wager(player=" Ida"),
        wager(player="I\nda"),
        wager(player="I\u202eda"),
        wager(player="x" * 41),
        wager(player=["Ida"]),
        wager(bet={"main": 1}),
        wager(bet="x" * 41),
        {"box": 1},
        {**wager(), "limit": 5},
    ],
)
def test_invalid_wager_is_refused_and_not_stored(
    asked: QuestionedTable, said: dict[str, Any]
) -> None:
    assert asked.statuses({**MANAGER, "on": 1, "wager": said}) == [422]
    assert asked.requests() == []


def test_number_of_wagers_of_a_table_is_limited(wagering: Wagering) -> None:
    for number in range(MOST_WAGERS):
        wagering.put(wager(player=f"Player {number}"))
    with pytest.raises(BadWagerError, match=f"at most {MOST_WAGERS} wagers"):
        wagering.looked_at(wager())


def test_wager_is_journaled_with_its_person_and_counts_once(asked: QuestionedTable) -> None:
    request = {**MANAGER, "id": "one and the same", "on": 1, "wager": wager()}
    first, again = asked.answers(request, request)
    assert (first["said"], again["said"]) == ("Wager accepted.", "This was counted already.")
    (kept,) = asked.requests()
    assert (kept["person"], kept["wager"]) == ("Mia", wager())
    assert asked.wagering.for_round(9) == [ANA, BEN, Placed(5, "Ida", "main", 2000)]


def test_wager_for_a_round_that_has_begun_is_refused(asked: QuestionedTable) -> None:
    asked.wagering.for_round(asked.journal.number)
    asked.journal.append("round", {"number": 1, "wagers": []})
    late = {**MANAGER, "on": asked.journal.number - 1, "wager": wager()}
    next_round = {**MANAGER, "on": asked.journal.number, "wager": wager()}
    early = {**MANAGER, "on": 10**6, "wager": wager()}
    assert asked.statuses(late, next_round, early) == [409, 200, 409]


def test_checked_wager_is_always_placed(wagering: Wagering) -> None:
    assert wagering.looked_at(wager(box=3, player="Ben", cents=0)) == ("Wager withdrawn.", ())
    wagering.put(wager(box=3, player="Ben", cents=0))
    assert wagering.for_round(9) == [ANA]


def test_table_waits_for_the_deal_only_if_a_player_decides_at_the_console(
    wagering: Wagering,
) -> None:
    assert not wagering.waits  # Ana and Ben have a strategy
    wagering.put(wager())
    assert wagering.waits
    for each in (wager(cents=0), wager(1, "Ana", cents=0), wager(3, "Ben", cents=0)):
        wagering.put(each)
    assert wagering.waits
    with pytest.raises(BadWagerError, match="No wagers yet"):
        wagering.check_layout()


def test_open_round_keeps_its_wagers_and_the_next_has_the_later_ones(
    tmp_path: Path, plan: TablePlan
) -> None:
    with Journal(tmp_path / "b.journal") as journal:
        ReplayLog(journal, plan.table)
        journal.append("request", {"id": "before it", "wager": wager()})
        began = journal.append("round", {"number": 1, "wagers": []}).number
        journal.append("request", {"id": "after it", "wager": wager(box=6, player="Joe")})
    with Journal(tmp_path / "b.journal") as journal:
        again = Wagering(plan.table, plan.players, ReplayLog(journal, plan.table))
    ida, joe = Placed(5, "Ida", "main", 2000), Placed(6, "Joe", "main", 2000)
    assert again.began_after == began - 1
    assert again.for_round(0) == [ANA, BEN, ida]
    assert again.for_round(50) == [ANA, BEN, ida, joe]


def test_layout_at_the_end_of_a_round_is_restored_when_the_table_resumes(
    journal: Journal, plan: TablePlan, wagering: Wagering
) -> None:
    wagering.put(wager())
    memory = ReplayLog.__new__(ReplayLog)
    memory.journal, memory.kept = journal, wagering.kept()
    assert Wagering(plan.table, (), memory).for_round(9) == wagering.for_round(9)


def test_console_table_may_begin_without_players(tmp_path: Path) -> None:
    bare = PLAN[: PLAN.index("players")] + PLAN[PLAN.index("[table]") :]
    assert plan_from(bare, tmp_path / "table.toml").players == ()


def test_journal_text_has_every_request_of_a_wager(asked: QuestionedTable) -> None:
    asked.answers({**MANAGER, "on": 1, "wager": wager()})
    said = [line.text for line in journal_lines(asked.journal.path)]
    assert "Mia at the console, for the next round: Ida on box 5, $20." in said
