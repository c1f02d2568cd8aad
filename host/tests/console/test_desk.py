"""The state of the people at a console that survives a kill of the table."""

from __future__ import annotations

import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cutcard.journal import Journal
from cutcard.table.machine.floor import Attempt
from cutcard.table.people.at_console import count
from cutcard.table.people.desk import Desk, DeskRefusalError, Question
from cutcard.table.plan.table_file import BadTablePlanError, plan_from
from cutcard.table.replay.replay_log import ReplayLog
from tests.console.live import PLAN
from tests.console.questioned_table import MANAGER, QuestionedTable, connect

ANSWER = {"id": "0123456789", "person": "Mia", "on": 2, "count": 9}


def test_answer_on_the_disk_is_not_requested_again(tmp_path: Path) -> None:
    plan = plan_from(PLAN, tmp_path / "table.toml")
    with Journal(tmp_path / "a.journal") as journal:
        ReplayLog(journal, plan.table)
        journal.append("request", ANSWER | {"asked": "clear and count: jam on exit"})
    with Journal(tmp_path / "a.journal") as journal:
        desk = Desk(tmp_path, ReplayLog(journal, plan.table), roles=())
        assert count(desk, "jam-on-exit", Attempt()) == 9


def test_used_answer_is_not_used_again(tmp_path: Path) -> None:
    plan = plan_from(PLAN, tmp_path / "table.toml")
    with Journal(tmp_path / "a.journal") as journal:
        ReplayLog(journal, plan.table)
        journal.append("request", ANSWER | {"asked": "count"})
        journal.append("answer", {"request": 1, "asked": "clear jam-on-exit", "said": 9})
    with Journal(tmp_path / "a.journal") as journal:
        desk = Desk(tmp_path, ReplayLog(journal, plan.table), roles=())
        assert desk.left_over is None


def test_answer_is_on_the_disk_with_its_titles(tmp_path: Path) -> None:
    """Without them, a table killed here could not determine the entitled person, and ended."""
    plan = plan_from(PLAN, tmp_path / "table.toml")
    with Journal(tmp_path / "a.journal") as journal:
        QuestionedTable(journal, plan).answers()
    with Journal(tmp_path / "a.journal") as journal:
        left = Desk(tmp_path, ReplayLog(journal, plan.table), roles=()).left_over
    assert left is not None
    assert left["titles"] == MANAGER["titles"]


def test_answer_that_is_no_longer_valid_is_requested_again(tmp_path: Path) -> None:
    plan = plan_from(PLAN, tmp_path / "table.toml")
    with Journal(tmp_path / "a.journal") as journal:
        ReplayLog(journal, plan.table)
        journal.append("request", {"id": "0123456789", "person": "Mia", "asked": "rule on misdeal"})
    with Journal(tmp_path / "a.journal") as journal:
        assert QuestionedTable(journal, plan).statuses({**MANAGER, "on": 1, "count": "9"}) == [400]


def test_proposal_survives_a_kill_and_is_confirmed_unchanged(tmp_path: Path) -> None:
    plan = plan_from(PLAN, tmp_path / "table.toml")
    proposal = {"id": "to be void", "on": 1, "ruling": "void-round", "proposed": "rule on misdeal"}
    with Journal(tmp_path / "a.journal") as journal:
        ReplayLog(journal, plan.table)
        journal.append("request", {**MANAGER, **proposal})
    with Journal(tmp_path / "a.journal") as journal:
        asked = QuestionedTable(journal, plan)
        second = {**MANAGER, "person": "Sam", "session": "another"}
        decided = asked.decided({**second, "on": journal.number, "confirm": "to be void"})
        last = asked.requests()[-1]
    assert decided == "void-round"
    assert (last["person"], last["confirmed"], last["ruling"]) == ("Mia", "Sam", "void-round")


def test_console_that_does_not_read_stops_no_table(tmp_path: Path) -> None:
    plan = plan_from(PLAN, tmp_path / "table.toml")
    news = ({"mode": f"{number} {'x' * 1000}"} for number in range(1000))
    with (
        Journal(tmp_path / "a.journal") as journal,
        Desk(tmp_path, ReplayLog(journal, plan.table), roles=(), look=lambda: next(news)) as desk,
        socket.socket(socket.AF_UNIX) as line,
    ):
        line.settimeout(30)
        connect(line, tmp_path)
        with line.makefile("rb") as file:
            file.readline()  # the table has received it now
            for _ in range(1000):
                desk.attend(0)
            assert len(list(file)) < 1000  # and then the end of it


def test_table_file_with_an_unknown_ruling_is_refused(tmp_path: Path) -> None:
    text = PLAN.replace("void-round", "hang-him")
    with pytest.raises(BadTablePlanError, match="second_person"):
        plan_from(text, tmp_path / "table.toml")


@pytest.mark.parametrize(
    ("said", "status", "why"),
    [
        ({"ruling": "continue"}, 409, "The table waits for a count of the cards outside."),
        ({"count": -1}, 422, "A count is from 0 to 424 cards."),
        ({"count": 425}, 422, "A count is from 0 to 424 cards."),
    ],
)
def test_invalid_count_is_refused_with_its_reason(
    said: dict[str, Any], status: int, why: str
) -> None:
    asked: list[Question] = []
    count(cast(Desk, SimpleNamespace(ask=asked.append)), "jam-on-exit", Attempt())
    with pytest.raises(DeskRefusalError) as refused:
        asked[0].answered(said)
    assert refused.value.said == {"status": status, "why": why}
