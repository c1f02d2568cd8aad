"""The record of a table: an append-only file from which everything replays."""

from cutcard.journal.file import Journal, JournalDamaged, Record, read

__all__ = ["Journal", "JournalDamaged", "Record", "read"]
