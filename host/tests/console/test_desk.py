"""What a table keeps of the people at a console when it is killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.journal import Journal
from cutcard.table.at_console import count
from cutcard.table.desk import Desk
from cutcard.table.memory import Memory
from cutcard.table.plan import BadPlan, plan_from
from tests.console.live import PLAN

ANSWER = {"id": "0123456789", "person": "Mia", "on": 2, "count": 9}


def test_an_answer_on_the_disk_is_not_asked_for_again(tmp_path: Path) -> None:
    plan = plan_from(PLAN, tmp_path / "table.toml")
    with Journal(tmp_path / "a.journal") as journal:
        Memory(journal, plan.table)
        journal.append("request", ANSWER | {"asked": "clear and count: jam on exit"})
    with Journal(tmp_path / "a.journal") as journal:
        desk = Desk(tmp_path, Memory(journal, plan.table), roles=())
        assert count(desk, "jam-on-exit", suggested=None) == 9


def test_an_answer_that_was_used_is_not_used_again(tmp_path: Path) -> None:
    plan = plan_from(PLAN, tmp_path / "table.toml")
    with Journal(tmp_path / "a.journal") as journal:
        Memory(journal, plan.table)
        journal.append("request", ANSWER | {"asked": "count"})
        journal.append("answer", {"request": 1, "asked": "clear jam-on-exit", "said": 9})
    with Journal(tmp_path / "a.journal") as journal:
        desk = Desk(tmp_path, Memory(journal, plan.table), roles=())
        assert desk.left_over is None


def test_a_table_file_that_names_no_ruling_is_refused(tmp_path: Path) -> None:
    text = PLAN.replace("void-round", "hang-him")
    with pytest.raises(BadPlan, match="second_person"):
        plan_from(text, tmp_path / "table.toml")
