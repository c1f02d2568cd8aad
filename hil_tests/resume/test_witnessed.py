"""The machine as the witness of the journal: a truncated or rewritten journal is not continued."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cutcard.bench.client import Bench
from cutcard.cards import Card
from cutcard.devices import Shuffler
from cutcard.devices.card_device import Chains
from cutcard.journal import Journal, read
from cutcard.journal.file import segments
from cutcard.table.machine.dealing_device import ROLE, TableDevice
from cutcard.table.machine.floor import BenchFloor
from cutcard.table.people.manager import Manager
from cutcard.table.play.evening import play_rounds
from cutcard.table.play.live import LiveTable
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.table.replay.role_log import (
    CannotResumeError,
    DeviceExchangedError,
    WitnessDiffersError,
)
from hil_tests.resume.killing import PLAYERS, Killed, KilledTable, Points, six_decks
from hil_tests.resume.test_killed import killed_by_chance
from hil_tests.resume.test_sigkill import table_file
from tests.forgeries.forging import Forger

OPERATOR = Manager("Kim Lee", "casino-operator", "the first machine is in repair")
ANSWERED = ("--acknowledge", str(OPERATOR), "--because", OPERATOR.reason)


def cutcard(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "cutcard.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a closed table of two rounds, with its bench."""
    home = tmp_path_factory.mktemp("evening")
    (home / "plan.toml").write_text(table_file(2))
    folder = home / "table"
    code, said = cutcard("table", "run", str(home / "plan.toml"), "--folder", str(folder))
    assert code == 0, said
    return folder


@pytest.fixture
def other_bench() -> Iterator[Bench]:
    with Bench.start("carousel-38", seed=2) as bench:
        yield bench


@pytest.fixture
def table(evening: Path, tmp_path: Path) -> Iterator[Path]:
    """Return a copy of that evening, for tests that change it."""
    home = Path(shutil.copytree(evening, tmp_path / "table", symlinks=True))
    yield home
    Bench.staying("carousel-60", home / "cards").end()  # left by a table that stopped


def cut_after_first_round(folder: Path) -> None:
    journal = folder / "table.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    settled = next(at for at, line in enumerate(lines) if b'"kind":"settled"' in line)
    journal.write_bytes(b"".join(lines[: settled + 1]))


def written_anew(folder: Path) -> None:
    """Rewrite the journal so that Ana wins every round, with a valid chain and no signatures."""
    journal = folder / "table.journal"
    lines, previous, number = b"", "0" * 64, 0
    for line in journal.read_bytes().splitlines():
        body = json.loads(line)
        if body["kind"] == "closed":
            continue
        body.pop("signature")
        if body["kind"] == "settled":
            body["data"]["state"]["cents"] = {"Ana": 1_000_000}
        number += 1
        again = json.dumps(body | {"n": number, "previous": previous}, separators=(",", ":"))
        lines += again.encode() + b"\n"
        previous = hashlib.sha256(again.encode() + b"\n").hexdigest()
    journal.write_bytes(lines)


def as_of_an_earlier_program(memory: ReplayLog) -> None:
    """Remove the value of the machine's last count, which an earlier program did not store."""
    memory.kept["machine"] = memory.kept["machine"][:4]


def verified(folder: Path) -> tuple[int, str]:
    port = f"bench:carousel-60?folder={folder / 'cards'}"
    return cutcard("journal", "verify", str(folder / "table.journal"), "--port", port)


def test_device_confirms_a_complete_journal(table: Path) -> None:
    code, said = verified(table)
    assert (code, "Rounds 1 to 2: proven" in said) == (0, True), said


def test_device_witness_reveals_a_truncated_journal(table: Path) -> None:
    cut_after_first_round(table)
    assert cutcard("journal", "verify", str(table / "table.journal"))[0] == 3
    code, said = verified(table)
    assert (code, "removed from its end" in said) == (1, True), said


