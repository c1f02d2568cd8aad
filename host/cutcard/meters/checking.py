"""Recomputing every meter and balance from only the ledger, and comparing the results."""

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
# The kinds of entries that add to a meter, and the kinds that take from it.
COMES, LEAVES = ("seed", "increment", "reset"), ("prize", "closed")
# The tables next to the ledger, with their columns: the key columns before the bar.
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
    """The sums of one meter's entries; `lowest` is the smallest margin over 21.5.2 and 21.5.3."""

    seed: Fraction = Fraction(0)
    value: Fraction = Fraction(0)
    required: Fraction = Fraction(0)
    lowest: Fraction | None = None
    by_kind: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))

    @property
    def adds_up(self) -> bool:
        """Return whether seeds and increments equal the value plus payments and transfers."""
        came = sum((self.by_kind[kind] for kind in (*COMES, "moved-in")), Fraction(0))
        left = sum((self.by_kind[kind] for kind in (*LEAVES, "moved-out")), Fraction(0))
        return came == self.value + left


@dataclass(frozen=True, slots=True)
class LedgerCheck:
    """The result of `cutcard meter verify`; without `problems`, every check passed.

    `notes` are for the reader to judge: each setting of the ledger's clock with its reason, and
    entries for which this version would cite other rules.
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
    """Check the entire ledger; `holds` is the NUMBER:HASH of an entry that it must still have.

    `on_progress` is called with the number of checked entries and the total, every `PROGRESS_EVERY`
    entries.
    """
    ledger, problems = all_entries(database)
    if holds and holds not in (f"{entry.number}:{entry.hash}" for entry in ledger):
        problems.append(f"the ledger has no entry {holds}: it is another ledger, or was changed")
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
        problems += [
            f"{name} does not equal the sum of its entries"
            for name, s in meters.items()
            if not s.adds_up
        ]
        for table, columns in KEPT.items():
            problems += _beside(database, replay.database, table, columns)
    problems += [f"the database has an unknown {found}" for found in database.strangers()]
    problems += [f"the database file is damaged: {said}" for said in database.damage()]
    head = ledger[-1].hash if ledger else GENESIS
    notes = [*_clock_notes(ledger), *_citation_notes(replay.cites_otherwise)]
    return LedgerCheck(len(ledger), head, meters, tuple(problems), tuple(notes))


def _operations(ledger: list[LedgerEntry]) -> Iterator[list[LedgerEntry]]:
    """Yield the entries of each change; no reader can see the database between them."""
    together: list[LedgerEntry] = []
    for entry in ledger:
        if together and entry.reference != together[0].reference:
            yield together
            together = []
        together.append(entry)
    if together:
        yield together


def _count(meters: dict[str, MeterSums], entry: LedgerEntry) -> None:
    """Apply an entry to the sums of its meters, and to the values that 21.5.2 requires."""
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
            f"{-above} less than required [21.5.2, 21.5.3]"
        )


def _beside(kept: Database, replayed: Database, table: str, layout: str) -> Iterator[str]:
    """Yield rows of other tables that differ from those recomputed from the ledger."""
    key, rest = (part.split() for part in layout.split(" | "))
    here, twice = _by_key(kept, table, key, rest)
    there, _ = _by_key(replayed, table, key, rest)
    for row in twice:
        yield f"{table} {'/'.join(map(str, row))} is stored twice"
    for row in sorted(here.keys() | there.keys(), key=repr):
        named = f"{table} {'/'.join(map(str, row))}"
        if row not in there:
            yield f"{named} is stored, but does not follow from the ledger"
        elif row not in here:
            yield f"{named} is missing; it follows from the ledger"
        else:
            for column, says, made in zip(rest, here[row], there[row], strict=True):
                if says != made:
                    yield f"{named} has the {column} {says}; by the ledger it is {made}"


def _by_key(
    database: Database, table: str, key: list[str], rest: list[str]
) -> tuple[dict[tuple[object, ...], tuple[object, ...]], list[tuple[object, ...]]]:
    """Return the rows of a table by their keys, and the keys of duplicate rows."""
    rows = database.rows(f"SELECT {', '.join(key + rest)} FROM {table}")
    counts = Counter(row[: len(key)] for row in rows)
    twice = [row for row, count in counts.items() if count > 1]
    return {row[: len(key)]: row[len(key) :] for row in rows}, twice


def _clock_notes(ledger: list[LedgerEntry]) -> Iterator[str]:
    """Yield each setting of the ledger's clock, and the earlier changes made by the wrong time."""
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
                f"entry {entry.number}: entries {', '.join(early)} were made by the wrong clock; "
                "ask whether the sign had been displayed for twenty minutes"
            )


def _citation_notes(entries: list[int]) -> Iterator[str]:
    if entries:
        yield (
            f"{len(entries)} entries cite other rules than this version of cutcard would; the "
            f"first is {entries[0]}: they are unchanged, and their effect follows the rules"
        )
