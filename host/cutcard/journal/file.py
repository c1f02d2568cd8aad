"""The journal file: one line for each record, with the hash of the line before it.

A line that was changed, removed or put in later breaks the chain at its place. The last line may be
torn by a power cut: it was never confirmed to anybody. Anything else that does not hold is damage,
and nothing is written to a damaged journal.

A program that ended without saying so may have left lines that only look written: a disk that
failed keeps quiet about them from then on. So the next one copies everything since the last settled
round into a new segment (`table.journal.2`), which takes over from there, and writes on in that.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from cutcard import private_files, untrusted
from cutcard.journal.disk import Disk

FORMAT = 2
GENESIS = "0" * 64
MOST_LINE = untrusted.MEBIBYTE
SETTLED = (
    "settled"  # a round is over: what comes after it can be understood without what was before
)
CLOSED = "closed"  # the program ended in order: everything before it is on the disk
BLOCK = 1 << 16


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


class JournalNewer(Exception):
    """Raised for a journal that a newer cutcard has written; it is left as it is."""

    def __init__(self, path: Path, line: int, version: object) -> None:
        super().__init__(
            f"{path}: line {line} is of format {untrusted.shown(version)}, and this cutcard reads "
            f"up to {FORMAT}. Use the cutcard that wrote it, or a newer one; it was left as it is."
        )


class JournalFailed(Exception):
    """Raised when a record could not be put on the disk, and for every later one: end the program.

    Nothing that was to follow from the record may happen. The next program that opens the journal
    copies what may not have reached the disk.
    """


@dataclass(frozen=True, slots=True)
class Record:
    """`kind` says what happened, `data` the rest; `hash` is that of its line.

    Records of format 1 have neither a time nor a table. `device` is there where it is about one:
    its serial number, its firmware's version and, where it told something, the event's number.
    """

    number: int
    kind: str
    data: dict[str, Any]
    hash: str
    time: str = ""
    table: str = ""
    device: Mapping[str, Any] = field(default_factory=dict)


def now() -> str:
    """The time of a record: UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _line(record: Record, previous: str) -> bytes:
    body = {
        "n": record.number,
        "v": FORMAT,
        "time": record.time,
        "table": record.table,
        "kind": record.kind,
        "data": record.data,
        **({"device": record.device} if record.device else {}),
        "previous": previous,
    }
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def record_of(path: Path, line: bytes, number: int | None, previous: str | None) -> Record:
    """The record of a line. `number` and `previous` are not compared where they are not known."""
    at = number or 1
    try:
        body = untrusted.json_from(line)
        digest = hashlib.sha256(line).hexdigest()
        version, said = body.get("v", 1), body["previous"]
        if type(version) is int and version > FORMAT:
            raise JournalNewer(path, at, version)
        time, table, device = body.get("time", ""), body.get("table", ""), body.get("device", {})
        record = Record(
            number=body["n"],
            kind=body["kind"],
            data=body["data"],
            hash=digest,
            time=time,
            table=table,
            device=device,
        )
    except untrusted.BadContent as error:
        raise JournalDamaged(path, at, f"is not a record: {error}") from None
    except (AttributeError, KeyError, TypeError):
        raise JournalDamaged(path, at, "is not a record") from None
    typed = ((record.kind, str), (record.data, dict), (time, str), (table, str), (device, dict))
    if not all(isinstance(value, kind) for value, kind in typed):
        raise JournalDamaged(path, at, "is not a record")
    if type(record.number) is not int or record.number != (number or record.number):
        problem = f"has the number {untrusted.shown(record.number)}"
        raise JournalDamaged(path, at, problem)
    if previous is not None and said != previous:
        raise JournalDamaged(path, at, "does not follow from the line before it")
    return record


def _lines(path: Path, file: BinaryIO, number: int) -> Iterator[bytes]:
    """Each whole line. Stops before a last line without its end."""
    for at, line in enumerate(iter(lambda: file.readline(MOST_LINE + 1), b""), start=number):
        if len(line) > MOST_LINE:
            raise JournalDamaged(path, at, "is longer than any record")
        if not line.endswith(b"\n"):
            return
        yield line


