"""Refusals of a table to people at a console, over its own socket."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cutcard.table.plan.table_file import TablePlan, plan_from
from tests.console.live import PLAN
from tests.console.questioned_table import MANAGER, QuestionedTable

SECOND = {"person": "Sam", "titles": ["tg-area-manager"], "session": "another"}
STRANGER = {"person": "Pia", "titles": ["pit-manager"]}  # of another rulebook


@pytest.fixture
def plan(tmp_path: Path) -> TablePlan:
    return plan_from(PLAN, tmp_path / "table.toml")


WAGER = {"box": 5, "player": "Ida", "bet": "main", "cents": 2000}


@pytest.mark.parametrize(
    "wanted", [{"count": 9}, {"ruling": None}, {"cause": "jam"}, {"wager": WAGER}]
)
def test_title_of_another_rulebook_changes_nothing(
    asked: QuestionedTable, wanted: dict[str, Any]
) -> None:
    (answer,) = asked.answers({**STRANGER, "on": 1, **wanted})
    assert answer["status"] == 403
    assert "belongs to another rulebook" in answer["why"]
    assert (asked.caused, asked.requests()) == ([], [])


def test_title_of_the_tables_rulebook_may_cause_a_fault_on_a_bench(
    asked: QuestionedTable,
) -> None:
    assert asked.statuses({**MANAGER, "cause": "jam"}) == [200]
    assert asked.caused == ["jam"]


@pytest.mark.parametrize(
    "wanted",
    [
        {"id": ["a list is", "no id"], "count": 9},
        {"id": "short", "count": 9},
        {"id": "x" * 65, "count": 9},
        {"count": 9, "title": {"a": 1}},
        {"count": True},
        {"ruling": ["void-round"]},
        {"cause": ["jam"]},
        {"wager": "main"},
        {"wager": None},
        {"cause": None},
        {"confirm": None},
        {"count": None},
        {"begin": None},
        {"act": None},
        {"begin": 1},
        {"wager": WAGER, "begin": True},
        {"count": 9, "ruling": "continue"},
        {"count": 9, "cause": "jam"},
        {},
    ],
)
def test_invalid_request_is_refused_and_the_table_continues(
    asked: QuestionedTable, wanted: dict[str, Any]
) -> None:
    assert asked.statuses({**MANAGER, "on": 1, **wanted}) == [400]
    assert asked.requests() == []


def test_decision_on_a_future_record_is_refused(asked: QuestionedTable) -> None:
    assert asked.statuses({**MANAGER, "on": 10**9, "ruling": "continue"}) == [409]


VOID = {**MANAGER, "id": "to be void", "on": 1, "ruling": "void-round"}


def test_proposer_cannot_confirm_a_ruling_from_another_session(
    asked: QuestionedTable,
) -> None:
    own = {**MANAGER, "session": "another", "on": 1, "confirm": "to be void"}
    assert asked.statuses(VOID, own) == [202, 403]


def test_another_person_cannot_confirm_from_the_proposers_session(
    asked: QuestionedTable,
) -> None:
    same = {**SECOND, "session": MANAGER["session"], "on": 1, "confirm": "to be void"}
    none = {**SECOND, "session": "", "on": 1, "confirm": "to be void"}
    assert asked.statuses(VOID, same, none) == [202, 403, 403]


def test_new_proposal_replaces_the_earlier_one(asked: QuestionedTable) -> None:
    other = {**SECOND, "id": "another one", "on": 1, "ruling": "void-round"}
    first = {**SECOND, "on": 1, "confirm": "to be void"}
    own = {**SECOND, "on": 1, "confirm": "another one"}
    assert asked.statuses(VOID, other, first, own) == [202, 202, 409, 403]
