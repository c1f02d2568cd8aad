"""The record of a table: an append-only file from which everything replays."""

from cutcard.journal.disk import Disk
from cutcard.journal.file import (
    CLOSED,
    EACH_SIGNED,
    FORMAT,
    SETTLED,
    SIGNED,
    TREE,
    Journal,
    JournalDamagedError,
    JournalFailedError,
    JournalInUseError,
    JournalNewerError,
    Record,
    grown,
    is_in_use,
    read,
)
from cutcard.journal.table_key import BadTableKeyError, TableKey

__all__ = [
    "CLOSED",
    "EACH_SIGNED",
    "FORMAT",
    "SETTLED",
    "SIGNED",
    "TREE",
    "BadTableKeyError",
    "Disk",
    "Journal",
    "JournalDamagedError",
    "JournalFailedError",
    "JournalInUseError",
    "JournalNewerError",
    "Record",
    "TableKey",
    "grown",
    "is_in_use",
    "read",
]
