"""The journal of a played evening, opened as its table opens it."""

from __future__ import annotations

from pathlib import Path

from cutcard.journal import Journal
from cutcard.table.replay.key_place import table_key
from cutcard.table.running import JOURNAL


def open_journal(evening: Path, name: str = "Table 7") -> Journal:
    """Return the journal of table seven, open for writing with the table's key."""
    folder = evening / "seven"
    return Journal(folder / JOURNAL, name, key=table_key(folder))
