"""A table from a file, with a controller's button or with prize meters: it runs and resumes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from cutcard.bench.client import Bench
from cutcard.cases.runner import run_file
from cutcard.cli.main import app
from cutcard.devices import Controller
from cutcard.journal import Record, read
from cutcard.meters import Meters
from cutcard.table.jackpot.draw_checks import check_draws
from cutcard.table.jackpot.equipment import METERS
from cutcard.table.jackpot.metered import MetersSilentError
from cutcard.table.machine.opening import switch_off
from cutcard.table.people.manager import Manager
from cutcard.table.plan.table_file import TablePlan, plan_from
from cutcard.table.play.evening import write_cases
from cutcard.table.replay.role_log import DeviceExchangedError
from cutcard.table.running import JOURNAL, run
from hil_tests.jackpots.meter_table import opened_meters
from hil_tests.resume.test_sigkill import Programs

BUTTON = """
name = "Table 7"
rulebook = "nz-division-2"
decks = 6
shuffler = "continuous"
controller = "bench:controller-4"
place = 2
rounds = 3
players = [{ name = "Ana", box = 1, wager = 20, side = { madness-21 = 5 } }]
[table]
offers = { madness-21 = "" }
"""
METERED = """
name = "Table 3"
rulebook = "crown-melbourne-26"
variant = "blackjack"
decks = 6
shuffler = "continuous"
one_in = 2
rounds = 2
players = [
  { name = "Ana", box = 1, wager = 20, side = { blackjack-jackpots = 5 } },
  { name = "Ben", box = 3, wager = 20, side = { blackjack-jackpots = 5 } },
]
[table]
offers = { blackjack-jackpots = "" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a table; its benches end with the test, even if the test fails."""
    yield tmp_path / "table"
    switch_off(tmp_path / "table")


class EndedError(Exception):
    """End the program of the table here."""


def ends_after(lines: int) -> Callable[[str], None]:
    """Return a bystander that ends the program after `lines` lines of output."""
    heard: list[str] = []

    def log(line: str) -> None:
        heard.append(line)
        if len(heard) == lines:
            raise EndedError

    return log


def check(plan: TablePlan, folder: Path) -> list[Record]:
    journal = folder / JOURNAL
    assert write_cases(journal, folder / "cases") == plan.rounds
    assert all(run_file(path).ok for path in (folder / "cases").glob("*.toml"))
    return list(read(journal))


def test_button_from_a_file_has_the_prizes_of_its_place(folder: Path) -> None:
    plan = replace(plan_from(BUTTON, Path("seven.toml")), rounds=1)
    with pytest.raises(EndedError):
        run(plan, folder, ends_after(2), seed=5)
    bench = Bench.staying("controller-4", folder / "controller")
    with Controller.open(bench.port, key=bench.key, acknowledge=False) as controller:
        assert [controller.panel(place).prizes for place in (1, 2)] == [0, 3750]
    bench.close()
    run(plan, folder, lambda line: None, seed=5)
    records = check(plan, folder)
    assert sum(record.kind == "key" for record in records) == 1
    assert check_draws(folder / JOURNAL).problems == []


def test_meters_from_a_file_enter_each_wager_once_however_often_the_program_is_killed(
    folder: Path,
) -> None:
    (folder.parent / "plan.toml").write_text(METERED)
    programs, chance = Programs(folder.parent), Random(6)
    for _ in range(6):
        programs.kill_after(lines=chance.randint(2, 4))
    rounds = 1 + sum(record.kind == "settled" for record in read(folder / JOURNAL))
    programs.come_to_the_end(rounds)
    check(replace(plan_from(METERED, Path("three.toml")), rounds=rounds), folder)
    with Meters.open(str(folder / METERS)) as meters:
        assert not meters.check().problems
        entered = [entry.detail for entry in meters.history() if entry.kind == "wager"]
        assert len(entered) == 2 * rounds
        assert not any(meters.waiting("T1", number) for number in range(1, rounds + 1))


def test_unresponsive_meters_end_the_program_and_the_next_one_asks_them_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(plan_from(METERED, Path("three.toml")), rounds=1)

    def silent(self: Meters, *asked: object) -> None:
        with self.database.change():
            raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as gone:
        gone.setattr(Meters, "settle", silent)
        for _ in range(2):  # the meters do not respond to the second program either
            with pytest.raises(MetersSilentError, match="repair the connection"):
                run(plan, folder, lambda line: None, seed=5)
    run(plan, folder, lambda line: None, seed=5)
    records = check(plan, folder)
    assert {"fault": "jackpot-failure", "bet": "blackjack-jackpots"}.items() <= next(
        record.data for record in records if record.kind == "event" and "fault" in record.data
    ).items()
    with Meters.open(str(folder / METERS)) as meters:
        assert not meters.check().problems
        assert not meters.waiting("T1", 1)


def test_meters_that_differ_from_the_table_are_reported_before_the_start(
    folder: Path,
) -> None:
    opened_meters("supernova", folder.parent)[0].close()
    file = folder.parent / "nova.toml"
    file.write_text(
        METERED.replace("blackjack-jackpots = 5", "supernova = 10")
        .replace("blackjack-jackpots", "supernova")
        .replace("one_in = 2", f"meters = '{folder.parent / 'meters.sqlite'}'\nmeter_table = 'T3'")
    )
    answer = CliRunner().invoke(app, ["table", "run", str(file), "--folder", str(folder)])
    assert answer.exit_code == 2
    for rule in ("[24.5.1(d)]", "[24.9.2(a)]"):  # its price, and the smallest chip
        assert rule in answer.output
    assert not folder.exists()


def test_player_without_funds_plays_without_the_jackpot(folder: Path) -> None:
    plan = replace(plan_from(METERED, Path("three.toml")), rounds=1)
    with pytest.raises(EndedError):
        run(plan, folder, ends_after(1), seed=5)
    with Meters.open(str(folder / METERS)) as meters:
        meters.cash_out("box-1", "leaves")
    lines: list[str] = []
    run(plan, folder, lines.append, seed=5)
    assert "box-1 has $0" in " ".join(" ".join(lines).split())
    (settled,) = [record for record in check(plan, folder) if record.kind == "settled"]
    played = [
        line["player"] for line in settled.data["results"] if line["bet"] == "blackjack-jackpots"
    ]
    assert played == ["Ben"]


def test_exchanged_controller_gets_the_prizes_and_keeps_its_own_key(folder: Path) -> None:
    plan = replace(plan_from(BUTTON, Path("seven.toml")), rounds=1)
    run(plan, folder, lambda line: None, seed=5)
    (folder / "controller").rename(folder / "old")
    with pytest.raises(DeviceExchangedError, match="--acknowledge"):
        run(replace(plan, rounds=2), folder, lambda line: None, seed=6)
    operator = Manager("Kim Lee", "casino-operator", "the first controller is in repair")
    run(replace(plan, rounds=2), folder, lambda line: None, seed=6, manager=operator)
    run(replace(plan, rounds=3), folder, lambda line: None, seed=6)
    records = check(replace(plan, rounds=3), folder)
    keys = [record.data["public"] for record in records if record.kind in ("key", "rekeyed")]
    assert len(keys) == len(set(keys)) == 2
    assert [r.device["role"] for r in records if r.kind == "exchanged"] == ["controller"]
    port = f"bench:carousel-60?folder={folder / 'cards'}"
    asked = ["journal", "verify", str(folder / JOURNAL), "--port", port, "--json"]
    assert json.loads(CliRunner().invoke(app, asked).stdout)["ok"]


def test_command_ends_the_bench_of_a_stopped_table(folder: Path) -> None:
    plan = replace(plan_from(BUTTON, Path("seven.toml")), rounds=1)
    folder.mkdir()
    (folder / "table.toml").write_text(BUTTON)
    with pytest.raises(EndedError):
        run(plan, folder, ends_after(1), seed=5)
    assert Bench.found(folder / "cards") is not None
    answer = CliRunner().invoke(app, ["table", "stop", str(folder)])
    assert (answer.exit_code, "ended carousel-60, controller-4" in answer.output) == (0, True)
    assert Bench.found(folder / "cards") is None
    assert switch_off(folder) == []
    run(plan, folder, lambda line: None)
    check(plan, folder)
