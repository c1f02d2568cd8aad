"""A journal is read while its table writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.journal import Journal, JournalDamagedError
from cutcard.journal.following import Follower


def numbers(follower: Follower) -> list[int]:
    return [record.number for record, _ in follower.more(1000)]


def test_each_call_returns_the_records_since_the_last_call(tmp_path: Path) -> None:
    follower = Follower(tmp_path / "a.journal")
    assert numbers(follower) == []
    with Journal(tmp_path / "a.journal") as journal:
        journal.append("first", {})
        assert numbers(follower) == [1]
        journal.append("second", {})
        journal.append("third", {})
        assert numbers(follower) == [2, 3]
        assert numbers(follower) == []


def test_half_written_record_is_not_returned(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with Journal(path) as journal:
        journal.append("first", {})
        journal.append("second", {})
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    follower = Follower(path)
    assert numbers(follower) == [1]
    path.write_bytes(whole)
    assert numbers(follower) == [2]


def test_reading_restarts_if_another_segment_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with Journal(path) as journal:
        journal.append("settled", {})
        journal.append("round", {})
    follower = Follower(path)
    assert numbers(follower) == [1, 2]
    with Journal(path) as journal:  # the previous one did not close it properly
        journal.append("event", {})
        assert follower.renewed()
        assert numbers(follower) == [1, 2, 3]
        assert not follower.renewed()


def test_changed_record_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with Journal(path) as journal:
        journal.append("first", {"cents": 100})
        journal.append("second", {})
    path.write_bytes(path.read_bytes().replace(b"100", b"900"))
    with pytest.raises(JournalDamagedError, match="line 2"):
        numbers(Follower(path))
