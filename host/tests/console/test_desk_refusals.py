"""What a table refuses of the people at a console, asked over its own socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from cutcard.journal import Journal, read
from cutcard.table.desk import SOCKET, Desk, Question
from cutcard.table.memory import Memory
from cutcard.table.plan import Plan, plan_from
from tests.console.live import PLAN

MANAGER = {"person": "Mia", "titles": ["tg-area-manager"]}
STRANGER = {"person": "Pia", "titles": ["pit-manager"]}  # of another rulebook


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_from(PLAN, tmp_path / "table.toml")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "a.journal") as opened:
        yield opened


class Asked:
    """A table that asks one thing, and the answers that requests get, in their order."""

    def __init__(self, journal: Journal, plan: Plan) -> None:
        self.journal = journal
        self.caused: list[str] = []
        self.desk = Desk(
            journal.path.parent,
            Memory(journal, plan.table),
            roles=plan.table.book.roles,
            second=frozenset({"void-round"}),
            causes={"jam": ("a card will jam", lambda: self.caused.append("jam"))},
        )

    def answers(self, *requests: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Put a question, send the requests, then a count that ends it; returns the answers."""
        last = {**MANAGER, "id": "the last one", "on": self.journal.number, "count": 7}
        with self.desk, socket.socket(socket.AF_UNIX) as line:
            line.settimeout(30)
            line.connect(str(self.journal.path.parent / SOCKET))
            for at, request in enumerate([*requests, last]):
                said = {"id": f"request {at}", **request}
                line.sendall(json.dumps(said).encode() + b"\n")
            self.desk.ask(_question())
            with line.makefile("rb") as file:
                told = (said["answer"] for text in file if "answer" in (said := json.loads(text)))
                found = list(islice(told, len(requests) + 1))
        assert found[-1]["status"] == 200
        return found[:-1]

    def statuses(self, *requests: Mapping[str, Any]) -> list[int]:
        return [answer["status"] for answer in self.answers(*requests)]

    def requests(self) -> list[dict[str, Any]]:
        """What the journal has of them, but for the count at the end."""
        return [each.data for each in read(self.journal.path) if each.kind == "request"][:-1]


def _question() -> Question:
    return Question(
        "rule",
        "rule on misdeal",
        lambda said: said.get("count", said.get("ruling")),
        title_for=lambda ruling, titles: next(iter(titles), None),
    )


@pytest.fixture
def asked(journal: Journal, plan: Plan) -> Asked:
    return Asked(journal, plan)


@pytest.mark.parametrize("wanted", [{"count": 9}, {"ruling": None}, {"cause": "jam"}])
def test_a_title_of_another_rulebook_changes_nothing(asked: Asked, wanted: dict[str, Any]) -> None:
    (answer,) = asked.answers({**STRANGER, "on": 1, **wanted})
    assert answer["status"] == 403
    assert "this table's rulebook" in answer["why"]
    assert (asked.caused, asked.requests()) == ([], [])


def test_a_title_of_the_tables_rulebook_may_cause_a_fault_on_a_bench(asked: Asked) -> None:
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
        {"count": 9, "ruling": "continue"},
        {"count": 9, "cause": "jam"},
        {},
    ],
)
def test_what_is_no_request_is_refused_and_the_table_goes_on(
    asked: Asked, wanted: dict[str, Any]
) -> None:
    assert asked.statuses({**MANAGER, "on": 1, **wanted}) == [400]
    assert asked.requests() == []


def test_nobody_decides_on_a_record_that_is_not_there_yet(asked: Asked) -> None:
    assert asked.statuses({**MANAGER, "on": 10**9, "ruling": "continue"}) == [409]
