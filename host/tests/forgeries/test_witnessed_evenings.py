"""Evenings with checkpoints outside the table's computer, and forgeries that they contradict."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread
from typing import Any

import pytest

from cutcard.bench.client import Bench
from cutcard.journal import TableKey
from cutcard.table.replay import witnessing
from cutcard.table.replay.key_place import table_key
from cutcard.table.replay.table_tree import TreeFile
from cutcard.table.replay.witnessing import key_of
from cutcard.table.running import JOURNAL
from cutcard.transparency import VerifierKey
from cutcard.transparency.witness import Witness
from tests.forgeries.forging import Forger
from tests.forgeries.test_forged_evenings import PLAN, cutcard, make_ana_win, port_of, round_of
from tests.transparency.served_witness import served

NOW = 1_763_500_000
NOWHERE = "http://127.0.0.1:9"  # a port without a server


@pytest.fixture
def key(tmp_path: Path) -> TableKey:
    """The key of the table; the folder of the table has its public half."""
    (tmp_path / "table").mkdir()
    return table_key(tmp_path / "table")


@pytest.fixture
def witness(tmp_path: Path, key: TableKey) -> Witness:
    own = TableKey.generate()
    name = VerifierKey("house/witness", bytes.fromhex(own.public), cosigns=True)
    return Witness(
        tmp_path / "witness", name, own.signature, [key_of(key.public)], clock=lambda: NOW
    )


@pytest.fixture
def table(tmp_path: Path, key: TableKey) -> Iterator[Path]:
    """The folder of a table with a key, in which no round was played."""
    home = tmp_path / "table"
    yield home
    for bench in filter(None, map(Bench.found, (home / "cards", tmp_path / "copy" / "cards"))):
        bench.end()


def begin(table: Path, *witnesses: str, rounds: int = 2) -> str:
    plan = table.parent / "plan.toml"
    plan.write_text(PLAN.replace("rounds = 6", f"rounds = {rounds}"))
    options = [word for each in witnesses for word in ("--witness", each)]
    code, said = cutcard("table", "run", str(plan), "--folder", str(table), *options)
    assert code == 0, said
    return said


def play_on(table: Path, rounds: int, change: Callable[[str], str] = lambda text: text) -> None:
    plan = table / "table.toml"
    text = "".join(
        f"rounds = {rounds}\n" if line.startswith("rounds") else line
        for line in plan.read_text().splitlines(keepends=True)
    )
    plan.write_text(change(text))
    code, said = cutcard("table", "run", str(table))
    assert code == 0, said


def verified(table: Path, *options: str) -> tuple[int, dict[str, Any]]:
    code, said = cutcard("journal", "verify", str(table / JOURNAL), "--json", *options)
    return code, json.loads(said)


def kinds(table: Path, *among: str) -> list[dict[str, Any]]:
    return [body for body in Forger(table / JOURNAL).bodies if body["kind"] in among]


def checkpoint_of(witness: Witness, key: TableKey) -> tuple[str, ...]:
    file = witness.path_of(key_of(key.public).name)
    return ("--checkpoints", str(file), "--witness-key", str(witness.key))


def test_an_evening_is_cosigned_by_a_witness(table: Path, key: TableKey, witness: Witness) -> None:
    with served(witness) as url:
        begin(table, f"{url}#{witness.key}")
    *_, last = kinds(table, "checkpoint")
    (_, found) = verified(table, *checkpoint_of(witness, key))
    size = last["n"] - 1
    assert (found["problems"], found["checkpoints"]) == ([], [size])
    assert found["cosigned"] == {"house/witness": [size, NOW]}
    code, said = cutcard(
        "journal", "verify", str(table / JOURNAL), "--witness-key", str(witness.key)
    )
    assert (code, f"cosigned the first {size} records" in " ".join(said.split())) == (3, True)


def test_a_rewritten_evening_contradicts_the_witness_without_the_machine(
    table: Path, key: TableKey, witness: Witness
) -> None:
    """With the table's key."""
    with served(witness) as url:
        begin(table, url)
    forger = Forger(table / JOURNAL)
    make_ana_win(round_of(forger, 1))
    forger.drop(lambda body: body["kind"] in ("checkpoint", "witnessed"))
    forger.write(key)
    code, found = verified(table, *checkpoint_of(witness, key))
    assert code == 1
    assert any("records were taken off the end after 2025" in each for each in found["problems"])


def test_one_changed_record_contradicts_an_archived_checkpoint(table: Path, key: TableKey) -> None:
    """With the table's key; the number of records is the same."""
    notes = table.parent / "notes"
    begin(table, str(notes))
    forger = Forger(table / JOURNAL)
    make_ana_win(round_of(forger, 1))
    forger.write(key)
    code, found = verified(table, "--checkpoints", str(notes))
    assert code == 1
    assert any("records up to it were changed" in each for each in found["problems"])


def test_a_journal_has_only_checkpoints_of_its_own_records(table: Path, key: TableKey) -> None:
    """With the table's key: the forger keeps the checkpoints that he found."""
    begin(table, str(table.parent / "notes"))
    forger = Forger(table / JOURNAL)
    make_ana_win(round_of(forger, 1))
    forger.write(key)
    code, found = verified(table)
    assert code == 1
    assert any("has the checkpoint of other records" in each for each in found["problems"])


def test_records_taken_off_the_end_contradict_the_witness(
    table: Path, key: TableKey, witness: Witness
) -> None:
    """Without a key."""
    with served(witness) as url:
        begin(table, url)
    lines = (table / JOURNAL).read_bytes().splitlines(keepends=True)
    first = kinds(table, "settled")[0]["n"]
    (table / JOURNAL).write_bytes(b"".join(lines[:first]))
    code, found = verified(table, *checkpoint_of(witness, key))
    assert code == 1
    assert any("records were taken off the end" in each for each in found["problems"])


