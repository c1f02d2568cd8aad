"""A table where one person at the terminal answers for all people."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cutcard.bench.client import Bench
from cutcard.cases.runner import run_file
from cutcard.journal import read
from cutcard.table import running
from cutcard.table.machine.opening import switch_off
from cutcard.table.people import terminal
from cutcard.table.people.terminal import Terminal
from cutcard.table.plan.table_file import plan_from
from cutcard.table.play.evening import write_cases
from cutcard.table.running import JOURNAL, run
from hil_tests.resume.test_sigkill import table_file

# each possible question accepts one of these answers
ANYTHING = b"wager Ben 3 10\n1\nstand\nhit\nn\n" * 60


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "table"
    switch_off(tmp_path / "table")


def test_machine_events_are_written_while_a_prompt_waits(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power fails while a player decides; the player types only after that is on the record."""
    plan = replace(plan_from(table_file(1), Path("a.toml")), people="prompt")
    source, keyboard = os.pipe()
    monkeypatch.setattr(terminal, "LOOK_EVERY", 0.01)
    read_lines = running._Opened.read_lines
    thinking: list[Bench] = []

    def look(opened: running._Opened) -> None:
        if not thinking and opened.bench is not None:
            thinking.append(opened.bench)
            opened.bench.cycle_power()
        read_lines(opened)
        if logged_restart(folder) and len(thinking) == 1:
            thinking.append(thinking[0])
            os.write(keyboard, ANYTHING)
            os.close(keyboard)

    monkeypatch.setattr(running._Opened, "read_lines", look)
    run(plan, folder, lambda line: None, seed=5, terminal=Terminal(source))
    os.close(source)
    records = list(read(folder / JOURNAL))
    kinds = [record.kind for record in records]
    restart = next(at for at, record in enumerate(records) if is_restart(record.data))
    assert "answer" in kinds[restart:]  # the answer to the question from before the restart
    refused = [record.data for record in records if record.kind == "refused"]
    assert refused[0]["act"] == "wager"
    assert refused[0]["rules"] == ["5.5", "5.5(a)"]
    assert write_cases(folder / JOURNAL, folder / "cases") == 1
    assert all(run_file(path).ok for path in (folder / "cases").glob("*.toml"))


def is_restart(data: dict[str, object]) -> bool:
    return data.get("event") == "Started" and data.get("boots") == 2


def logged_restart(folder: Path) -> bool:
    return any(is_restart(record.data) for record in read(folder / JOURNAL))
