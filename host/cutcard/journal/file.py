"""The journal file: one line for each record, with the hash of the line before it.

A changed, removed or inserted line breaks the chain at its place. A power cut may leave the last
line incomplete; it was never confirmed. Every other broken line is damage, and a damaged journal
is never written to.

A program that did not close its journal may have left lines that did not reach the disk: after a
failed write the disk may report no further error. So the next program copies all records since the
last settled round into a new segment (`table.journal.2`), which replaces them, and continues there.

In a signed journal each line ends with the signature of the table's key over the rest of the line.
A write is one line, so a program that was killed leaves no unsigned line. A table refuses to resume
from a line that its key did not sign.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from cutcard import private_files, untrusted
from cutcard.journal.disk import Disk
from cutcard.journal.table_key import TableKey, is_signed
from cutcard.transparency import Leaves, leaf_hash

FORMAT = 5
EACH_SIGNED = 3  # the first format in which each record is signed
GENESIS = "0" * 64
MOST_LINE = untrusted.MEBIBYTE
SETTLED = "settled"  # a round is over: later records can be read without the earlier ones
TORN = "torn"  # bytes of an incomplete record
SIGNED = "signed"  # up to format 2: the signature of the settled round before it
TREE = "tree"  # the table's Merkle tree before this record
CLOSED = "closed"  # the program ended in order: everything before it is on the disk
BLOCK = 1 << 16
_SIGNATURE = b',"signature":"'
_END = b'"}\n'
_HEX = 128  # digits of a signature


class JournalDamagedError(Exception):
    """Raised when a journal's chain of hashes is broken; the message has the line."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(
            f"{path}: line {line}: {problem}. The records before it are valid. Keep the file "
            "unchanged for the investigation, and start a new journal."
        )
        self.path = path
        self.line = line
        self.problem = problem


class JournalInUseError(Exception):
    """Raised when another program has the journal open for writing."""


class JournalNewerError(Exception):
    """Raised for a journal of a newer cutcard, which is not changed."""

    def __init__(self, path: Path, line: int, version: object) -> None:
        super().__init__(
            f"{path}: line {line} is of format {untrusted.shown(version)}, and this cutcard reads "
            f"up to {FORMAT}. Use the version of cutcard that wrote it, or a later one. The file "
            "was not changed."
        )


class JournalFailedError(Exception):
    """Raised when a record could not be written, and for every later record: end the program.

    The program must not act on the record. The next program that opens the journal copies the
    records that may not have reached the disk.
    """


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a journal: `kind` names the event, `data` has its values; `hash` is of the line.

    Records of format 1 have no time and no table. `device` identifies the device of the record: its
    serial number, its firmware's version and, for an event that it sent, the event's number.
    Records of format 3 can have a `signature`; `unsigned` is the line without it. A signed
    record is a leaf of its table's Merkle tree, and `leaf` is the hash of that.
    """

    number: int
    kind: str
    data: dict[str, Any]
    hash: str
    time: str = ""
    table: str = ""
    device: Mapping[str, Any] = field(default_factory=dict)
    version: int = FORMAT
    signature: str = ""
    unsigned: bytes = b""
    leaf: bytes = b""

    def is_signed_by(self, public: str) -> bool:
        """Return whether the table's key with this public half signed this record."""
        return bool(self.signature) and is_signed(
            public, _signed_message(hashlib.sha256(self.unsigned).hexdigest()), self.signature
        )


def grown(tree: Leaves | None, record: Record) -> Leaves | None:
    """Return the tree of a table with this record in it.

    Raises ValueError or another error of the JSON parser if the tree has another form.
    """
    if record.kind == TREE and record.leaf:
        tree = Leaves.from_json(record.data)
    if tree is not None and record.leaf:
        tree.add(record.leaf)
    return tree


