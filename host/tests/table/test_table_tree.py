"""The Merkle tree of a table: it grows with each signed record, across journals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cutcard.journal import Journal, JournalDamagedError, JournalFailedError, TableKey, read
from cutcard.table.people.manager import Manager
from cutcard.table.replay.proof import Proof
from cutcard.table.replay.role_log import CannotResumeError
from cutcard.table.replay.table_tree import TreeFile, continue_tree
from cutcard.transparency import Leaves, leaf_hash

KIM = Manager("Kim Lee", "casino-operator", "the disk was full")


@pytest.fixture
def key(tmp_path: Path) -> TableKey:
    return TableKey.at(tmp_path / "table.key")


@pytest.fixture
def file(tmp_path: Path) -> TreeFile:
    return TreeFile(tmp_path / "keys" / "table.tree")


def settle(journal: Journal, number: int) -> None:
    assert journal.tree is not None
    journal.append("round", {"number": number, "wagers": []})
    state = {"tree": journal.tree.to_json()}
    journal.append("settled", {"number": number, "results": [], "state": state})


def played(path: Path, key: TableKey, file: TreeFile, rounds: int = 3) -> Path:
    """Write a journal of some rounds; its tree is stored when it closes."""
    with Journal(path, key=key) as journal:
        continue_tree(journal, file, None)
        journal.append("table", {"key": key.public})
        for number in range(1, rounds + 1):
            settle(journal, number)
        journal.append("closed", {})
        assert journal.tree is not None
        file.store(journal.tree)
    return path


def proof_of(path: Path) -> Proof:
    proof = Proof()
    for record in read(path):
        proof.take(record)
    proof.end()
    return proof


def test_each_signed_record_is_a_leaf(tmp_path: Path, key: TableKey, file: TreeFile) -> None:
    path = played(tmp_path / "a.journal", key, file)
    tree = Leaves()
    for line in path.read_bytes().splitlines(keepends=True):
        tree.add(leaf_hash(line))
    proof = proof_of(path)
    assert proof.problems == []
    assert proof.tree is not None
    assert (proof.tree.end, proof.tree.root()) == (tree.end, tree.root())
    assert file.load().root() == tree.root()


def test_table_resumes_with_the_tree_stored_by_its_last_round(
    tmp_path: Path, key: TableKey, file: TreeFile
) -> None:
    path = played(tmp_path / "a.journal", key, file)
    with Journal(path, key=key) as journal:
        assert journal.tail[0].kind == "settled"
        assert journal.tree is not None
        assert journal.tree.root() == file.load().root()


def test_new_journal_continues_the_tree_and_names_the_earlier_records(
    tmp_path: Path, key: TableKey, file: TreeFile
) -> None:
    first = played(tmp_path / "a.journal", key, file)
    before = proof_of(first)
    second = proof_of(played(tmp_path / "b.journal", key, file))
    assert second.problems == []
    assert (second.before, before.records) == (8, 8)
    assert file.load().end == 8 + 9


def test_truncated_journal_stops_the_table_without_its_machine(
    tmp_path: Path, key: TableKey, file: TreeFile
) -> None:
    path = played(tmp_path / "a.journal", key, file)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]))
    with (
        Journal(path, key=key) as journal,
        pytest.raises(CannotResumeError, match="the last 3 records of this table are missing"),
    ):
        continue_tree(journal, file, None)


def test_tree_continues_behind_missing_records_that_a_manager_acknowledges(
    tmp_path: Path, key: TableKey, file: TreeFile
) -> None:
    path = played(tmp_path / "a.journal", key, file)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]))
    with Journal(path, key=key) as journal:
        continue_tree(journal, file, KIM)
        settle(journal, 3)
        assert journal.tree is not None
        assert journal.tree.end == 8 + 3
    proof = proof_of(path)
    assert proof.problems == []
    (flag,) = proof.flags
    assert flag.startswith("3 records of the table are missing before record 6 by Kim Lee")
    assert "(claimed): the disk was full" in flag


def test_rolled_back_tree_is_a_contradiction(tmp_path: Path, key: TableKey, file: TreeFile) -> None:
    path = played(tmp_path / "a.journal", key, file)
    with Journal(path, key=key) as journal:
        journal.append("tree", Leaves().to_json())
    assert "record 9 sets the table's tree back by 8 records" in proof_of(path).problems


def test_stored_tree_of_other_records_is_a_contradiction(tmp_path: Path, key: TableKey) -> None:
    path = tmp_path / "a.journal"
    with Journal(path, key=key) as journal:
        journal.append("table", {"key": key.public})
        other = {"size": 1, "hashes": ["00" * 32]}
        journal.append("settled", {"number": 1, "results": [], "state": {"tree": other}})
    found = "record 2 continues from another tree than the records before it"
    assert found in proof_of(path).problems


def test_two_programs_with_the_key_of_one_table_are_detected(
    tmp_path: Path, key: TableKey, file: TreeFile
) -> None:
    """Otherwise the table would sign two roots for one size."""
    played(tmp_path / "a.journal", key, file)
    with Journal(tmp_path / "b.journal", key=key) as journal:
        journal.append("table", {"key": key.public})
        assert journal.tree is not None
        with pytest.raises(JournalFailedError, match="another program has signed more records"):
            file.store(journal.tree)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"size": 1, "hashes": []}', "\xff"])
def test_damaged_file_of_the_tree_stops_the_table(file: TreeFile, text: str) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CannotResumeError, match="does not hold the tree of a table"):
        file.load()


@pytest.mark.parametrize("data", [{}, {"size": 1, "hashes": []}, {"size": "1", "hashes": [""]}])
def test_table_does_not_resume_from_a_malformed_tree(
    tmp_path: Path, key: TableKey, data: dict[str, Any]
) -> None:
    path = tmp_path / "a.journal"
    with Journal(path, key=key) as journal:
        journal.append("settled", {"number": 1, "state": {"tree": data}})
    with pytest.raises(JournalDamagedError):
        Journal(path, key=key)
