"""Recomputes every meter and balance from the ledger alone, and compares."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction

from cutcard.meters.database import Database
from cutcard.meters.groups import CLOCK
from cutcard.meters.ledger import GENESIS, LedgerEntry, all_entries
from cutcard.meters.replaying import Replay

PROGRESS_EVERY = 2000
# What comes onto a meter, and what leaves it, by the kind of entry.
COMES, LEAVES = ("seed", "increment", "reset"), ("prize", "closed")
# What is kept beside the ledger: each table's columns, its key first, up to the bar.
KEPT = {
    "operations": "reference | request first last",
    "accounts": "name | cents",
    "systems": "name | bet cost payable closed",
    "meters": "system name | seed rate required",
    "members": "table_name | system since",
    "notices": "sign | number kind table_name system target at done",
    "wagers": "table_name round box | system owner cents stake_back state",
    "prizes": "table_name round box by | hand cents",
}


@dataclass
class MeterSums:
    """The sums of one meter's entries; `lowest` is the least by which it met 21.5.2 and 21.5.3."""

    seed: Fraction = Fraction(0)
    value: Fraction = Fraction(0)
    required: Fraction = Fraction(0)
    lowest: Fraction | None = None
    by_kind: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))

    @property
    def adds_up(self) -> bool:
        """Whether seeds and increments equal its value, what was paid, and what was moved on."""
        came = sum((self.by_kind[kind] for kind in (*COMES, "moved-in")), Fraction(0))
        left = sum((self.by_kind[kind] for kind in (*LEAVES, "moved-out")), Fraction(0))
        return came == self.value + left


@dataclass(frozen=True, slots=True)
class LedgerCheck:
    """The result of `cutcard meter verify`; no `problems` means that everything holds.

    `notes` are for whoever reads it to judge: each time that the ledger's clock was set, and why;
    whether this version would cite other rules.
    """

    entries: int
    head: str
    meters: dict[str, MeterSums]
    problems: tuple[str, ...]
    notes: tuple[str, ...]


def check(
    database: Database,
    holds: str = "",
    on_progress: Callable[[int, int], None] = lambda done, all: None,
) -> LedgerCheck:
    """Check the whole ledger; `holds` is the NUMBER:HASH of an entry that it must still have.

    `on_progress` gets the number of entries checked and their total, each `PROGRESS_EVERY` entries.
    """
    ledger, problems = all_entries(database)
    if holds and holds not in (f"{entry.number}:{entry.hash}" for entry in ledger):
        problems.append(f"the ledger has no entry {holds}: it is not the one that was noted")
    meters: dict[str, MeterSums] = {}
    done = 0
    with closing(Replay()) as replay:
        for operation in _operations(ledger):
            problems += replay.take(operation)
            for entry in operation:
                _count(meters, entry)
            done += len(operation)
            if done // PROGRESS_EVERY > (done - len(operation)) // PROGRESS_EVERY:
                on_progress(done, len(ledger))
            for name, sums in meters.items():
                problems += _below_rule(name, sums, operation[-1])
        problems += [f"{name} does not add up" for name, s in meters.items() if not s.adds_up]
        for table, columns in KEPT.items():
            problems += _beside(database, replay.database, table, columns)
    problems += [f"the database has a {found}: it is not ours" for found in database.strangers()]
    problems += [f"the file does not hold together: {said}" for said in database.damage()]
    head = ledger[-1].hash if ledger else GENESIS
    notes = [*_clock_notes(ledger), *_citation_notes(replay.cites_otherwise)]
    return LedgerCheck(len(ledger), head, meters, tuple(problems), tuple(notes))


def _operations(ledger: list[LedgerEntry]) -> Iterator[list[LedgerEntry]]:
    """What was recorded together: between its entries nobody can look."""
    together: list[LedgerEntry] = []
    for entry in ledger:
        if together and entry.reference != together[0].reference:
            yield together
            together = []
        together.append(entry)
    if together:
        yield together


