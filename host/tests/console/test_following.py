"""A journal is read on while its table writes."""

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


def test_it_begins_anew_where_another_segment_takes_over(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with Journal(path) as journal:
        journal.append("settled", {})
        journal.append("round", {})
    follower = Follower(path)
    assert numbers(follower) == [1, 2]
    with Journal(path) as journal:  # the one before did not close it in order
        journal.append("event", {})
        assert follower.renewed()
        assert numbers(follower) == [1, 2, 3]
        assert not follower.renewed()


def test_a_changed_record_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with Journal(path) as journal:
        journal.append("first", {"cents": 100})
        journal.append("second", {})
    path.write_bytes(path.read_bytes().replace(b"100", b"900"))
    with pytest.raises(JournalDamagedError, match="line 2"):
        numbers(Follower(path))