@contextmanager
def understood(path: Path, record: Record) -> Iterator[None]:
    """Take a record's data apart. Raises JournalDamaged where it is not what its kind has: a chain
    of hashes holds over whatever somebody writes into it."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        kind = untrusted.shown(record.kind)
        raise JournalDamaged(path, record.number, f"is not what a record '{kind}' is") from None


# Segments


def segments(path: Path) -> list[Path]:
    """The files of a journal, in their order; the first has its name."""
    found = [path]
    while (further := path.with_name(f"{path.name}.{len(found) + 1}")).exists():
        found.append(further)
    return found


def _first_number(path: Path) -> int | None:
    """The number of the first record of a segment; None where no record of it is whole."""
    with path.open("rb") as file:
        line = next(_lines(path, file, 1), None)
    return None if line is None else record_of(path, line, None, None).number


def read(path: Path) -> Iterator[Record]:
    """The records of a journal in their order. Raises JournalDamaged where the chain breaks.

    Where a segment takes over, what the one before it has beyond that place must be the same.
    """
    files = [(file, _first_number(file)) for file in segments(path)]
    files = [(file, first) for file, first in files[:1]] + [each for each in files[1:] if each[1]]
    previous, number = GENESIS, 1
    beyond: dict[int, str] = {}
    for index, (name, _) in enumerate(files):
        until = files[index + 1][1] if index + 1 < len(files) else None
        with name.open("rb") as file:
            for line in _lines(name, file, number):
                if until is not None and number >= until:
                    beyond.update(_copied(line))
                    continue
                record = record_of(name, line, number, previous)
                if beyond.pop(number, record.hash) != record.hash:
                    raise JournalDamaged(name, number, "is not what it was in the file before")
                previous, number = record.hash, number + 1
                yield record
        if until is not None and until != number:
            raise JournalDamaged(files[index + 1][0], until, "does not follow from the file before")


def _copied(line: bytes) -> dict[int, str]:
    """A line that a later segment has, too. What a failed disk made of it is no record."""
    try:
        record = record_of(Path(), line, None, None)
    except (JournalDamaged, JournalNewer):
        return {}
    return {record.number: record.hash}


def unfinished(path: Path) -> int:
    """Bytes behind the last whole line: of a record that a power cut tore, or put there later."""
    return len(_unfinished(segments(path)[-1]))


def _unfinished(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - MOST_LINE))
        end = file.read()
    return end[end.rfind(b"\n") + 1 :]


def _since_settled(path: Path, last: Path) -> tuple[list[bytes], list[Record]]:
    """The lines since the last settled round with that round's own record, or all of them.

    Read from the end of the last file, so that it costs the same after many rounds as after few.
    """
    mark = f'"kind":"{SETTLED}"'.encode()
    with last.open("rb") as file:
        start = file.seek(0, os.SEEK_END)
        tail = b""
        while start and mark not in tail:
            step = min(BLOCK, start)
            start = file.seek(start - step)
            tail = file.read(step) + tail
        while start and b"\n" not in tail[: tail.rfind(mark)]:
            step = min(BLOCK, start)
            start = file.seek(start - step)
            tail = file.read(step) + tail
    lines = [line for line in tail.splitlines(keepends=True) if line.endswith(b"\n")]
    lines = lines if start == 0 else lines[1:]
    settled = [at for at, line in enumerate(lines) if mark in line and _is_settled(last, line)]
    if not settled:
        lines, chained = _whole(path, last), True
    else:
        lines, chained = lines[settled[-1] :], False
    records: list[Record] = []
    for line in lines:
        number = records[-1].number + 1 if records else (1 if chained and path == last else None)
        previous = records[-1].hash if records else (GENESIS if chained and path == last else None)
        records.append(record_of(last, line, number, previous))
    return lines, records


def _is_settled(path: Path, line: bytes) -> bool:
    try:
        return record_of(path, line, None, None).kind == SETTLED
    except JournalDamaged:
        return False


def _whole(path: Path, last: Path) -> list[bytes]:
    with last.open("rb") as file:
        return list(_lines(path, file, 1))


def is_in_use(path: Path) -> bool:
    """Whether a program has this journal open for writing now."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