def now() -> str:
    """Return the time for a record: UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _signed_message(body: str) -> bytes:
    return f"cutcard journal record\n{body}\n".encode("ascii")


def _line(record: Record, previous: str, key: TableKey | None) -> bytes:
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
    line = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    if key is None:
        return line
    signature = key.sign(_signed_message(hashlib.sha256(line).hexdigest()))
    return line[:-2] + _SIGNATURE + signature.encode("ascii") + _END


def _without_signature(line: bytes, signature: str) -> bytes:
    """Return the line without its signature. Raises ValueError if it has another form."""
    end = _SIGNATURE + signature.encode() + _END
    if len(signature) != _HEX or not line.endswith(end):
        raise ValueError("the signature is not at the end of the line")
    return line[: -len(end)] + b"}\n"


def record_of(path: Path, line: bytes, number: int | None, previous: str | None) -> Record:
    """Return the record of a line. `number` and `previous` are compared unless they are None."""
    at = number or 1
    try:
        body = untrusted.json_from(line)
        digest = hashlib.sha256(line).hexdigest()
        version, said = body.get("v", 1), body["previous"]
        if type(version) is int and version > FORMAT:
            raise JournalNewerError(path, at, version)
        time, table, device = body.get("time", ""), body.get("table", ""), body.get("device", {})
        signature = body.get("signature", "")
        unsigned = _without_signature(line, signature) if signature else b""
        record = Record(
            number=body["n"],
            kind=body["kind"],
            data=body["data"],
            hash=digest,
            time=time,
            table=table,
            device=device,
            version=version,
            signature=signature,
            unsigned=unsigned,
            leaf=leaf_hash(line) if signature else b"",
        )
    except untrusted.BadContentError as error:
        raise JournalDamagedError(path, at, f"is not a record: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise JournalDamagedError(path, at, "is not a record") from None
    if not (
        isinstance(record.kind, str)
        and isinstance(record.data, dict)
        and isinstance(time, str)
        and isinstance(table, str)
        and isinstance(device, dict)
    ):
        raise JournalDamagedError(path, at, "is not a record")
    if type(record.number) is not int or record.number != (number or record.number):
        problem = f"has the number {untrusted.shown(record.number)}"
        raise JournalDamagedError(path, at, problem)
    if previous is not None and said != previous:
        raise JournalDamagedError(path, at, "does not follow from the line before it")
    return record


def _lines(path: Path, file: BinaryIO, number: int) -> Iterator[bytes]:
    """Yield each complete line; stop before a last line without a line end."""
    for at, line in enumerate(iter(lambda: file.readline(MOST_LINE + 1), b""), start=number):
        if len(line) > MOST_LINE:
            raise JournalDamagedError(path, at, "is longer than any record")
        if not line.endswith(b"\n"):
            return
        yield line


@contextmanager
def understood(path: Path, record: Record) -> Iterator[None]:
    """Raise JournalDamagedError if reading a record's data in this context fails.

    A chain of hashes does not prove that the data of a record has the form of its kind.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        kind = untrusted.shown(record.kind)
        raise JournalDamagedError(
            path, record.number, f"does not have the form of a record '{kind}'"
        ) from None


# Segments


def segments(path: Path) -> list[Path]:
    """Return the files of a journal in order; the first has the journal's name."""
    found = [path]
    while (further := path.with_name(f"{path.name}.{len(found) + 1}")).exists():
        found.append(further)
    return found


def _first_number(path: Path) -> int | None:
    """Return the number of the first record of a segment; None without a complete record."""
    with path.open("rb") as file:
        line = next(_lines(path, file, 1), None)
    return None if line is None else record_of(path, line, None, None).number


