"""A table killed at any point resumes: no card is duplicated or lost, and the money balances."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from cutcard.bench.client import Bench
from cutcard.journal import Disk, Journal, JournalFailedError
from cutcard.table.plan.mishaps import MISHAPS as ALL
from cutcard.table.plan.mishaps import Mishaps
from cutcard.table.replay.replay_log import ReplayLog
from hil_tests.resume.killing import KilledTable, Points, six_decks

MISHAPS: Mishaps = {
    1: ALL["two-cards"],
    2: ALL["power"],
    3: ALL["jam"],
    4: ALL["miscount"],
}


def killed_by_chance(table: KilledTable, seed: int, furthest: int) -> int:
    """Kill the table after a few points each time, sometimes before it is open; return the
    kills."""
    chance = Random(seed)
    kills = 0
    while not table.run(Points(chance.randint(1, furthest), opening=chance.random() < 0.2)):
        kills += 1
        assert kills < 5000
    return kills


def killed_at_every_point(table: KilledTable) -> int:
    """Kill the table at each point after it is open, one point later each time; return the
    kills."""
    kills, at, reached = 0, 1, (0, 0)
    while not table.run(Points(at)):
        kills += 1
        came = table.came()
        at, reached = (1, came) if came > reached else (at + 1, reached)
        assert kills < 20_000
    return kills


def test_evening_with_repeated_kills_balances(
    fresh_bench: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = fresh_bench("carousel-38", 1)
    bench.put(6)
    table = KilledTable(bench, tmp_path, six_decks(), MISHAPS, rounds=3)
    assert killed_by_chance(table, seed=3, furthest=250) > 10
    table.check()


def failing_at_every_write(table: KilledTable, step: int) -> int:
    """Fail each write and each sync once; the program ends, and the next one resumes."""
    failures, at, reached = 0, 1, (0, 0)
    while not table.run(Points(at, error=(errno.EIO, errno.ENOSPC)[failures % 2])):
        failures += 1
        came = table.came()
        at, reached = (step, came) if came > reached else (at + step, reached)
        assert failures < 20_000
    return failures


def test_table_ends_after_a_failed_write_and_resumes(
    fresh_bench: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = fresh_bench("carousel-38", 1)
    bench.put(6)
    table = KilledTable(bench, tmp_path, six_decks(), {1: ALL["two-cards"]}, rounds=1)
    assert failing_at_every_write(table, step=83) > 3
    table.check()


class OnTheDiskAllTheSame(Disk):
    """A disk that reports a failed sync of one record, although the record was written."""

    def __init__(self, mark: bytes) -> None:
        self.mark = mark
        self.last = b""

    def write(self, file: int, data: bytes) -> int:
        self.last = data
        return super().write(file, data)

    def sync(self, file: int) -> None:
        super().sync(file)
        if self.mark in self.last:
            raise OSError(errno.EIO, "of the test")


@pytest.mark.parametrize("command", ["load", "round", "deal"])
def test_command_never_sent_is_sent_although_its_record_exists(
    fresh_bench: Callable[..., Bench], tmp_path: Path, command: str
) -> None:
    bench = fresh_bench("carousel-38", 1)
    bench.put(6)
    table = KilledTable(bench, tmp_path, six_decks(), {}, rounds=1)
    failing = OnTheDiskAllTheSame(f'"name":"{command}"'.encode())
    with Journal(table.path, disk=failing, key=table.key) as journal:
        memory = ReplayLog(journal, table.table)
        with table._open(memory, Points()) as device:
            with pytest.raises(JournalFailedError):
                table._play(memory, device, ())
            assert device.fall_silent()
    assert table.run(Points())
    table.check()


@pytest.mark.soak
def test_table_resumes_after_every_write_failed_once(
    fresh_bench: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = fresh_bench("carousel-38", 1)
    bench.put(6)
    table = KilledTable(bench, tmp_path, six_decks(), MISHAPS, rounds=4)
    assert failing_at_every_write(table, step=1) > 500
    table.check()


@pytest.mark.soak
def test_evening_killed_at_every_point_balances(
    fresh_bench: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = fresh_bench("carousel-38", 1)
    bench.put(6)
    table = KilledTable(bench, tmp_path, six_decks(), MISHAPS, rounds=4)
    assert killed_at_every_point(table) > 500
    table.check()