def _count(meters: dict[str, MeterSums], entry: LedgerEntry) -> None:
    """What an entry does to the meters, and to what 21.5.2 requires of them."""
    if entry.source.startswith("meter "):
        sums = meters.setdefault(entry.source, MeterSums())
        sums.value -= entry.cents
        sums.by_kind["moved-out" if entry.kind == "moved" else entry.kind] += entry.cents
        if entry.kind == "prize":
            sums.required -= entry.cents
        if entry.kind == "closed":
            sums.required, sums.seed = Fraction(0), Fraction(0)
    if entry.target.startswith("meter "):
        sums = meters.setdefault(entry.target, MeterSums())
        sums.value += entry.cents
        sums.by_kind["moved-in" if entry.kind == "moved" else entry.kind] += entry.cents
        if entry.kind == "seed":
            sums.seed = sums.required = entry.cents
        if entry.kind == "increment":
            sums.required += entry.cents
        if entry.kind == "reset":
            sums.required = sums.seed


def _below_rule(name: str, sums: MeterSums, last: LedgerEntry) -> Iterator[str]:
    above = sums.value - max(sums.required, sums.seed)
    sums.lowest = above if sums.lowest is None else min(sums.lowest, above)
    if above < 0:
        yield (
            f"after entry {last.number} {name} recorded {sums.value} cents, "
            f"{-above} less than it must [21.5.2, 21.5.3]"
        )


def _beside(kept: Database, replayed: Database, table: str, layout: str) -> Iterator[str]:
    """Rows beside the ledger that are not what the ledger makes of them."""
    key, rest = (part.split() for part in layout.split(" | "))
    here, twice = _by_key(kept, table, key, rest)
    there, _ = _by_key(replayed, table, key, rest)
    for row in twice:
        yield f"{table} {'/'.join(map(str, row))} is kept twice"
    for row in sorted(here.keys() | there.keys(), key=repr):
        named = f"{table} {'/'.join(map(str, row))}"
        if row not in there:
            yield f"{named} is kept, and nothing in the ledger makes it"
        elif row not in here:
            yield f"{named} is not kept, and the ledger makes it"
        else:
            for column, says, made in zip(rest, here[row], there[row], strict=True):
                if says != made:
                    yield f"{named} has the {column} {says}, and the ledger makes it {made}"


def _by_key(
    database: Database, table: str, key: list[str], rest: list[str]
) -> tuple[dict[tuple[object, ...], tuple[object, ...]], list[tuple[object, ...]]]:
    """The rows of a table, and the keys of those that are there more than once."""
    rows = database.rows(f"SELECT {', '.join(key + rest)} FROM {table}")
    counts = Counter(row[: len(key)] for row in rows)
    twice = [row for row, count in counts.items() if count > 1]
    return {row[: len(key)]: row[len(key) :] for row in rows}, twice


def _clock_notes(ledger: list[LedgerEntry]) -> Iterator[str]:
    """Each time that the ledger's clock was set, and what was done before by the wrong time."""
    for place, entry in enumerate(ledger):
        if entry.kind != CLOCK:
            continue
        yield (
            f"entry {entry.number}: the clock was set from {entry.detail.get('before')} to "
            f"{entry.at}, because: {entry.detail.get('reason')}"
        )
        early = [
            str(earlier.number)
            for earlier in ledger[:place]
            if earlier.reference.startswith("carry out ") and earlier.at > entry.at
        ]
        if early:
            yield (
                f"entry {entry.number}: what entries {', '.join(early)} did was done by the clock "
                "that was wrong; ask whether the sign had been there for twenty minutes"
            )


def _citation_notes(entries: list[int]) -> Iterator[str]:
    if entries:
        yield (
            f"{len(entries)} entries cite other rules than this version of cutcard does, the first "
            f"is {entries[0]}: they are as they were recorded, and do what the rules say"
        )
