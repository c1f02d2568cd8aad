"""Moments of the evening for tests."""

from __future__ import annotations

from pathlib import Path

from cutcard.console.table_view import TableView
from cutcard.journal import read


def journal_of(evening: Path) -> Path:
    return evening / "seven" / "table.journal"


def fault_at(evening: Path) -> int:
    """Return the record with which the machine stops."""
    return next(r.number for r in read(journal_of(evening)) if r.kind == "device")


def choice_at(evening: Path) -> int:
    """Return the record after which a ruling is required."""
    view = TableView.of(journal_of(evening))
    for record in read(journal_of(evening)):
        view.take(record)
        round = view.describer.round
        if round is not None and round.choices:
            return record.number
    raise AssertionError("no ruling is required")


def until(evening: Path, number: int) -> None:
    """Truncate the journal after a record, as if that were the present."""
    lines = journal_of(evening).read_bytes().splitlines(keepends=True)
    journal_of(evening).write_bytes(b"".join(lines[:number]))
