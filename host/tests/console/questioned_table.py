"""A table that asks one question, and people who answer over its socket."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from cutcard.journal import Journal, read
from cutcard.table.people.desk import SOCKET, Desk, DeskRefusalError, Question
from cutcard.table.plan.table_file import TablePlan
from cutcard.table.play.wagering import Wagering
from cutcard.table.replay.replay_log import ReplayLog

MANAGER = {"person": "Mia", "titles": ["tg-area-manager"], "session": "one"}


def connect(line: socket.socket, home: Path) -> None:
    """Connect through its folder, because the path of a socket has a hundred bytes at most."""
    folder = os.open(home, os.O_RDONLY)
    try:
        line.connect(f"/proc/self/fd/{folder}/{SOCKET}")
    finally:
        os.close(folder)


class QuestionedTable:
    """A table that asks one question, and the answers to requests, in order."""

    def __init__(self, journal: Journal, plan: TablePlan) -> None:
        self.journal = journal
        self.caused: list[str] = []
        memory = ReplayLog(journal, plan.table)
        self.wagering = Wagering(plan.table, plan.players, memory)
        self.desk = Desk(
            journal.path.parent,
            memory,
            roles=plan.table.book.roles,
            second=frozenset({"void-round"}),
            causes={"jam": ("a card will jam", lambda: self.caused.append("jam"))},
            wagering=self.wagering,
        )

    def decided(self, *requests: Mapping[str, Any]) -> Any:
        """Ask a question and send requests, of which the last decides it; return its result."""
        with self.desk, socket.socket(socket.AF_UNIX) as line:
            line.settimeout(30)
            connect(line, self.journal.path.parent)
            for at, request in enumerate(requests):
                said = {"id": f"request {at}", **request}
                line.sendall(json.dumps(said).encode() + b"\n")
            decided = self.desk.ask(_question())
            with line.makefile("rb") as file:
                messages = map(json.loads, file)
                answers = (message["answer"] for message in messages if "answer" in message)
                self.results = list(islice(answers, len(requests)))
        return decided

    def answers(self, *requests: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the answers to requests without a decision; a count follows them."""
        last = {**MANAGER, "id": "the last one", "on": self.journal.number, "count": 7}
        assert self.decided(*requests, last) == 7
        return self.results[:-1]

    def statuses(self, *requests: Mapping[str, Any]) -> list[int]:
        return [answer["status"] for answer in self.answers(*requests)]

    def requests(self) -> list[dict[str, Any]]:
        """Return the journal's records of the requests, except that count."""
        found = [each.data for each in read(self.journal.path) if each.kind == "request"]
        return [each for each in found if each["id"] != "the last one"]


def _question() -> Question:
    return Question(
        "rule",
        "rule on misdeal",
        _answered,
        title_for=lambda ruling, titles: next(iter(titles), None),
    )


def _answered(said: Mapping[str, Any]) -> Any:
    if "titles" not in said:
        raise DeskRefusalError(403, "Nobody is entitled.")
    return said.get("count", said.get("ruling"))
