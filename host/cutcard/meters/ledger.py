"""The ledger of the meters: append-only, double entry, each entry with the previous one's hash.

A `Turn` is one change in progress. It has exclusive access to the database, knows the time and the
key of its request, and moves money only by recording it. Its first entry contains the request, so
that a check with only the ledger can repeat it and compare the result with the rules.
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
# Smaller corrections of the clock are ignored; the ledger's time never goes back.
TOLERANCE = timedelta(seconds=2)
# A larger gap after the last entry means a wrong clock or a long time without play: a person must
# decide.
LONGEST_SILENCE = timedelta(days=31)
EARLIEST, LATEST = datetime(2025, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
ASKED = "asked"  # in the detail of a change's first entry: the request
CENTS = re.compile(r"-?[0-9]{1,1000}(/[0-9]{1,1000})?")
DAMAGED_HINT = (
    "The database was changed from outside. `cutcard meter verify` lists all problems; "
    "restore a copy that passes it."
)
COLUMNS = "number, at, reference, kind, source, target, cents, detail, rules, hash"

HOUSE, CHIPS = "house", "chips"  # chips: money on tables or in pockets
Clock = Callable[[], datetime]


def meter_account(system: str, meter: str) -> str:
    return f"meter {system}/{meter}"


def manager_account(manager: str) -> str:
    return f"manager {manager}"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """An amount from one account to another, or a change that moves no money; with its rules."""

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
    """The entries of one request. `repeated`: they were recorded by an earlier request."""

    reference: str
    entries: tuple[LedgerEntry, ...]
    repeated: bool

    def credited(self, box: int) -> int:
        """Return the cents credited to a box: prize, odds, rounding, and its stake."""
        given = ("prize", "odds", "rounding", "stake-back")
        boxes = [e for e in self.entries if e.kind in given and e.detail.get("box") == box]
        return int(sum((entry.cents for entry in boxes), Fraction(0)))

    @property
    def metered(self) -> dict[str, Fraction]:
        """Return the values of the meters at the time of settlement, in cents."""
        read: dict[str, str] = next(
            (e.detail["meters"] for e in self.entries if "meters" in e.detail), {}
        )
        return {meter: Fraction(cents) for meter, cents in read.items()}

    @property
    def rules(self) -> Rules:
        """Return every rule that applied, in order."""
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
        """Write an entry and move its money. No other function changes an account."""
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
    """Parse an amount or a rate in the ledger's form. Raises LedgerDamagedError otherwise."""
    try:
        if CENTS.fullmatch(text) is None:
            raise ValueError
        return Fraction(text)
    except (ArithmeticError, TypeError, ValueError):
        raise LedgerDamagedError(f"{str(text)[:40]!r} is not an amount", DAMAGED_HINT) from None


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
    """Make a change once, or return the earlier receipt of its key.

    The clock is read after the lock is taken, so that later entries have later times; `time`
    differs only for the change that sets the ledger's clock. Raises OtherRequestError if the key
    was used for another request.
    """
    asked = json.dumps(request, sort_keys=True)
    with database.change():
        known = database.row(
            "SELECT request, first, last FROM operations WHERE reference = :key", key=reference
        )
        if known is not None:
            if known[0] != asked:
                raise OtherRequestError(
                    f"the key {reference!r} was recorded with {known[0]}, and now comes with "
                    f"{asked}",
                    "The recorded request stands; `cutcard meter history` shows it. Use a new key, "
                    "or another round or box, for a new request.",
                )
            recorded = tuple(entries(database, known[1], known[2]))
            if not recorded or any(entry.reference != reference for entry in recorded):
                raise LedgerDamagedError(
                    f"the key {reference!r} refers to entries that the ledger does not have",
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
    """Return the request of a key; empty if it was not recorded."""
    known = database.row("SELECT request FROM operations WHERE reference = :key", key=reference)
    asked = json.loads(known[0]) if known is not None else None
    return asked if isinstance(asked, dict) else {}


def note_operation(database: Database, first: LedgerEntry, last: LedgerEntry) -> None:
    """Record that a key was answered with the entries from `first` to `last`."""
    database.do(
        "INSERT INTO operations (reference, request, first, last)"
        " VALUES (:key, :asked, :first, :last) ON CONFLICT (reference) DO NOTHING",
        key=first.reference,
        asked=json.dumps(first.detail.get(ASKED), sort_keys=True),
        first=first.number,
        last=last.number,
    )


def entries(database: Database, first: int = 1, last: int | None = None) -> Iterator[LedgerEntry]:
    """Yield entries in order. Raises LedgerDamagedError at the first invalid line."""
    rows = database.rows(
        f"SELECT {COLUMNS} FROM ledger WHERE number >= :first AND number <= :last ORDER BY number",
        first=first,
        last=last if last is not None else 2**62,
    )
    return map(_entry, rows)


def all_entries(database: Database) -> tuple[list[LedgerEntry], list[str]]:
    """Return every entry of the ledger, and the problems of invalid lines."""
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
    """Return the time of an entry: now, never before the last one, not implausibly late."""
    _check_plausible(now)
    at = _written(now)
    if head is None:
        return at
    last = datetime.fromisoformat(head.at)
    if now - last > LONGEST_SILENCE:
        raise ClockRanAheadError(
            f"the clock shows {at}, but the last entry, {head.number}, was recorded at "
            f"{head.at}: more than {LONGEST_SILENCE.days} days before",
            "Correct the clock and repeat the request with the same key. If it is right, record "
            "the long time without play with `cutcard meter clock`, then repeat the request.",
        )
    if now >= last:
        return at
    if last - now > TOLERANCE:
        raise ClockWentBackwardsError(
            f"the clock shows {at}, but entry {head.number} was recorded at {head.at}",
            "Correct the clock (of the host, or of the database's server) and repeat the request "
            "with the same key. If it is right and was wrong before, record that with "
            "`cutcard meter clock`, then repeat the request.",
        )
    return head.at


def time_set_anew(now: datetime, head: LedgerEntry | None) -> str:
    """Return the time of the entry that sets the ledger's clock, if the two differ."""
    try:
        at = time_of_entry(now, head)
    except (ClockRanAheadError, ClockWentBackwardsError):
        return _written(now)
    raise ClockAgreesError(
        f"the clock shows {at}, which the ledger accepts",
        "The clock need not be set; continue.",
    )


def _check_plausible(now: datetime) -> None:
    if not EARLIEST <= now < LATEST:
        raise ClockImplausibleError(
            f"the clock shows {now.isoformat()}, but meters only run from {EARLIEST.year} until "
            f"before {LATEST.year}",
            "Correct the clock (of the host, or of the database's server) and repeat the request "
            "with the same key.",
        )


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds")


def chained(entry: LedgerEntry, previous: str) -> str:
    """Return the hash of an entry, given the hash of the previous one."""
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
            raise ValueError("its number or a text has a wrong type")
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
            raise ValueError("its cents, detail or rules are not in the canonical form")
        if datetime.fromisoformat(at).tzinfo is None:
            raise ValueError("its time has no time zone")
    except (LedgerDamagedError, RecursionError, TypeError, ValueError) as wrong:
        raise LedgerDamagedError(
            f"entry {str(number)[:20]} cannot be read ({str(wrong)[:80]})", DAMAGED_HINT
        ) from None
    return entry


def _texts(entry: LedgerEntry) -> tuple[str, str, str]:
    """Return the fields stored as text: exact cents, and JSON in a canonical form."""
    return (
        str(entry.cents),
        json.dumps(entry.detail, sort_keys=True),
        json.dumps(list(entry.rules)),
    )
