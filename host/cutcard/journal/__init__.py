"""The record of a table: an append-only file from which everything replays."""

from cutcard.journal.disk import Disk
from cutcard.journal.file import (
    CLOSED,
    FORMAT,
    SETTLED,
    SIGNED,
    Journal,
    JournalDamagedError,
    JournalFailedError,
    JournalInUseError,
    JournalNewerError,
    Record,
    is_in_use,
    read,
)

__all__ = [
    "CLOSED",
    "FORMAT",
    "SETTLED",
    "SIGNED",
    "Disk",
    "Journal",
    "JournalDamagedError",
    "JournalFailedError",
    "JournalInUseError",
    "JournalNewerError",
    "Record",
    "is_in_use",
    "read",
]
