"""Everything recomputed from the ledger, and compared with what the tables of the database say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from cutcard.meters.database import Database
from cutcard.meters.ledger import GENESIS, Entry, broken_at, entries

# What comes onto a meter, and what leaves it, by the kind of entry.
COMES, LEAVES = ("seed", "increment", "reset"), ("prize", "closed")


@dataclass
class MeterSums:
    """One meter as its entries make it; `lowest` is the least by which it met 21.5.2 and 21.5.3."""

    seed: Fraction = Fraction(0)
    value: Fraction = Fraction(0)
    required: Fraction = Fraction(0)
    lowest: Fraction | None = None
    by_kind: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))

    @property
    def adds_up(self) -> bool:
        """Seeds and increments are its value, what was paid, and what was moved on."""
        came = sum((self.by_kind[kind] for kind in (*COMES, "moved-in")), Fraction(0))
        left = sum((self.by_kind[kind] for kind in (*LEAVES, "moved-out")), Fraction(0))
        return came == self.value + left


@dataclass(frozen=True, slots=True)
class Check:
    """What `cutcard meter verify` found; nothing in `problems` means that all of it holds."""

    entries: int
    head: str
    meters: dict[str, MeterSums]
    problems: tuple[str, ...]


def check(database: Database) -> Check:
    ledger = list(entries(database))
    meters, accounts, problems = _recomputed(ledger)
    problems += _differences(database, meters, accounts)
    problems += _doubles(database, ledger)
    head = ledger[-1].hash if ledger else GENESIS
    return Check(len(ledger), head, meters, tuple(problems))


def _recomputed(
    ledger: list[Entry],
) -> tuple[dict[str, MeterSums], dict[str, Fraction], list[str]]:
    meters: dict[str, MeterSums] = {}
    accounts: dict[str, Fraction] = defaultdict(Fraction)
    broken = broken_at(ledger)
    problems = [] if broken is None else [f"entry {broken} does not follow from the one before it"]
    for operation in _operations(ledger):
        for entry in operation:
            accounts[entry.source] -= entry.cents
            accounts[entry.target] += entry.cents
            _count(meters, entry)
        for name, sums in meters.items():
            _compare_with_rule(name, sums, operation[-1], problems)
    problems += [f"{name} does not add up" for name, sums in meters.items() if not sums.adds_up]
    return meters, accounts, problems


def _operations(ledger: list[Entry]) -> Iterator[list[Entry]]:
    """What was recorded together: between its entries nobody can look."""
    together: list[Entry] = []
    for entry in ledger:
        if together and entry.reference != together[0].reference:
            yield together
            together = []
        together.append(entry)
    if together:
        yield together


def _count(meters: dict[str, MeterSums], entry: Entry) -> None:
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


def _compare_with_rule(name: str, sums: MeterSums, last: Entry, problems: list[str]) -> None:
    above = sums.value - max(sums.required, sums.seed)
    sums.lowest = above if sums.lowest is None else min(sums.lowest, above)
    if above < 0:
        problems.append(
            f"after entry {last.number} {name} recorded {sums.value} cents, "
            f"{-above} less than it must [21.5.2, 21.5.3]"
        )


def _differences(
    database: Database, meters: dict[str, MeterSums], accounts: dict[str, Fraction]
) -> list[str]:
    """Balances and floors that the database keeps beside the ledger, where they are not its."""
    kept = {name: Fraction(cents) for name, cents in database.rows("SELECT * FROM accounts")}
    moved = {name: cents for name, cents in accounts.items() if cents or name in kept}
    problems = [
        f"{name} holds {kept.get(name, 0)} cents, and the ledger makes it {moved.get(name, 0)}"
        for name in sorted(kept.keys() | moved.keys())
        if kept.get(name) != moved.get(name)
    ]
    for system, meter, required in database.rows("SELECT system, name, required FROM meters"):
        made = meters.get(f"meter {system}/{meter}", MeterSums()).required
        if made != Fraction(required):
            problems.append(
                f"meter {system}/{meter} must record {required} cents, "
                f"and the ledger makes it {made} [21.5.2]"
            )
    return problems


def _doubles(database: Database, ledger: list[Entry]) -> list[str]:
    """Wagers counted twice, prizes paid twice, prizes that the ledger and the list disagree on."""
    wagers: dict[tuple[str, int, int], int] = defaultdict(int)
    prizes: dict[tuple[str, int, int], Fraction] = defaultdict(Fraction)
    for entry in ledger:
        if "box" not in entry.detail:
            continue
        where = (entry.detail["table"], entry.detail["round"], entry.detail["box"])
        wagers[where] += entry.kind == "wager"
        if entry.kind in ("prize", "odds", "rounding"):
            prizes[where] += entry.cents
    problems = [
        f"box {box} of round {round} at table {table} has {count} wagers"
        for (table, round, box), count in wagers.items()
        if count != 1
    ]
    listed: dict[tuple[str, int, int], Fraction] = defaultdict(Fraction)
    for table, round, box, cents in database.rows(
        "SELECT table_name, round, box, cents FROM prizes"
    ):
        listed[table, round, box] += cents
    problems += [
        f"box {box} of round {round} at table {table} was paid {prizes[table, round, box]} cents, "
        f"and its prizes are {listed[table, round, box]}"
        for table, round, box in sorted(prizes.keys() | listed.keys())
        if prizes[table, round, box] != listed[table, round, box]
    ]
    return problems
