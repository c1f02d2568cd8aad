"""The ledger of the meters: append-only, double entry, each entry with the hash of the one before.

A `Turn` is one change under way. It has the database to itself, knows the time and the key that
it was asked for by, and moves money only by writing it down. Its first entry says what was asked
for, so that whoever has only the ledger can ask for it again and see whether the rules agree.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from cutcard.meters.database import Database
from cutcard.meters.errors import (
    ClockAgreesError,
    ClockImplausibleError,
    ClockRanAheadError,
    ClockWentBackwardsError,
    LedgerDamagedError,
    OtherRequestError,
    Rules,
)

GENESIS = "0" * 64
# A clock that is set right by so little is no matter; the ledger's time never goes back.
TOLERANCE = timedelta(seconds=2)
# A clock that is further ahead of the last entry is wrong, or nobody has played for that long:
# a person must say which.
LONGEST_SILENCE = timedelta(days=31)
EARLIEST, LATEST = datetime(2025, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
ASKED = "asked"  # in the detail of a change's first entry: what was asked for
CENTS = re.compile(r"-?[0-9]{1,1000}(/[0-9]{1,1000})?")
DAMAGED_HINT = (
    "Somebody has written into the database. `cutcard meter verify` says what else is wrong; "
    "put a copy back that holds."
)
COLUMNS = "number, at, reference, kind, source, target, cents, detail, rules, hash"

HOUSE, CHIPS = "house", "chips"  # chips: money that lies on tables or in pockets
Clock = Callable[[], datetime]


def meter_account(system: str, meter: str) -> str:
    return f"meter {system}/{meter}"


def manager_account(manager: str) -> str:
    return f"manager {manager}"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """An amount from one account to another, or a change that moves no money; with its rule."""

    number: int
    at: str
    reference: str
    kind: str
    source: str
    target: str
    cents: Fraction
    detail: dict[str, Any]
    rules: Rules
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The entries of one request. `repeated`: they had been recorded before."""

    reference: str
    entries: tuple[LedgerEntry, ...]
    repeated: bool

    def credited(self, box: int) -> int:
        """What a box was given, in cents: prize, odds, rounding, and its stake."""
        given = ("prize", "odds", "rounding", "stake-back")
        boxes = [e for e in self.entries if e.kind in given and e.detail.get("box") == box]
        return int(sum((entry.cents for entry in boxes), Fraction(0)))

    @property
    def metered(self) -> dict[str, Fraction]:
        """What the meters recorded at the time for settlement, in cents."""
        read: dict[str, str] = next(
            (e.detail["meters"] for e in self.entries if "meters" in e.detail), {}
        )
        return {meter: Fraction(cents) for meter, cents in read.items()}

    @property
    def rules(self) -> Rules:
        """Every rule that applied, in order."""
        return tuple(dict.fromkeys(rule for entry in self.entries for rule in entry.rules))


class Turn:
    """One change in progress; made by `taking_turn`."""

    def __init__(
        self,
        database: Database,
        reference: str,
        asked: Mapping[str, Any],
        at: str,
        head: LedgerEntry | None,
    ) -> None:
        self.database = database
        self.reference = reference
        self.asked = asked
        self.at = at
        self.entries: list[LedgerEntry] = []
        self._number = head.number if head else 0
        self._hash = head.hash if head else GENESIS

    def post(
        self, kind: str, source: str, target: str, cents: Fraction, rules: Rules, **detail: Any
    ) -> LedgerEntry:
        """Write an entry and move its money. The only thing that changes an account."""
        self._number += 1
        if not self.entries:
            detail = {**detail, ASKED: self.asked}
        entry = LedgerEntry(
            self._number,
            at=self.at,
            reference=self.reference,
            kind=kind,
            source=source,
            target=target,
            cents=cents,
            detail=detail,
            rules=rules,
        )
        self._hash = chained(entry, self._hash)
        entry = replace(entry, hash=self._hash)
        self.entries.append(entry)
        write(self.database, entry)
        if cents:
            move(self.database, source, -cents)
            move(self.database, target, cents)
        return entry


def move(database: Database, account: str, cents: Fraction) -> None:
    database.do(
        "INSERT INTO accounts (name, cents) VALUES (:name, :cents)"
        " ON CONFLICT (name) DO UPDATE SET cents = :cents",
        name=account,
        cents=str(balance(database, account) + cents),
    )