def read(path: Path) -> Iterator[Record]:
    """Yield the records of a journal in order. Raises JournalDamagedError if the chain is broken.

    The lines of a segment that the next segment repeats must be the same.
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
                before = beyond.pop(number, record.hash)
                if before != record.hash and not _preserves_torn_line(record, before):
                    raise JournalDamagedError(
                        name, number, "differs from the same record in the file before"
                    )
                previous, number = record.hash, number + 1
                yield record
        if until is not None and until != number:
            raise JournalDamagedError(
                files[index + 1][0], until, "does not follow from the file before"
            )


def _copied(line: bytes) -> dict[int, str]:
    """Return number and hash of a line that a later segment repeats; empty if it is spoiled."""
    try:
        record = record_of(Path(), line, None, None)
    except (JournalDamagedError, JournalNewerError):
        return {}
    return {record.number: record.hash}


def _preserves_torn_line(record: Record, digest: str) -> bool:
    """Return whether this record preserves an unfinished line with this hash."""
    try:
        line, end, _ = bytes.fromhex(record.data["hex"]).partition(b"\n")
    except (KeyError, TypeError, ValueError):
        return False
    return record.kind == TORN and hashlib.sha256(line + end).hexdigest() == digest


def unfinished(path: Path) -> int:
    """Return the bytes after the last complete line: an incomplete record, or added later."""
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
    lines = _end(last)
    settled = (at for at, line in enumerate(lines) if _is(SETTLED, last, line))
    at = max(settled, default=None)
    begins = at is None and path == last
    if at is None:
        lines, at = _whole(path, last), 0
    records: list[Record] = []
    for line in lines[at:]:
        number = records[-1].number + 1 if records else (1 if begins else None)
        previous = records[-1].hash if records else (GENESIS if begins else None)
        records.append(record_of(last, line, number, previous))
    return lines[at:], records


def _end(last: Path) -> list[bytes]:
    """Return the complete lines at the end of a file, from before the last settled round on."""
    with last.open("rb") as file:
        start = file.seek(0, os.SEEK_END)
        tail, begin = b"", -1
        while start and (begin < 0 or b"\n" not in tail[:begin]):
            step = min(BLOCK, start)
            start = file.seek(start - step)
            tail = file.read(step) + tail
            begin = tail.rfind(_mark(SETTLED))
    lines = [line for line in tail.splitlines(keepends=True) if line.endswith(b"\n")]
    return lines if start == 0 else lines[1:]


def _mark(kind: str) -> bytes:
    return f'"kind":"{kind}"'.encode()


def _is(kind: str, path: Path, line: bytes) -> bool:
    try:
        return _mark(kind) in line and record_of(path, line, None, None).kind == kind
    except JournalDamagedError:
        return False


def _whole(path: Path, last: Path) -> list[bytes]:
    with last.open("rb") as file:
        return list(_lines(path, file, 1))


def is_in_use(path: Path) -> bool:
    """Return whether a program has this journal open for writing."""
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

    `tail` are the records since the last settled round, that round's own among them. With a `key`
    every record is signed, and opening raises JournalDamagedError if the tail has a record that
    this key did not sign. `tree` has a leaf for each signed record of the table; None if the
    journal is not signed, or its last settled round stored no tree.
    """

    def __init__(
        self,
        path: Path,
        table: str = "",
        clock: Callable[[], str] = now,
        disk: Disk | None = None,
        key: TableKey | None = None,
    ) -> None:
        self.path = path
        self.key = key
        self.table = table or path.stem
        self.failed: OSError | None = None
        self.on_leaf: Callable[[bytes], None] = lambda leaf: None  # called after each append
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
            raise JournalInUseError(
                f"{self.path}: another program is writing it. End that one, or use another file."
            ) from None

    def _go_to_end(self, is_new: bool) -> None:
        files = segments(self.path)
        while len(files) > 1 and _first_number(files[-1]) is None:
            files.pop()  # an incomplete copy, which no program has continued
        lines, self.tail = _since_settled(self.path, files[-1])
        torn = _unfinished(files[-1])
        self._refuse_unsigned(files[-1])
        self.tree = self._last_tree()
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

    def _refuse_unsigned(self, last: Path) -> None:
        """Check the tail before a record is appended.

        A signature covers all records before it. Without this check the table would sign records
        that somebody else wrote.
        """
        for record in self.tail:
            if problem := self._unsigned(record):
                raise JournalDamagedError(last, record.number, problem)

    def _last_tree(self) -> Leaves | None:
        """Return the tree after the last record, grown from the tree in the last settled round."""
        if self.key is None:
            return None
        tree: Leaves | None = None if self.tail and self.tail[0].number > 1 else Leaves()
        for at, record in enumerate(self.tail):
            with understood(self.path, record):
                if at == 0 and "tree" in record.data.get("state", ()):
                    tree = Leaves.from_json(record.data["state"]["tree"])
                tree = grown(tree, record)
        return tree

    def _unsigned(self, record: Record) -> str:
        """Return the reason why this table must not resume from the record, or an empty text."""
        if self.key is None:
            return "is signed, and this table has no key" if record.signature else ""
        if record.is_signed_by(self.key.public):
            return ""
        if record.version < EACH_SIGNED:
            return f"has format {record.version}, which has no signature of each record"
        said = untrusted.shown(f"{record.kind} {json.dumps(record.data, ensure_ascii=False)}")
        by = f"this table's key {self.key.public[:16]}"
        return f"is not signed by {by}: another program wrote or changed it. The record: {said}"

    def _take_over(self, segment: Path, lines: list[bytes], torn: bytes) -> None:
        """Copy all records since the last settled round into a new segment, and sync it.

        The segment gets its name when its content is on the disk. A record keeps the bytes of an
        incomplete line.
        """
        growing = segment.with_name(f"{segment.name}.new")
        self._file = os.open(growing, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        if lines:
            self._put(b"".join(lines))
        if torn:
            self.append(TORN, {"bytes": len(torn), "hex": torn.hex()})
        growing.replace(segment)
        self._guarded(lambda: self._disk.sync_folder(segment.parent))

    def append(
        self,
        kind: str,
        data: dict[str, Any],
        device: Mapping[str, Any] | None = None,
    ) -> Record:
        """Write one record. When this returns, it is on the disk. Raises JournalFailedError."""
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
        line = _line(unhashed, self.hash, self.key)
        self._put(line)
        leaf = b"" if self.key is None else leaf_hash(line)
        record = replace(unhashed, hash=hashlib.sha256(line).hexdigest(), leaf=leaf)
        self.number, self.hash = record.number, record.hash
        self.tree = grown(self.tree, record)
        self.on_leaf(leaf)
        return record

    def _put(self, data: bytes) -> None:
        def write() -> None:
            at = 0
            while at < len(data):
                at += self._disk.write(self._file, data[at:])
            self._disk.sync(self._file)

        self._guarded(write)

    def _guarded(self, work: Callable[[], None]) -> None:
        """Refuse all writes after the first failure, because the content of the disk is unknown."""
        try:
            work()
        except OSError as error:
            self.failed = error
            raise self._why_not() from error

    def _why_not(self) -> JournalFailedError:
        return JournalFailedError(
            f"{self.path}: record {self.number + 1} could not be written to the disk "
            f"({self.failed}). The table did not act on it. Repair the disk, then start the "
            "table again: it resumes from the records on the disk."
        )

    def close(self) -> None:
        """Close the file."""
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