class Journal:
    """A journal open for writing, as a context manager. One program writes at a time.

    `tail` are the records since the last settled round, that round's own among them.
    """

    def __init__(
        self,
        path: Path,
        table: str = "",
        clock: Callable[[], str] = now,
        disk: Disk | None = None,
    ) -> None:
        self.path = path
        self.table = table or path.stem
        self.failed: OSError | None = None
        self._clock = clock
        self._disk = disk or Disk()
        is_new = not path.exists()
        self._lock = private_files.open_record(path)
        self._file = self._lock
        try:
            self._claim()
            self._go_to_end(is_new)
        except BaseException:
            self.close()
            raise

    def _claim(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise JournalInUse(
                f"{self.path}: another program is writing it. End that one, or use another file."
            ) from None

    def _go_to_end(self, is_new: bool) -> None:
        files = segments(self.path)
        while len(files) > 1 and _first_number(files[-1]) is None:
            files.pop()  # a copy that was never finished; nobody has gone on from it
        lines, self.tail = _since_settled(self.path, files[-1])
        torn = _unfinished(files[-1])
        self.number = self.tail[-1].number if self.tail else 0
        self.hash = self.tail[-1].hash if self.tail else GENESIS
        if is_new:
            self._guarded(lambda: self._disk.sync_folder(self.path.parent))
        if self.tail and self.tail[-1].kind == CLOSED and not torn:
            if len(files) > 1:
                self._file = private_files.open_record(files[-1])
            os.lseek(self._file, 0, os.SEEK_END)
        elif lines or torn:
            self._take_over(self.path.with_name(f"{self.path.name}.{len(files) + 1}"), lines, torn)

    def _take_over(self, segment: Path, lines: list[bytes], torn: bytes) -> None:
        """Write everything since the last settled round anew, where the disk must say that it has
        it. The name appears when the content is there; what was torn is kept in a record."""
        growing = segment.with_name(f"{segment.name}.new")
        self._file = os.open(growing, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        if lines:
            self._put(b"".join(lines))
        if torn:
            self.append("torn", {"bytes": len(torn), "hex": torn.hex()})
        growing.replace(segment)
        self._guarded(lambda: self._disk.sync_folder(segment.parent))

    def append(
        self, kind: str, data: dict[str, Any], device: Mapping[str, Any] | None = None
    ) -> Record:
        """Write one record. When this returns, it is on the disk. Raises JournalFailed."""
        if self.failed is not None:
            raise self._why_not()
        unhashed = Record(
            number=self.number + 1,
            kind=kind,
            data=data,
            hash="",
            time=self._clock(),
            table=self.table,
            device=device or {},
        )
        line = _line(unhashed, self.hash)
        self._put(line)
        self.number += 1
        self.hash = hashlib.sha256(line).hexdigest()
        return Record(
            number=self.number,
            kind=kind,
            data=data,
            hash=self.hash,
            time=unhashed.time,
            table=self.table,
            device=unhashed.device,
        )

    def _put(self, data: bytes) -> None:
        def write() -> None:
            at = 0
            while at < len(data):
                at += self._disk.write(self._file, data[at:])
            self._disk.sync(self._file)

        self._guarded(write)

    def _guarded(self, work: Callable[[], None]) -> None:
        """After the first failure nothing is tried again: nobody knows what the disk has."""
        try:
            work()
        except OSError as error:
            self.failed = error
            raise self._why_not() from error

    def _why_not(self) -> JournalFailed:
        return JournalFailed(
            f"{self.path}: record {self.number + 1} could not be put on the disk "
            f"({self.failed}). Nothing that follows from it has happened. See to the disk, then "
            "start the table again: it goes on from what is on the disk."
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._file != self._lock:
            os.close(self._file)
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
