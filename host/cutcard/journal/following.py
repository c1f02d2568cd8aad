"""Read a journal while its table writes to it: each call yields the records added since the last.

A program that resumes after a kill begins a new segment, which repeats the records since the last
settled round. A follower then reads the journal again from its start, so it never keeps a record
that the disk lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cutcard.journal.file import (
    GENESIS,
    MOST_LINE,
    JournalDamagedError,
    Record,
    record_of,
    segments,
)


@dataclass(frozen=True, slots=True)
class RecordPosition:
    """The start of a record: a file of the journal, the offset in it, and the hash before it."""

    file: Path
    offset: int
    previous: str


class Follower:
    """A reader of one growing journal. `begun` counts how often it started again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.begun = 0
        self._files: list[Path] = []
        self._begin([path])

    def _begin(self, files: list[Path]) -> None:
        self.number, self.hash = 0, GENESIS
        self._files, self._at, self._offset = files, 0, 0
        self._size = -1

    def renewed(self) -> bool:
        """Return whether a new segment replaced the last one; then reading starts again."""
        files = segments(self.path)
        if files == self._files or not self.path.exists():
            return False
        self.begun += 1
        self._begin(files)
        return True

    def more(self, most: int) -> Iterator[tuple[Record, RecordPosition]]:
        """Yield up to `most` added records with their places. Raises JournalDamagedError."""
        taken = 0
        while taken < most:
            file = self._files[self._at]
            if not file.exists() or (self._is_last() and file.stat().st_size == self._size):
                return
            if file.stat().st_size < self._offset:
                raise JournalDamagedError(file, self.number, "was there and is gone: it was cut")
            for record, place in self._from(file):
                yield record, place
                taken += 1
                if taken >= most:
                    return
            if self._is_last():
                self._size = self._offset
                return
            self._next_file()

    def _is_last(self) -> bool:
        return self._at == len(self._files) - 1

    def _from(self, file: Path) -> Iterator[tuple[Record, RecordPosition]]:
        until = self._takes_over()
        with file.open("rb") as opened:
            opened.seek(self._offset)
            while until is None or self.number + 1 < until:
                line = opened.readline(MOST_LINE + 1)
                if len(line) > MOST_LINE:
                    raise JournalDamagedError(file, self.number + 1, "is longer than any record")
                if not line.endswith(b"\n"):
                    return
                place = RecordPosition(file, self._offset, self.hash)
                record = record_of(file, line, self.number + 1, self.hash)
                self._offset += len(line)
                self.number, self.hash = record.number, record.hash
                yield record, place

    def _takes_over(self) -> int | None:
        """Return the number of the first record of the next file."""
        if self._is_last():
            return None
        with self._files[self._at + 1].open("rb") as file:
            line = file.readline(MOST_LINE + 1)
        if not line.endswith(b"\n"):
            return None
        return record_of(self._files[self._at + 1], line, None, None).number

    def _next_file(self) -> None:
        self._at += 1
        self._offset, self._size = 0, -1


def records_from(place: RecordPosition, number: int, until: int) -> Iterator[Record]:
    """Yield the records from `number`, which begins at `place`, up to `until`."""
    previous, at = place.previous, number
    with place.file.open("rb") as file:
        file.seek(place.offset)
        while at <= until:
            line = file.readline(MOST_LINE + 1)
            if not line.endswith(b"\n"):
                return
            record = record_of(place.file, line, at, previous)
            previous, at = record.hash, at + 1
            yield record