def test_table_with_a_truncated_journal_stops_until_a_manager_acknowledges_it(table: Path) -> None:
    cut_after_first_round(table)
    code, said = cutcard("table", "run", str(table))
    assert (code, "--acknowledge" in said) == (1, True), said
    code, said = cutcard("table", "run", str(table), *ANSWERED)
    assert code == 0, said
    records = list(read(table / "table.journal"))
    (acknowledged,) = [record for record in records if record.kind == "acknowledged"]
    assert acknowledged.data["by"] == "Kim Lee"
    code, said = cutcard("journal", "verify", str(table / "table.journal"), "--json")
    assert [epoch["why"] for epoch in json.loads(said)["epochs"]] == [
        "",
        "acknowledged by Kim Lee, casino-operator (claimed): the first machine is in repair",
    ]


def test_fault_from_before_the_machine_was_emptied_does_not_affect_the_next_round(
    table: Path,
) -> None:
    cut_after_first_round(table)
    assert cutcard("table", "run", str(table))[0] == 1
    bench = Bench.staying("carousel-60", table / "cards")  # the bench still runs
    bench.do("put", cards="As")  # an extra card, of no known round
    bench.settle()
    bench.do("take", where="tray", count=1, to="pocket")
    bench.settle()
    bench.close()
    code, said = cutcard("table", "run", str(table), *ANSWERED)
    assert code == 0, said
    records = list(read(table / "table.journal"))
    reported = [record.data.get("fault") for record in records if record.kind == "told"]
    stopped = [record.data["fault"] for record in records if record.kind == "device"]
    assert ("extra-card" in reported, "extra-card" in stopped) == (True, False)
    assert not any(record.kind == "locked" for record in records)


def test_unneeded_acknowledgement_is_reported_to_the_manager(table: Path) -> None:
    code, said = cutcard("table", "run", str(table), *ANSWERED)
    assert (code, "nothing for Kim Lee, Casino Operator to acknowledge" in said) == (0, True), said
    assert not any(r.kind == "acknowledged" for r in read(table / "table.journal"))


def test_another_key_does_not_continue_a_journal(table: Path) -> None:
    (table / "table.public").unlink()
    code, said = cutcard("table", "run", str(table))
    assert (code, "is not signed by this table's key" in said) == (1, True), said


def test_table_does_not_sign_records_written_without_its_key(table: Path) -> None:
    key = str(table / "table.public")
    written_anew(table)
    plan = table / "table.toml"
    plan.write_text(plan.read_text().replace("rounds = 2", "rounds = 3"))
    code, said = cutcard("table", "run", str(table))
    assert (code, "is not signed by this table's key" in said) == (1, True), said
    journal = str(table / "table.journal")
    assert cutcard("journal", "verify", journal, "--public-key", key)[0] == 1


def test_device_exchanged_between_rounds_begins_an_epoch(
    fresh_bench: Callable[..., Bench], other_bench: Bench, tmp_path: Path
) -> None:
    first = fresh_bench("carousel-38", 1)
    live, killed = exchanged(first, other_bench, tmp_path)
    assert live.machine.pack == 312
    killed._check_money(list(read(killed.path)))
    epochs = [r.device["serial"] for r in read(killed.path) if r.kind == "epoch"]
    assert epochs == [first.serial.hex(), other_bench.serial.hex()]


def has_a_past(bench: Bench) -> None:
    """Give the machine a past: dealt elsewhere, cards back inside, in a fault, events not
    delivered."""
    bench.put(6)
    with Shuffler.open(bench.port, key=bench.key, acknowledge=False) as elsewhere:
        elsewhere.load(6)
        elsewhere.deal()
        bench.do("draw", force=True)  # an uncalled card
        bench.settle()
        bench.return_cards()
        bench.settle()
        assert elsewhere.status().outside == 0
        bench.do("door", how="open")
        bench.settle()
    bench.do("door", how="close")


