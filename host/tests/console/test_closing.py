"""A table is closed from the console, and refused requests are in its journal."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from cutcard.journal import Journal, read
from cutcard.table.people.desk import Desk, Question, TableClosedError
from cutcard.table.plan.table_file import TablePlan, plan_from
from cutcard.table.replay.replay_log import ReplayLog
from tests.console.live import PLAN, end_bench, running
from tests.console.questioned_table import MANAGER, QuestionedTable, connect

CLOSE = {**MANAGER, "id": "close the table", "close": True}
WITHOUT_ROUNDS = PLAN.replace("rounds = 500\n", "")


@pytest.fixture
def plan(tmp_path: Path) -> TablePlan:
    return plan_from(WITHOUT_ROUNDS, tmp_path / "table.toml")


def desk_of(journal: Journal, plan: TablePlan) -> Desk:
    return Desk(journal.path.parent, ReplayLog(journal, plan.table), roles=plan.table.book.roles)


def refusals(journal: Path) -> list[dict[str, Any]]:
    return [record.data for record in read(journal) if record.kind == "request-refused"]


def test_console_table_without_rounds_has_no_last_round(plan: TablePlan, tmp_path: Path) -> None:
    assert plan.rounds is None
    by_strategy = WITHOUT_ROUNDS.replace('people = "console"\n', "").replace("second_person", "#")
    assert plan_from(by_strategy, tmp_path / "table.toml").rounds == 20


def test_lowest_title_may_not_close_the_table(plan: TablePlan, tmp_path: Path) -> None:
    with Journal(tmp_path / "a.journal") as journal:
        table = QuestionedTable(journal, plan)
        dealer = {**CLOSE, "id": "by a dealer", "titles": [plan.table.book.roles[0]]}
        assert table.statuses(dealer, CLOSE, {**CLOSE, "id": "once more"}) == [403, 200, 409]
        assert table.desk.closing


def test_refused_request_is_logged_with_person_ruling_title_and_reason(
    plan: TablePlan, tmp_path: Path
) -> None:
    with Journal(tmp_path / "a.journal") as journal:
        table = QuestionedTable(journal, plan)
        singapore = {"person": "Noor", "titles": ["pit-manager"], "session": "two"}
        ruling = {"on": journal.number, "ruling": "continue", "title": "pit-manager"}
        (answer,) = table.answers({**singapore, **ruling})
    (logged,) = refusals(tmp_path / "a.journal")
    assert answer["status"] == 403
    assert "belongs to another rulebook" in answer["why"]
    assert logged["why"] == answer["why"]
    assert (logged["person"], logged["ruling"], logged["title"]) == (
        *("Noor", "continue", "pit-manager"),
    )


def test_malformed_request_is_not_logged(plan: TablePlan, tmp_path: Path) -> None:
    with Journal(tmp_path / "a.journal") as journal:
        assert QuestionedTable(journal, plan).statuses({**MANAGER, "count": "9"}) == [400]
    assert refusals(tmp_path / "a.journal") == []


def test_table_killed_while_closing_closes_when_it_resumes(plan: TablePlan, tmp_path: Path) -> None:
    with Journal(tmp_path / "a.journal") as journal:
        ReplayLog(journal, plan.table)
        journal.append("request", CLOSE)
        # A killed program writes no record of its end.
        with Journal(copied(tmp_path)) as resumed:
            desk = desk_of(resumed, plan)
            assert desk.closing
            with pytest.raises(TableClosedError):
                desk.ask(Question("begin", "wagers for round 1", lambda said: None))


def copied(folder: Path) -> Path:
    """Return a copy of the journal's current content on the disk."""
    copy = folder / "copy" / "a.journal"
    copy.parent.mkdir()
    copy.write_bytes((folder / "a.journal").read_bytes())
    return copy


def test_closed_table_can_be_opened_again(plan: TablePlan, tmp_path: Path) -> None:
    with Journal(tmp_path / "a.journal") as journal:
        ReplayLog(journal, plan.table)
        journal.append("request", CLOSE)
        journal.append("closed", {})
    with Journal(tmp_path / "a.journal") as journal:
        assert not desk_of(journal, plan).closing


def test_running_table_closes_properly_on_request(tmp_path: Path) -> None:
    with running(tmp_path, WITHOUT_ROUNDS) as table, socket.socket(socket.AF_UNIX) as line:
        assert table.program is not None
        line.settimeout(60)
        connect(line, table.folder)
        line.sendall(json.dumps(CLOSE).encode() + b"\n")
        assert table.program.wait(timeout=120) == 0
        end_bench(table.folder)
    *_, last = read(table.folder / "table.journal")
    assert last.kind == "closed"