def balance(database: Database, account: str) -> Fraction:
    row = database.row("SELECT cents FROM accounts WHERE name = :name", name=account)
    return exact(row[0]) if row else Fraction(0)


def exact(text: str) -> Fraction:
    """An amount or a rate as the ledger writes it. Raises LedgerDamagedError for anything else."""
    try:
        if CENTS.fullmatch(text) is None:
            raise ValueError
        return Fraction(text)
    except (ArithmeticError, TypeError, ValueError):
        raise LedgerDamagedError(f"{str(text)[:40]!r} is no amount", DAMAGED_HINT) from None


def has_account(database: Database, account: str) -> bool:
    return bool(database.row("SELECT 1 FROM accounts WHERE name = :name", name=account))


def once(
    database: Database,
    clock: Clock,
    reference: str,
    request: dict[str, Any],
    change: Callable[[Turn], object],
    time: Callable[[datetime, LedgerEntry | None], str] | None = None,
) -> Receipt:
    """Make a change once, or answer with what was recorded when its key first came.

    The clock is read when the turn has come, not before: what is recorded later is later, and
    `time` says otherwise for the one change that sets the ledger's clock. Raises OtherRequestError
    where the key has been used for something else.
    """
    asked = json.dumps(request, sort_keys=True)
    with database.change():
        known = database.row(
            "SELECT request, first, last FROM operations WHERE reference = :key", key=reference
        )
        if known is not None:
            if known[0] != asked:
                raise OtherRequestError(
                    f"the key {reference!r} was recorded with {known[0]}, and now says {asked}",
                    "What is recorded stands; `cutcard meter history` shows it. Use a new key, or "
                    "another round or box, for a new request.",
                )
            recorded = tuple(entries(database, known[1], known[2]))
            if not recorded or any(entry.reference != reference for entry in recorded):
                raise LedgerDamagedError(
                    f"the key {reference!r} is said to be recorded where the ledger has it not",
                    DAMAGED_HINT,
                )
            return Receipt(reference, recorded, repeated=True)
        head = last_entry(database)
        at = (time or time_of_entry)(clock(), head)
        turn = Turn(database, reference, request, at, head)
        change(turn)
        note_operation(database, turn.entries[0], turn.entries[-1])
    return Receipt(reference, tuple(turn.entries), repeated=False)


def request_of(database: Database, reference: str) -> dict[str, Any]:
    """What was asked for under a key; nothing where it was not recorded."""
    known = database.row("SELECT request FROM operations WHERE reference = :key", key=reference)
    asked = json.loads(known[0]) if known is not None else None
    return asked if isinstance(asked, dict) else {}


def note_operation(database: Database, first: LedgerEntry, last: LedgerEntry) -> None:
    """Remember that a key was answered with the entries from `first` to `last`."""
    database.do(
        "INSERT INTO operations (reference, request, first, last)"
        " VALUES (:key, :asked, :first, :last) ON CONFLICT (reference) DO NOTHING",
        key=first.reference,
        asked=json.dumps(first.detail.get(ASKED), sort_keys=True),
        first=first.number,
        last=last.number,
    )


def entries(database: Database, first: int = 1, last: int | None = None) -> Iterator[LedgerEntry]:
    """Entries in their order. Raises LedgerDamagedError at the first line that is not ours."""
    rows = database.rows(
        f"SELECT {COLUMNS} FROM ledger WHERE number >= :first AND number <= :last ORDER BY number",
        first=first,
        last=last if last is not None else 2**62,
    )
    return map(_entry, rows)


def all_entries(database: Database) -> tuple[list[LedgerEntry], list[str]]:
    """Every line of the ledger, and what is wrong with those that are not entries."""
    read: list[LedgerEntry] = []
    problems: list[str] = []
    for row in database.rows(f"SELECT {COLUMNS} FROM ledger ORDER BY number"):
        try:
            read.append(_entry(row))
        except LedgerDamagedError as damaged:
            problems.append(damaged.problem)
    return read, problems


def last_entry(database: Database) -> LedgerEntry | None:
    row = database.row(f"SELECT {COLUMNS} FROM ledger ORDER BY number DESC LIMIT 1")
    return _entry(row) if row else None


