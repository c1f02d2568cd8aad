"""`cutcard table run`, killed with SIGKILL and started again: its bench stays, its evening
resumes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

import pytest

from cutcard.bench.client import Bench
from cutcard.cases.runner import run_file
from cutcard.journal import BadTableKeyError, JournalDamagedError, read
from cutcard.table.machine.opening import has_stayed
from cutcard.table.plan.table_file import plan_from
from cutcard.table.play.evening import write_cases
from cutcard.table.running import run

PLAN = """
name = "Table 7"
rulebook = "nz-division-2"
decks = 6
shuffler = "continuous"
rounds = {rounds}
players = [{{ name = "Ana", box = 1, wager = 20 }}, {{ name = "Ben", box = 3, wager = 50 }}]
mishaps = {{ {mishaps} }}
[table]
min = 10
max = 1000
"""
MISHAPS = {2: "two-cards", 3: "power", 4: "jam"}


def table_file(rounds: int) -> str:
    """Return the file of a table of `rounds` rounds, with mishaps."""
    come = (f'{number} = "{name}"' for number, name in MISHAPS.items() if number <= rounds)
    return PLAN.format(rounds=rounds, mishaps=", ".join(come))


def started(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "cutcard.cli", "table", "run", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def killed_after_lines(process: subprocess.Popen[str], lines: int) -> bool:
    """Kill the program after `lines` lines of output; return False if it ended before."""
    assert process.stdout is not None
    for _ in range(lines):
        if not process.stdout.readline():
            process.wait()
            return False
    process.kill()
    process.wait()
    process.stdout.close()
    return process.returncode == -signal.SIGKILL


def kill_and_go_on(folder: Path, rounds: int, kills: int) -> None:
    plan = folder / "plan.toml"
    plan.write_text(table_file(rounds))
    home = folder / "table"
    chance = Random(kills)
    killed_after_lines(started(str(plan), "--folder", str(home), "--seed", "5"), 3)
    done = 1
    while done < kills and killed_after_lines(started(str(home)), chance.randint(3, 8)):
        done += 1
    last = started(str(home), "--json")
    said, _ = last.communicate()
    assert last.returncode == 0, said
    result = json.loads(said.splitlines()[-1])
    assert result["ok"]
    assert result["tables"][0]["replayed"] == rounds
    assert sum(result["tables"][0]["cents"].values()) == 0
    records = list(read(home / "table.journal"))
    assert (
        sum(record.kind == "resumed" for record in records) >= done - 1
    )  # killed before it had its journal
    events = [record.device["event"] for record in records if record.kind == "told"]
    assert events == list(range(events[0], events[0] + len(events)))
    assert all(run_file(path).ok for path in (home / "cases").glob("*.toml"))
    assert {record.table for record in records} == {"Table 7"}


def test_killed_table_resumes_and_completes(tmp_path: Path) -> None:
    kill_and_go_on(tmp_path, rounds=2, kills=2)


def play_and_report(home: Path, rounds: int, to: Connection) -> None:
    """Play a table in a separate process that may end at any moment."""
    plan = plan_from((home / "plan.toml").read_text(), home / "plan.toml")
    run(replace(plan, rounds=rounds), home / "table", to.send, seed=5)
    to.send(None)


class Programs:
    """Programs of one table, forked from a server that has imported all modules, so starts are
    fast."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload([__name__])

    def start(self, rounds: int) -> tuple[BaseProcess, Connection]:
        ours, theirs = self._context.Pipe()
        program = self._context.Process(target=play_and_report, args=(self.home, rounds, theirs))
        program.start()
        theirs.close()
        return program, ours

    def kill_after(self, lines: int) -> None:
        program, reports = self.start(rounds=10_000)
        for _ in range(lines):
            reports.recv()
        program.kill()
        program.join()
        reports.close()
        assert program.exitcode == -signal.SIGKILL

    def come_to_the_end(self, rounds: int) -> None:
        program, reports = self.start(rounds)
        while reports.recv() is not None:
            pass
        program.join()
        assert program.exitcode == 0


def test_table_killed_thirty_times_loses_no_card_and_no_cent(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(table_file(max(MISHAPS)))
    programs, chance = Programs(tmp_path), Random(30)
    for _ in range(30):
        programs.kill_after(lines=chance.randint(2, 3))
    journal = tmp_path / "table" / "table.journal"
    rounds = 1 + sum(record.kind == "settled" for record in read(journal))
    programs.come_to_the_end(rounds)
    records = list(read(journal))
    events = [record.device["event"] for record in records if record.kind == "told"]
    assert events == list(range(events[0], events[0] + len(events)))
    settled = [record for record in records if record.kind == "settled"]
    assert [record.data["number"] for record in settled] == list(range(1, rounds + 1))
    cents = sum(round(line["net"] * 100) for r in settled for line in r.data["results"])
    assert cents == sum(settled[-1].data["state"]["cents"].values())
    assert write_cases(journal, tmp_path / "cases") == rounds
    assert all(run_file(path).ok for path in (tmp_path / "cases").glob("*.toml"))


@pytest.mark.soak
def test_command_killed_thirty_times_resumes_and_completes(tmp_path: Path) -> None:
    kill_and_go_on(tmp_path, rounds=25, kills=30)


@pytest.mark.parametrize(
    ("name", "error"), [("table.journal", JournalDamagedError), ("table.key", BadTableKeyError)]
)
def test_table_that_cannot_be_opened_leaves_no_bench_running(
    tmp_path: Path, name: str, error: type[Exception]
) -> None:
    (tmp_path / name).write_text("foreign file\n")
    (tmp_path / name).chmod(0o600)
    with pytest.raises(error):
        run(plan_from(table_file(1), tmp_path / "plan.toml"), tmp_path, print, seed=1)
    assert not has_stayed(tmp_path)


def test_second_program_at_a_table_is_rejected(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(table_file(1))
    home = tmp_path / "table"
    first = started(str(plan), "--folder", str(home), "--seed", "5")
    assert first.stdout is not None
    first.stdout.readline()
    first.stdout.readline()
    first.stdout.readline()  # it has counted its cards
    first.send_signal(signal.SIGSTOP)
    second = started(str(home))
    said, _ = second.communicate()
    first.kill()
    first.wait()
    first.stdout.close()
    assert (second.returncode, "another program is writing it" in said) == (1, True), said
    Bench.staying("carousel-60", home / "cards").end()