def test_a_dropped_journal_shows_in_the_next_one(
    table: Path, key: TableKey, witness: Witness
) -> None:
    """The witness cosigns the second journal: its tree continues the first one's."""
    with served(witness) as url:
        begin(table, url)
        first = len(Forger(table / JOURNAL).bodies)
        (table / JOURNAL).unlink()
        shutil.rmtree(table / "cards")
        (table / "table.toml").unlink()
        begin(table, url)
    assert kinds(table, "unwitnessed") == []
    _, found = verified(table, *checkpoint_of(witness, key))
    assert (found["problems"], found["before"]) == ([], first)
    assert len(found["checkpoints"]) == 1


def test_a_witness_does_not_cosign_a_second_history(
    table: Path, key: TableKey, witness: Witness
) -> None:
    """With the table's computer and the machine: an older state of both is restored, and other
    rounds are played. The machine confirms them.
    """
    copy, file = table.parent / "copy", TreeFile.of(key.public)
    with served(witness) as url:
        begin(table, url)
        shutil.copytree(table, copy, symlinks=True)
        older = file.path.read_text()
        play_on(table, 4)
        before = witness.path_of(key_of(key.public).name).read_text()
        file.path.write_text(older)
        play_on(copy, 3)
        assert witness.path_of(key_of(key.public).name).read_text() == before
    (problem,) = kinds(copy, "unwitnessed")
    assert "records of this table" in problem["data"]["why"]
    confirmed = ("--port", port_of(copy))
    assert verified(copy, *confirmed)[0] == 0
    assert verified(copy, *confirmed, *checkpoint_of(witness, key))[0] == 1


def test_play_continues_without_a_network_and_the_journal_says_since_when(
    table: Path, key: TableKey, witness: Witness
) -> None:
    begin(table, NOWHERE)
    first, *_ = kinds(table, "checkpoint")
    (problem,) = kinds(table, "unwitnessed")
    assert problem["data"]["witness"] == NOWHERE
    assert problem["data"]["since"] == first["time"]
    assert "does not answer" in problem["data"]["why"]
    with served(witness) as url:
        play_on(table, 3, lambda text: text.replace(NOWHERE, url))
    *_, last = kinds(table, "checkpoint", "witnessed", "unwitnessed")
    assert last["kind"] == "witnessed"
    assert last["data"]["cosignature"].startswith("— house/witness ")


@contextmanager
def answering(answer: bytes, more: bytes = b"") -> Iterator[str]:
    """Serve a witness that answers with these bytes, and then with more of them without end."""
    over = Event()

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65_536)
            with suppress(OSError):
                self.request.sendall(answer)
                while more and not over.wait(0.05):
                    self.request.sendall(more)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        over.set()
        server.shutdown()


@pytest.mark.parametrize(
    ("answer", "more"),
    [
        (b"", b""),
        (b"\0\n\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nx", b""),
        (b"HTTP/1.1 200 OK\r\n\r\n\xff", b""),
        (b"HTTP/1.1 409 Conflict\r\n\r\n99999999999999999999\n", b""),
        (b"HTTP/1.1 409 Conflict\r\n\r\n1\n", b""),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    ],
    ids=["nothing", "garbage", "cut", "no text", "a huge size", "a wrong size", "without end"],
)
def test_no_answer_of_a_witness_stops_the_table(
    table: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, more: bytes
) -> None:
    monkeypatch.setattr(witnessing, "LAST_WORD", 0.5)
    with answering(answer, more) as url:
        begin(table, url, rounds=1)
    assert kinds(table, "witnessed") == []
    assert len(kinds(table, "unwitnessed")) == 1


def without_witness(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("witness"))


def test_a_witness_that_was_taken_out_of_the_table_file_is_put_on_record(
    table: Path, witness: Witness
) -> None:
    """Without a key."""
    with served(witness) as url:
        begin(table, url)
        play_on(table, 3, without_witness)
    (problem,) = kinds(table, "unwitnessed")
    assert (problem["data"]["witness"], problem["data"]["why"]) == (
        url,
        "the table file no longer names it",
    )


def test_an_answer_without_the_cosignature_of_the_named_witness_does_not_count(
    table: Path, witness: Witness
) -> None:
    other = VerifierKey("house/witness", bytes.fromhex(TableKey.generate().public), cosigns=True)
    with served(witness) as url:
        begin(table, f"{url}#{other}", rounds=1)
    assert kinds(table, "witnessed") == []
    (problem,) = kinds(table, "unwitnessed")
    assert "no valid cosignature" in problem["data"]["why"]


def test_checkpoints_of_another_table_are_no_evidence(table: Path, tmp_path: Path) -> None:
    begin(table, str(tmp_path / "notes"), rounds=1)
    text = (tmp_path / "notes").read_text()
    (tmp_path / "other").write_text(text.replace("cutcard/table/", "cutcard/table/0"))
    code, said = cutcard(
        *("journal", "verify", str(table / JOURNAL), "--checkpoints", str(tmp_path / "other"))
    )
    assert (code, "no checkpoint signed by" in said) == (2, True)


@pytest.mark.parametrize(
    "options", [("--checkpoints", "missing"), ("--witness-key", "x"), ("--checkpoints", "plan")]
)
def test_verify_rejects_what_is_no_checkpoint(
    table: Path, tmp_path: Path, options: tuple[str, str]
) -> None:
    begin(table, rounds=1)
    (tmp_path / "plan").write_text(PLAN)
    option, value = options
    given = str(tmp_path / value) if option == "--checkpoints" else value
    code, said = cutcard("journal", "verify", str(table / JOURNAL), option, given)
    assert (code, option in said) == (2, True)