def time_of_entry(now: datetime, head: LedgerEntry | None) -> str:
    """The time of an entry: now, never before the last one's, and not implausibly long after."""
    _check_plausible(now)
    at = _written(now)
    if head is None:
        return at
    last = datetime.fromisoformat(head.at)
    if now - last > LONGEST_SILENCE:
        raise ClockRanAheadError(
            f"the clock says {at}, and entry {head.number}, the last one, was recorded at "
            f"{head.at}: more than {LONGEST_SILENCE.days} days before",
            "Set the clock right and ask again with the same key. If it is right, nobody has "
            "played for so long: record that with `cutcard meter clock`, then ask again.",
        )
    if now >= last:
        return at
    if last - now > TOLERANCE:
        raise ClockWentBackwardsError(
            f"the clock says {at}, and entry {head.number} was recorded at {head.at}",
            "Set the clock right (of the host, or of the database's server) and ask again with "
            "the same key. If it is right and was wrong before: record that with "
            "`cutcard meter clock`, then ask again.",
        )
    return head.at


def time_set_anew(now: datetime, head: LedgerEntry | None) -> str:
    """The time of the entry that sets the ledger's clock, where the two disagree."""
    try:
        at = time_of_entry(now, head)
    except (ClockRanAheadError, ClockWentBackwardsError):
        return _written(now)
    raise ClockAgreesError(
        f"the clock says {at}, and the ledger takes that as it is",
        "There is nothing to set; go on.",
    )


def _check_plausible(now: datetime) -> None:
    if not EARLIEST <= now < LATEST:
        raise ClockImplausibleError(
            f"the clock says {now.isoformat()}, and no meter runs before {EARLIEST.year} or from "
            f"{LATEST.year} on",
            "Set the clock right (of the host, or of the database's server) and ask again with "
            "the same key.",
        )


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds")


def chained(entry: LedgerEntry, previous: str) -> str:
    """The hash of an entry that follows one with the hash `previous`."""
    line = [
        entry.number,
        entry.at,
        entry.reference,
        entry.kind,
        entry.source,
        entry.target,
        str(entry.cents),
        entry.detail,
        list(entry.rules),
        previous,
    ]
    return hashlib.sha256(json.dumps(line, sort_keys=True).encode()).hexdigest()


def write(database: Database, entry: LedgerEntry) -> None:
    cents, detail, rules = _texts(entry)
    database.do(
        f"INSERT INTO ledger ({COLUMNS}) VALUES"
        " (:number, :at, :reference, :kind, :source, :target, :cents, :detail, :rules, :hash)",
        number=entry.number,
        at=entry.at,
        reference=entry.reference,
        kind=entry.kind,
        source=entry.source,
        target=entry.target,
        cents=cents,
        detail=detail,
        rules=rules,
        hash=entry.hash,
    )


def _entry(row: tuple[Any, ...]) -> LedgerEntry:
    number, at, reference, kind, source, target, cents, detail, rules, hash_ = row
    try:
        if type(number) is not int or not all(isinstance(text, str) for text in row[1:]):
            raise ValueError("its number is no number, or its text no text")
        entry = LedgerEntry(
            number,
            at=at,
            reference=reference,
            kind=kind,
            source=source,
            target=target,
            cents=exact(cents),
            detail=json.loads(detail),
            rules=tuple(json.loads(rules)),
            hash=hash_,
        )
        if _texts(entry) != (cents, detail, rules) or not isinstance(entry.detail, dict):
            raise ValueError("its cents, detail or rules are not written as they are here")
        if datetime.fromisoformat(at).tzinfo is None:
            raise ValueError("its time is of no zone")
    except (LedgerDamagedError, RecursionError, TypeError, ValueError) as wrong:
        raise LedgerDamagedError(
            f"entry {str(number)[:20]} cannot be read ({str(wrong)[:80]})", DAMAGED_HINT
        ) from None
    return entry


def _texts(entry: LedgerEntry) -> tuple[str, str, str]:
    """What is kept as text: exact cents, and JSON in one way of writing it."""
    return (
        str(entry.cents),
        json.dumps(entry.detail, sort_keys=True),
        json.dumps(list(entry.rules)),
    )
