"""Everything recomputed from the ledger, and compared with what the tables of the database say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from cutcard.engine.side_wagers.jackpots import Meter, shared_prize
from cutcard.meters.database import Database
from cutcard.meters.ledger import GENESIS, Entry, broken_at, entries, meter_account
from cutcard.meters.systems import System

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


def check(database: Database, holds: str = "") -> Check:
    """`holds` is NUMBER:HASH of an entry that somebody noted: the ledger must still have it."""
    ledger = list(entries(database))
    broken = broken_at(ledger)
    problems = [] if broken is None else [f"entry {broken} does not follow from the one before it"]
    if holds and holds not in (f"{entry.number}:{entry.hash}" for entry in ledger):
        problems.append(f"the ledger has no entry {holds}: it is not the one that was noted")
    book = _Book(database)
    accounts: dict[str, Fraction] = defaultdict(Fraction)
    for operation in _operations(ledger):
        problems += _not_as_ruled(book, operation)
        for entry in operation:
            accounts[entry.source] -= entry.cents
            accounts[entry.target] += entry.cents
            _count(book.meters, entry)
        for name, sums in book.meters.items():
            problems += _below_rule(name, sums, operation[-1])
    problems += [f"{name} does not add up" for name, s in book.meters.items() if not s.adds_up]
    problems += _differences(database, book.meters, accounts)
    problems += _doubles(database, ledger)
    head = ledger[-1].hash if ledger else GENESIS
    return Check(len(ledger), head, book.meters, tuple(problems))


class _Book:
    """The meters as far as they have been counted, and the terms that they run on."""

    def __init__(self, database: Database) -> None:
        self.meters: dict[str, MeterSums] = {}
        self.rates = {
            meter_account(system, name): Fraction(rate)
            for system, name, rate in database.rows("SELECT system, name, rate FROM meters")
        }
        self.systems = {
            name: System(name, bet, cost, payable)
            for name, bet, cost, payable in database.rows(
                "SELECT name, bet, cost, payable FROM systems"
            )
        }

    def system_of(self, account: str) -> System:
        """The system of a meter, by the meter's account."""
        return self.systems[account.removeprefix("meter ").partition("/")[0]]


def _not_as_ruled(book: _Book, operation: list[Entry]) -> Iterator[str]:
    """Increments that are not the rate of their wager, prizes that are not what the meter gives."""
    wagers = [entry for entry in operation if entry.kind == "wager"]
    grown = {entry.target: entry.cents for entry in operation if entry.kind == "increment"}
    for wager in wagers:
        systems = {book.system_of(account).name for account in grown}
        due = {
            account: rate * wager.cents
            for account, rate in book.rates.items()
            if book.system_of(account).name in systems
        }
        if not grown or grown != due:
            yield f"the wager of entry {wager.number} has not made its meters grow by their rate"
    won: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in operation:
        if entry.kind == "prize":
            won[entry.source, entry.detail["hand"]].append(entry)
    values = {account: book.meters[account].value for account, _ in won}
    for (account, hand), prizes in won.items():
        system = book.system_of(account)
        meter = Meter(values[account], book.meters[account].seed)
        share = system.side.meter_share[hand].share
        each, after = shared_prize(meter, share, len(prizes), system.payable)
        values[account] = after.value
        for prize in prizes:
            if prize.cents != each:
                yield f"entry {prize.number} paid {prize.cents} cents, and the meter gave {each}"


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


def _below_rule(name: str, sums: MeterSums, last: Entry) -> Iterator[str]:
    above = sums.value - max(sums.required, sums.seed)
    sums.lowest = above if sums.lowest is None else min(sums.lowest, above)
    if above < 0:
        yield (
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
        made = meters.get(meter_account(system, meter), MeterSums()).required
        if made != Fraction(required):
            problems.append(
                f"{meter_account(system, meter)} must record {required} cents, "
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
