"""Prize meter systems and their present state: meters, tables of the group, rounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cutcard.engine.side_wagers.jackpots import Meter
from cutcard.meters.database import Database
from cutcard.meters.errors import Rules, UnknownSystemError, UnknownTableError
from cutcard.meters.ledger import HOUSE, Turn, balance, exact, manager_account, meter_account
from cutcard.meters.terms import SystemTerms, check_name, game, quoted
from cutcard.rulebooks.side_wagers.catalogue import SideWager


@dataclass(frozen=True, slots=True)
class System:
    """A prize meter system that is not closed."""

    name: str
    bet: str
    cost: int
    payable: int

    @property
    def side(self) -> SideWager:
        return game(self.bet)

    def rules(self, about: str) -> Rules:
        return self.side.meter_rules[about]

    @property
    def has_managers(self) -> bool:
        """Return whether players bet by Personal Bet Manager (21.3.2) and not with chips (24.6)."""
        return "credited" in self.side.meter_rules

    @property
    def meter_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(share.meter for share in self.side.meter_share.values()))


@dataclass(frozen=True, slots=True)
class Standing:
    """A meter's present value in exact cents; `required` is its minimum by 21.5.2 and 24.5.2."""

    name: str
    seed: Fraction
    rate: Fraction
    value: Fraction
    required: Fraction

    @property
    def meter(self) -> Meter:
        return Meter(self.value, self.seed)


def create(turn: Turn, name: str, terms: SystemTerms) -> None:
    """Create a system with its meters, each at its initial seed value."""
    check_name(name, "prize meter system")
    terms.check()
    turn.database.do(
        "INSERT INTO systems (name, bet, cost, payable, closed)"
        " VALUES (:name, :bet, :cost, :payable, 0)",
        name=name,
        bet=terms.bet,
        cost=terms.cost,
        payable=terms.payable,
    )
    rules = game(terms.bet).meter_rules["seed"]
    for meter, its in terms.meters.items():
        seed = Fraction(its.seed)
        turn.database.do(
            "INSERT INTO meters (system, name, seed, rate, required)"
            " VALUES (:system, :name, :seed, :rate, :seed)",
            system=name,
            name=meter,
            seed=str(seed),
            rate=str(its.rate),
        )
        turn.post("seed", HOUSE, meter_account(name, meter), seed, rules, rate=str(its.rate))


def find(database: Database, name: str) -> System:
    """Return the system of that name. Raises UnknownSystemError if it is missing or closed."""
    row = database.row(
        "SELECT name, bet, cost, payable, closed FROM systems WHERE name = :name", name=name
    )
    if row is None or row[4]:
        how = "has been closed" if row else "does not exist"
        raise UnknownSystemError(
            f"the prize meter system {quoted(name)} {how}",
            "`cutcard meter show` lists the existing ones.",
        )
    return System(*row[:4])


def of_table(database: Database, table: str) -> System:
    """Return the system that a table plays for. Raises UnknownTableError without one."""
    row = database.row("SELECT system FROM members WHERE table_name = :t", t=table)
    if row is None:
        raise UnknownTableError(
            f"table {quoted(table)} plays for no prize meter",
            "Display the sign with `cutcard meter notice join`, and join it twenty minutes later.",
        )
    return find(database, row[0])


def tables_of(database: Database, system: str) -> dict[str, str]:
    """Return the tables of the group, each with the time at which it joined."""
    rows = database.rows(
        "SELECT table_name, since FROM members WHERE system = :s ORDER BY table_name", s=system
    )
    return dict(rows)


def standing(database: Database, system: str, meter: str) -> Standing:
    row = database.row(
        "SELECT seed, rate, required FROM meters WHERE system = :system AND name = :name",
        system=system,
        name=meter,
    )
    assert row is not None, (system, meter)
    seed, rate, required = map(exact, row)
    return Standing(meter, seed, rate, balance(database, meter_account(system, meter)), required)


def require(turn: Turn, system: str, meter: str, cents: Fraction) -> None:
    """Require the meter to record at least this much from now on."""
    turn.database.do(
        "UPDATE meters SET required = :cents WHERE system = :system AND name = :name",
        cents=str(cents),
        system=system,
        name=meter,
    )


def open_rounds(database: Database, table: str) -> list[int]:
    """Return the rounds of a table with jackpot wagers without an outcome."""
    rows = database.rows(
        "SELECT DISTINCT round FROM wagers WHERE table_name = :t AND state = 'placed'"
        " ORDER BY round",
        t=table,
    )
    return [row[0] for row in rows]


def standing_systems(database: Database) -> list[tuple[System, list[Standing], list[str]]]:
    """Return every system that is not closed, with its meters and its tables."""
    rows = database.rows("SELECT name FROM systems WHERE closed = 0 ORDER BY name")
    found = []
    for (name,) in rows:
        system = find(database, name)
        meters = [standing(database, name, meter) for meter in system.meter_names]
        found.append((system, meters, list(tables_of(database, name))))
    return found


def managers(database: Database) -> dict[str, str]:
    """Return the balances of all Personal Bet Managers, in cents."""
    rows = database.rows("SELECT name, cents FROM accounts ORDER BY name")
    start = manager_account("")
    return {name.removeprefix(start): cents for name, cents in rows if name.startswith(start)}
