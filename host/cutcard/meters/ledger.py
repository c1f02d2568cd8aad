"""The ledger of the meters: append-only, double entry, each entry with the hash of the one before.

A `Turn` is one change under way. It has the database to itself, knows the time and the key that
it was asked for by, and moves money only by writing it down.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from cutcard.meters.database import Database
from cutcard.meters.errors import ClockWentBackwards, OtherRequest, Rules

GENESIS = "0" * 64
# A clock that is set right by so little is no matter; the ledger's time never goes back.
TOLERANCE = timedelta(seconds=2)

HOUSE, CHIPS = "house", "chips"  # chips: money that lies on tables or in pockets
Clock = Callable[[], datetime]


def meter_account(system: str, meter: str) -> str:
    return f"meter {system}/{meter}"


def manager_account(manager: str) -> str:
    return f"manager {manager}"


@dataclass(frozen=True, slots=True)
class Entry:
    """So many cents from one account to another, or a change that moves none; and by which rule."""

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
    """What was recorded for one key. `repeated`: it had been recorded before, and only then."""

    reference: str
    entries: tuple[Entry, ...]
    repeated: bool

    def credited(self, box: int) -> int:
        """Cents that a box was given: prize, odds, rounding, and its stake."""
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
        """Every rule that it was done under, in the order they applied."""
        return tuple(dict.fromkeys(rule for entry in self.entries for rule in entry.rules))


class Turn:
    """One change under way; made by `taking_turn`."""

    def __init__(self, database: Database, reference: str, at: str, head: Entry | None) -> None:
        self.database = database
        self.reference = reference
        self.at = at
        self.entries: list[Entry] = []
        self._number = head.number if head else 0
        self._hash = head.hash if head else GENESIS

    def post(
        self, kind: str, source: str, target: str, cents: Fraction, rules: Rules, **detail: Any
    ) -> Entry:
        """Write an entry and move its money. The only thing that changes an account."""
        self._number += 1
        entry = Entry(
            self._number, self.at, self.reference, kind, source, target, cents, detail, rules
        )
        self._hash = _hash(entry, self._hash)
        entry = replace(entry, hash=self._hash)
        self.entries.append(entry)
        _write(self.database, entry)
        if cents:
            self._move(source, -cents)
            self._move(target, cents)
        return entry

    def _move(self, account: str, cents: Fraction) -> None:
        self.database.do(
            "INSERT INTO accounts (name, cents) VALUES (:name, :cents)"
            " ON CONFLICT (name) DO UPDATE SET cents = :cents",
            name=account,
            cents=str(balance(self.database, account) + cents),
        )


def balance(database: Database, account: str) -> Fraction:
    row = database.row("SELECT cents FROM accounts WHERE name = :name", name=account)
    return Fraction(row[0]) if row else Fraction(0)


def has_account(database: Database, account: str) -> bool:
    return bool(database.row("SELECT 1 FROM accounts WHERE name = :name", name=account))


def once(
    database: Database,
    clock: Clock,
    reference: str,
    request: dict[str, Any],
    change: Callable[[Turn], object],
) -> Receipt:
    """Carry a change out, or answer with what was recorded when its key came the first time.

    The clock is read when the turn has come, not before: what is recorded later is later.
    Raises OtherRequest where the key has been used for something else.
    """
    asked = json.dumps(request, sort_keys=True)
    with database.change():
        known = database.row(
            "SELECT request, first, last FROM operations WHERE reference = :key", key=reference
        )
        if known is not None:
            if known[0] != asked:
                raise OtherRequest(
                    f"the key {reference!r} was recorded with {known[0]}, and now says {asked}",
                    "What is recorded stands; `cutcard meter history` shows it. Use a new key, or "
                    "another round or box, for a new request.",
                )
            return Receipt(reference, tuple(entries(database, known[1], known[2])), repeated=True)
        head = last_entry(database)
        turn = Turn(database, reference, _time(clock(), head), head)
        change(turn)
        first, last = turn.entries[0].number, turn.entries[-1].number
        database.do(
            "INSERT INTO operations (reference, request, first, last)"
            " VALUES (:key, :asked, :first, :last)",
            key=reference,
            asked=asked,
            first=first,
            last=last,
        )
    return Receipt(reference, tuple(turn.entries), repeated=False)


def entries(database: Database, first: int = 1, last: int | None = None) -> Iterator[Entry]:
    rows = database.rows(
        "SELECT number, at, reference, kind, source, target, cents, detail, rules, hash"
        " FROM ledger WHERE number >= :first AND number <= :last ORDER BY number",
        first=first,
        last=last if last is not None else 2**62,
    )
    return map(_entry, rows)


def last_entry(database: Database) -> Entry | None:
    row = database.row("SELECT max(number) FROM ledger")
    number = row[0] if row else None
    return next(entries(database, number, number)) if number else None


def broken_at(chain: Iterable[Entry]) -> int | None:
    """The first entry that does not follow from the one before it; None where all do."""
    previous = GENESIS
    for number, entry in enumerate(chain, start=1):
        if entry.number != number or entry.hash != _hash(entry, previous):
            return number
        previous = entry.hash
    return None


def _time(now: datetime, head: Entry | None) -> str:
    """The time of the entry: now, and never before the last one's."""
    at = now.astimezone(UTC).isoformat(timespec="milliseconds")
    if head is None or at >= head.at:
        return at
    if datetime.fromisoformat(head.at) - now > TOLERANCE:
        raise ClockWentBackwards(
            f"the clock says {at}, and entry {head.number} was recorded at {head.at}",
            "Set the clock right (of the host, or of the database's server) and ask again with "
            "the same key.",
        )
    return head.at


def _hash(entry: Entry, previous: str) -> str:
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


def _write(database: Database, entry: Entry) -> None:
    database.do(
        "INSERT INTO ledger"
        " (number, at, reference, kind, source, target, cents, detail, rules, hash) VALUES"
        " (:number, :at, :reference, :kind, :source, :target, :cents, :detail, :rules, :hash)",
        number=entry.number,
        at=entry.at,
        reference=entry.reference,
        kind=entry.kind,
        source=entry.source,
        target=entry.target,
        cents=str(entry.cents),
        detail=json.dumps(entry.detail, sort_keys=True),
        rules=json.dumps(entry.rules),
        hash=entry.hash,
    )


def _entry(row: tuple[Any, ...]) -> Entry:
    number, at, reference, kind, source, target, cents, detail, rules, hash_ = row
    return Entry(
        number,
        at,
        reference,
        kind,
        source,
        target,
        Fraction(cents),
        json.loads(detail),
        tuple(json.loads(rules)),
        hash_,
    )