def test_events_from_before_a_machine_joined_the_table_are_ignored(
    fresh_bench: Callable[..., Bench], other_bench: Bench, tmp_path: Path
) -> None:
    has_a_past(other_bench)
    live, _ = exchanged(fresh_bench("carousel-38", 1), other_bench, tmp_path)
    assert (live.faults, live.machine.reported_outside) == (0, 0)
    assert_undisturbed(tmp_path / "table.journal")


class ExchangedTable(KilledTable):
    """A table that continues with any machine."""

    def _open(self, memory: ReplayLog, points: Points) -> Shuffler:
        try:
            return super()._open(memory, points)
        except DeviceExchangedError as other:
            memory.exchange(ROLE, other, OPERATOR)
            return super()._open(memory, points)


def test_open_round_of_a_program_that_marked_no_earlier_events_is_continued(
    fresh_bench: Callable[..., Bench],
    other_bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = fresh_bench("carousel-38", 1)
    first.put(6)
    assert KilledTable(first, tmp_path, six_decks(), {}, rounds=1).run(Points())
    other_bench.put(6)
    table = ExchangedTable(other_bench, tmp_path, six_decks(), {}, rounds=2)
    with monkeypatch.context() as earlier:
        earlier.setattr(TableDevice, "leave_behind", lambda device: None)
        while not {"round", "heard"} <= open_round(table.path):
            assert not table.run(Points(60))
    assert table.run(Points())


def open_round(journal: Path) -> set[str]:
    """Return the kinds of records since the last settled round."""
    kinds = [record.kind for record in read(journal)]
    return set(kinds[len(kinds) - kinds[::-1].index("settled") :])


def test_table_killed_while_it_empties_and_fills_the_machine_is_not_disturbed(
    fresh_bench: Callable[..., Bench], other_bench: Bench, tmp_path: Path
) -> None:
    first = fresh_bench("carousel-38", 1)
    first.put(6)
    assert KilledTable(first, tmp_path, six_decks(), {}, rounds=1).run(Points())
    has_a_past(other_bench)
    table = ExchangedTable(other_bench, tmp_path, six_decks(), {}, rounds=2)
    assert killed_by_chance(table, seed=5, furthest=150) > 10
    assert_undisturbed(table.path)
    (returned,) = [r.data["cards"] for r in read(table.path) if r.kind == "returned"][1:]
    settled = [r.data["state"]["machine"] for r in read(table.path) if r.kind == "settled"]
    assert settled[-1][2] == returned  # as many cards were outside as the round had dealt


def assert_undisturbed(journal: Path) -> None:
    """Check that no round received a fault or an uncalled card."""
    records = list(read(journal))
    assert not any(record.kind in ("device", "locked") for record in records)
    assert not any("fault" in record.data for record in records if record.kind == "event")


def test_empty_machine_in_a_fault_is_recovered_and_filled(
    fresh_bench: Callable[..., Bench], other_bench: Bench, tmp_path: Path
) -> None:
    other_bench.do("door", how="open")
    other_bench.settle()
    live, _ = exchanged(fresh_bench("carousel-38", 1), other_bench, tmp_path)
    assert (live.faults, live.machine.pack, live.machine.reported_outside) == (0, 312, 0)


def exchanged(first: Bench, second: Bench, folder: Path) -> tuple[LiveTable, KilledTable]:
    """Return a table that played a round with one machine, and a table with another."""
    first.put(6)
    killed = KilledTable(first, folder, six_decks(), {}, rounds=1)
    assert killed.run(Points())
    with Journal(killed.path, key=killed.key) as journal:
        memory = ReplayLog(journal, killed.table)
        with pytest.raises(DeviceExchangedError) as other:
            opened(second, memory)
        memory.exchange(ROLE, other.value, OPERATOR)
        with opened(second, memory) as device:
            live = LiveTable(killed.table, device, memory, BenchFloor(second), lambda line: None)
            play_rounds(live, second, 2, lambda line: None, players=PLAYERS)
        memory.close()
    killed.rounds = 2
    return live, killed


def test_table_continues_with_the_state_stored_by_an_earlier_program(
    fresh_bench: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = fresh_bench("carousel-38", 1)
    bench.put(6)
    killed = KilledTable(bench, tmp_path, six_decks(), {}, rounds=1)
    assert killed.run(Points())
    with Journal(killed.path, key=killed.key) as journal:
        memory = ReplayLog(journal, killed.table)
        as_of_an_earlier_program(memory)
        with opened(bench, memory) as device:
            live = LiveTable(killed.table, device, memory, BenchFloor(bench), lambda line: None)
            play_rounds(live, bench, 2, lambda line: None, players=PLAYERS)
        memory.close()
    killed.rounds = 2
    killed.check()


def test_device_is_not_exchanged_during_a_round(
    fresh_bench: Callable[..., Bench], other_bench: Bench, tmp_path: Path
) -> None:
    first, second = fresh_bench("carousel-38", 1), other_bench
    first.put(6)
    killed = KilledTable(first, tmp_path, six_decks(), {}, rounds=1)
    assert not killed.run(Points(200))
    with Journal(killed.path, key=killed.key) as journal:
        memory = ReplayLog(journal, killed.table)
        with pytest.raises(DeviceExchangedError) as other:
            opened(second, memory)
        with pytest.raises(CannotResumeError, match="between two rounds"):
            memory.exchange(ROLE, other.value, OPERATOR)


def opened(bench: Bench, memory: ReplayLog) -> Shuffler:
    return Shuffler.open(bench.port, key=bench.key, log=memory.log(ROLE))


class AfterTheFirstCard(Points):
    """Kill the table when a card is in its first round, before another command."""

    path: Path

    def reach(self) -> None:
        if self.opening and b'"kind":"event"' in self.path.read_bytes():
            raise Killed


def test_card_changed_with_the_tables_key_is_not_paid(
    fresh_bench: Callable[..., Bench], tmp_path: Path
) -> None:
    """The machine has a chain over the events that it sent."""
    bench = fresh_bench("carousel-38", 1)
    bench.put(6)
    table = KilledTable(bench, tmp_path, six_decks(), {}, rounds=1)
    points = AfterTheFirstCard()
    points.path = table.path
    assert not table.run(points)
    *earlier, last = segments(table.path)  # the last segment has all records of the open round
    for segment in earlier:
        segment.unlink()
    last.replace(table.path)
    forger = Forger(table.path)
    reported = [body for body in forger.of_kind("told") if "card" in body["data"]][-1]
    old, new = reported["data"]["card"], "As" if reported["data"]["card"] != "As" else "Ks"
    reported["data"]["card"] = new
    reported["device"]["sent"] = bytes((3, Card.parse(new).code, 0)).hex()
    for body in forger.of_kind("event"):
        if body["data"].get("deal") == old:
            body["data"]["deal"] = new
    forger.write(table.key)
    with Journal(table.path, key=table.key) as journal:
        memory = ReplayLog(journal, table.table)
        with opened(bench, memory) as device, pytest.raises(WitnessDiffersError) as differs:
            TableDevice(device, memory).check_witness()
    assert "an event in it was changed" in str(differs.value)


def test_table_plays_with_a_machine_of_an_older_firmware(
    fresh_bench: Callable[..., Bench], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine has one chain, and takes in only the heads of rounds."""
    monkeypatch.setattr(Shuffler, "chains", lambda device: Chains(device.witness()))
    bench = fresh_bench("carousel-38", 1)
    bench.put(6)
    table = KilledTable(bench, tmp_path, six_decks(), {}, rounds=2)
    assert not table.run(Points(300))
    assert table.run(Points())
    table.check()
    commands = [record for record in read(table.path) if record.kind == "command"]
    assert [len(r.data["arguments"][1]) for r in commands if r.data["name"] == "round"] == [64] * 3
