"""After a crash a journal continues in a new segment and keeps every confirmed record."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest

from cutcard.journal import (
    Disk,
    Journal,
    JournalDamagedError,
    JournalFailedError,
    JournalNewerError,
    TableKey,
    read,
)
from cutcard.journal.file import segments
from tests.forgeries.forging import Forger


class FailingDisk(Disk):
    """Fail at one chosen operation only: the program must not retry."""

    def __init__(self, at: int, error: int) -> None:
        self.at = at
        self.error = error
        self.done = 0

    def _count(self) -> None:
        self.done += 1
        if self.done == self.at:
            raise OSError(self.error, os.strerror(self.error))

    def write(self, file: int, data: bytes) -> int:
        self._count()
        return super().write(file, data)

    def sync(self, file: int) -> None:
        self._count()
        super().sync(file)

    def sync_folder(self, folder: Path) -> None:
        self._count()
        super().sync_folder(folder)


class QuickDisk(Disk):
    """Skip every sync, in a test that writes many records."""

    def sync(self, file: int) -> None:
        pass


def rounds(journal: Journal, numbers: range) -> None:
    for number in numbers:
        journal.append("round", {"number": number})
        journal.append("settled", {"number": number})


def kinds(path: Path) -> list[str]:
    return [record.kind for record in read(path)]


def test_closed_journal_continues_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    for _ in range(2):
        with Journal(path) as journal:
            rounds(journal, range(1, 2))
            journal.append("closed", {})
    assert segments(path) == [path]
    assert kinds(path) == ["round", "settled", "closed"] * 2


def test_journal_of_a_killed_program_is_copied_from_its_last_settled_round(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        rounds(journal, range(1, 4))
        journal.append("round", {"number": 4})
    with Journal(path) as journal:
        assert [record.data["number"] for record in journal.tail] == [3, 4]
        journal.append("settled", {"number": 4})
    assert segments(path) == [path, tmp_path / "table.journal.2"]
    assert kinds(path) == ["round", "settled"] * 4
    assert [record.number for record in read(path)] == list(range(1, 9))


def test_torn_bytes_are_kept_in_a_record(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        rounds(journal, range(1, 2))
    with path.open("ab") as file:
        file.write(b'{"n":3,"ki')
    with Journal(path):
        pass
    torn = list(read(path))[-1]
    assert (torn.kind, bytes.fromhex(torn.data["hex"])) == ("torn", b'{"n":3,"ki')


@pytest.fixture
def key(tmp_path: Path) -> TableKey:
    return TableKey.at(tmp_path / "table.key")


def test_signed_journal_resumes_with_its_key(tmp_path: Path, key: TableKey) -> None:
    path = tmp_path / "table.journal"
    for numbers in (range(1, 3), range(3, 4)):
        with Journal(path, key=key) as journal:
            rounds(journal, numbers)
    assert all(record.is_signed_by(key.public) for record in read(path))
    assert kinds(path) == ["round", "settled"] * 3


@pytest.mark.parametrize("forged_with", ["no key", "another key", "an older format"])
def test_table_refuses_to_resume_from_a_record_not_signed_by_its_key(
    tmp_path: Path, key: TableKey, forged_with: str
) -> None:
    path = tmp_path / "table.journal"
    with Journal(path, key=key) as journal:
        rounds(journal, range(1, 3))
        journal.append("event", {"deal": "5h"})
    forger = Forger(path)
    forger.of_kind("event")[0]["data"]["deal"] = "As"
    if forged_with == "another key":
        forger.write(TableKey.at(tmp_path / "other.key"))
    else:
        forger.bodies[-1]["v"] = 2 if forged_with == "an older format" else 3
        forger.write_tail(since=4)
    before = path.read_bytes(), segments(path)
    with pytest.raises(JournalDamagedError, match=r"not signed by|has no signature of each"):
        Journal(path, key=key)
    assert (path.read_bytes(), segments(path)) == before


def test_table_without_a_key_refuses_to_resume_a_signed_journal(
    tmp_path: Path, key: TableKey
) -> None:
    path = tmp_path / "table.journal"
    with Journal(path, key=key) as journal:
        rounds(journal, range(1, 2))
    with pytest.raises(JournalDamagedError, match="this table has no key"):
        Journal(path)


def test_signature_is_invalid_under_another_record(tmp_path: Path, key: TableKey) -> None:
    path = tmp_path / "table.journal"
    with Journal(path, key=key) as journal:
        journal.append("event", {"deal": "5h"})
    path.write_bytes(path.read_bytes().replace(b'"5h"', b'"As"'))
    with pytest.raises(JournalDamagedError, match="not signed by"):
        Journal(path, key=key)


def test_changed_copy_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        rounds(journal, range(1, 2))
        journal.append("round", {"number": 2, "wagers": 10})
    with Journal(path):
        pass
    path.write_bytes(path.read_bytes().replace(b'"wagers":10', b'"wagers":99'))
    with pytest.raises(JournalDamagedError, match="differs from the same record"):
        list(read(path))


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("at", range(1, 10))
def test_after_a_failed_write_no_record_is_written_until_reopening(
    tmp_path: Path, at: int, error: int
) -> None:
    path = tmp_path / "table.journal"
    disk = FailingDisk(at, error)
    confirmed = 0
    with suppress(JournalFailedError), Journal(path, disk=disk) as journal:
        while True:
            confirmed = journal.append("event", {"number": confirmed + 1}).number
    assert disk.done == at
    with Journal(path) as journal:
        journal.append("settled", {})
    numbers = [record.data["number"] for record in read(path) if record.kind == "event"]
    assert numbers[:confirmed] == list(range(1, confirmed + 1))


def test_after_the_first_failure_every_append_fails(tmp_path: Path) -> None:
    with Journal(tmp_path / "table.journal", disk=FailingDisk(2, errno.EIO)) as journal:
        for _ in range(2):
            with pytest.raises(JournalFailedError, match="start the table again"):
                journal.append("event", {})


def test_failed_copy_leaves_the_journal_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        rounds(journal, range(1, 3))
    with pytest.raises(JournalFailedError):
        Journal(path, disk=FailingDisk(2, errno.EIO))
    assert kinds(path) == ["round", "settled"] * 2
    assert segments(path) == [path]


def test_opening_a_long_journal_reads_only_its_end(tmp_path: Path) -> None:
    """`journal verify` finds damage far before the last settled round, not a resuming table.

    So the data read at opening does not grow with the evening.
    """
    path = tmp_path / "table.journal"
    with Journal(path, disk=QuickDisk()) as journal:
        rounds(journal, range(1, 3000))
    content = path.read_bytes().replace(b'{"number":1}', b'{"number":7}', 1)
    path.write_bytes(content)
    with Journal(path) as journal:
        assert [record.data["number"] for record in journal.tail] == [2999]
    with pytest.raises(JournalDamagedError):
        list(read(path))


def test_journal_of_a_newer_version_is_refused_and_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        journal.append("table", {})
    path.write_bytes(path.read_bytes().replace(b'"v":5', b'"v":6'))
    before = path.read_bytes()
    with pytest.raises(JournalNewerError, match="format 6, and this cutcard reads up to 5"):
        Journal(path)
    assert (path.read_bytes(), segments(path)) == (before, [path])


def test_journal_of_the_first_format_stays_readable(tmp_path: Path) -> None:
    """The line is from before records had a time and a table."""
    path = tmp_path / "table.journal"
    previous = "0" * 64
    path.write_text(f'{{"n":1,"kind":"card","data":{{"card":"Th"}},"previous":"{previous}"}}\n')
    [record] = read(path)
    assert (record.kind, record.data, record.time, record.table) == ("card", {"card": "Th"}, "", "")


def test_each_record_has_its_time_its_table_and_its_device(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    with Journal(path, "Table 7", clock=lambda: "2026-11-16T20:00:00.000Z") as journal:
        journal.append("told", {}, {"serial": "ab", "firmware": 3, "event": 9})
    [record] = read(path)
    assert (record.time, record.table) == ("2026-11-16T20:00:00.000Z", "Table 7")
    assert record.device == {"serial": "ab", "firmware": 3, "event": 9}
