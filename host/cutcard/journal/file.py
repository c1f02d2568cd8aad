"""The journal file: one line for each record, with the hash of the line before it.

A line that was changed, removed or put in later breaks the chain at its place. The last
line may be torn by a power cut: it was never confirmed to anybody, so opening the journal
for writing drops it and says so in a record of its own. Anything else that does not hold
is damage, and nothing is written to a damaged journal.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from cutcard import private_files, untrusted

GENESIS = "0" * 64
MOST_LINE = untrusted.MEBIBYTE


class JournalDamaged(Exception):
    """Raised when a journal's chain of hashes does not hold. Says at which line."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(
            f"{path}: line {line}: {problem}. Records before it still hold; keep the file as it "
            "is for whoever investigates, and start a new journal."
        )
        self.path = path
        self.line = line
        self.problem = problem


class JournalInUse(Exception):
    """Raised when another program has the journal open for writing."""


@dataclass(frozen=True, slots=True)
class Record:
    """`kind` says what happened, `data` the rest; `hash` is that of its line."""

    number: int
    kind: str
    data: dict[str, Any]
    hash: str


def _line(number: int, kind: str, data: dict[str, Any], previous: str) -> bytes:
    body = {"n": number, "kind": kind, "data": data, "previous": previous}
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _record(path: Path, line: bytes, number: int, previous: str) -> Record:
    try:
        body = untrusted.json_from(line)
        record = Record(body["n"], body["kind"], body["data"], hashlib.sha256(line).hexdigest())
        said = body["previous"]
    except untrusted.BadContent as error:
        raise JournalDamaged(path, number, f"is not a record: {error}") from None
    except (KeyError, TypeError):
        raise JournalDamaged(path, number, "is not a record") from None
    if not isinstance(record.kind, str) or not isinstance(record.data, dict):
        raise JournalDamaged(path, number, "is not a record")
    if type(record.number) is not int or record.number != number:
        problem = f"has the number {untrusted.shown(record.number)}"
        raise JournalDamaged(path, number, problem)
    if said != previous:
        raise JournalDamaged(path, number, "does not follow from the line before it")
    return record


def _scan(path: Path, file: BinaryIO) -> Iterator[tuple[Record, int]]:
    """Each whole record and where it ends. Stops before a last line without its end."""
    previous, end = GENESIS, 0
    lines = iter(lambda: file.readline(MOST_LINE + 1), b"")
    for number, line in enumerate(lines, start=1):
        if len(line) > MOST_LINE:
            raise JournalDamaged(path, number, "is longer than any record")
        if not line.endswith(b"\n"):
            return
        record = _record(path, line, number, previous)
        previous, end = record.hash, end + len(line)
        yield record, end


def read(path: Path) -> Iterator[Record]:
    """The records of a journal in their order. Raises JournalDamaged where the chain breaks."""
    with path.open("rb") as file:
        for record, _ in _scan(path, file):
            yield record


def unfinished(path: Path) -> int:
    """Bytes behind the last whole line: of a record that a power cut tore, or put there later."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - MOST_LINE))
        end = file.read()
    return len(end) - (end.rfind(b"\n") + 1)


class Journal:
    """A journal open for writing, as a context manager. One program writes at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = private_files.open_record(path)
        try:
            self._claim()
            self._go_to_end()
        except BaseException:
            os.close(self._file)
            raise

    def _claim(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise JournalInUse(
                f"{self.path}: another program is writing it. End that one, or use another file."
            ) from None

    def _go_to_end(self) -> None:
        self.number, self.hash, end = 0, GENESIS, 0
        with self.path.open("rb") as file:
            for record, record_end in _scan(self.path, file):
                self.number, self.hash, end = record.number, record.hash, record_end
        size = os.fstat(self._file).st_size
        os.lseek(self._file, end, os.SEEK_SET)
        if size > end:
            os.ftruncate(self._file, end)
            self.append("torn", {"bytes": size - end})

    def append(self, kind: str, data: dict[str, Any]) -> Record:
        """Write one record. When this returns, it is on the disk."""
        line = _line(self.number + 1, kind, data, self.hash)
        at = 0
        while at < len(line):
            at += os.write(self._file, line[at:])
        os.fsync(self._file)
        self.number += 1
        self.hash = hashlib.sha256(line).hexdigest()
        return Record(self.number, kind, data, self.hash)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
