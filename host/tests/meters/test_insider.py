"""Attacks by a person that can write to the database: `check` detects each.

An attack is a list of steps: SQL that bypasses the program, and requests to the program in between.
The ledger must be enough to prove the attack.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from fractions import Fraction

import pytest

from cutcard.meters import Meters, ledger
from cutcard.meters.checking import check
from cutcard.meters.database import Database
from cutcard.meters.errors import LedgerDamagedError
from cutcard.meters.groups import SignChange
from cutcard.meters.ledger import CHIPS, HOUSE, Turn
from cutcard.meters.systems import System
from tests.meters.evening import OPENING, PLAY, SPADES, TENTH, Clockwork

Step = str | Callable[[Meters], object]
CITY = "meter city/blackjack-jackpots"
PLACED = (
    "INSERT INTO wagers (table_name, round, box, system, owner, cents, stake_back, state)"
    " VALUES ('T1', 3, 1, 'city', 'manager ben', 500, 0, 'placed')"
)


def post(
    reference: str,
    kind: str,
    source: str,
    target: str,
    cents: int,
    after: timedelta = timedelta(seconds=1),
    asked: dict[str, object] | None = None,
) -> Callable[[Meters], object]:
    """Return an entry without a request, in its place in the chain, with its money moved."""

    def forge(meters: Meters) -> None:
        database = meters.database
        with database.change():
            head = ledger.last_entry(database)
            at = (meters.clock() + after).isoformat(timespec="milliseconds")
            turn = Turn(database, reference, asked or {}, at, head)
            turn.post(kind, source, target, Fraction(cents), ())

    return forge


def owner(whose: str) -> str:
    return f"UPDATE wagers SET owner = 'manager {whose}' WHERE table_name = 'T1' AND round = 3"


def account(name: str, cents: str) -> str:
    return f"UPDATE accounts SET cents = '{cents}' WHERE name = '{name}'"


def wait(meters: Meters) -> None:
    assert isinstance(meters.clock, Clockwork)
    meters.clock.now += timedelta(minutes=20)


def wager(m: Meters) -> object:
    return m.wager("T1", 3, 1, "ben")


ATTACKS: dict[str, tuple[list[Step], str]] = {
    "a balance raised, cashed out, set back": (
        [
            account("manager ben", "999900"),
            lambda m: m.cash_out("ben", "x", 900_000),
            account("manager ben", "102005"),
        ],
        "has $1,020.05, not $9,000",
    ),
    "a balance raised, all of it cashed out": (
        [account("manager ben", "999900"), lambda m: m.cash_out("ben", "x")],
        "has the cents 999900; by the rules it is 102005",
    ),
    "a balance raised for a wager, and set back": (
        [
            lambda m: m.cash_out("ben", "all"),
            account("manager ben", "500"),
            wager,
            account("manager ben", "0"),
        ],
        "has $0, but the wager costs $5",
    ),
    "a Personal Bet Manager made up, cashed out, struck again": (
        [
            "INSERT INTO accounts (name, cents) VALUES ('manager eve', '5000')",
            lambda m: m.cash_out("eve", "x"),
            "DELETE FROM accounts WHERE name = 'manager eve'",
        ],
        "Personal Bet Manager 'eve' does not exist",
    ),
    "a sign backdated, carried out, dated right again": (
        [
            "UPDATE notices SET at = '2026-11-16T18:00:00.000+00:00' WHERE sign = '4'",
            lambda m: m.carry_out("4"),
            "UPDATE notices SET at = (SELECT at FROM ledger WHERE reference = 'notice 4')"
            " WHERE sign = '4'",
        ],
        "has been displayed since 2026-11-16T20:20:28",
    ),
    "a sign that never was": (
        [
            "INSERT INTO notices (sign, number, kind, table_name, system, target, at, done)"
            " VALUES ('9', 1, 'join', 'T9', 'city', '', '2026-11-16T18:00:00.000+00:00', 0)",
            lambda m: m.carry_out("9"),
            "DELETE FROM notices WHERE sign = '9'",
        ],
        "sign '9' does not exist",
    ),
    "a sign's date in the ledger": (
        [
            "UPDATE ledger SET at = '2026-11-16T20:00:00.000+00:00' WHERE reference = 'notice 4'",
        ],
        "was recorded at",
    ),
    "a sign used twice": (
        [
            lambda m: m.notice(SignChange("leave", "city", "T1"), "6"),
            "UPDATE notices SET at = '2026-11-16T18:00:00.000+00:00', done = 0"
            " WHERE sign = '6' OR sign = '1'",
            lambda m: m.carry_out("6"),
            "DELETE FROM operations WHERE reference = 'carry out 1'",
            lambda m: m.carry_out("1"),
        ],
        "counts 'carry out 1' a second time",
    ),
    "a table in the group that never joined": (
        [
            "INSERT INTO members (table_name, system, since)"
            " VALUES ('T9', 'city', '2026-11-16T18:00:00.000+00:00')",
            lambda m: m.wager("T9", 1, 1, "ben"),
            "DELETE FROM members WHERE table_name = 'T9'",
        ],
        "table 'T9' plays for no prize meter",
    ),
    "a table lent to another group for a wager": (
        [
            "UPDATE members SET system = 'east' WHERE table_name = 'T1'",
            wager,
            "UPDATE members SET system = 'city' WHERE table_name = 'T1'",
        ],
        "has the target meter east/blackjack-jackpots; by the rules it is meter city",
    ),
    "a rate lowered for a wager": (
        [
            "UPDATE meters SET rate = '1/1000' WHERE system = 'city'",
            wager,
            "UPDATE meters SET rate = '3/200' WHERE system = 'city'",
        ],
        "has the cents 1/2; by the rules it is 15/2",
    ),
    "a wager made cheaper": (
        [
            "UPDATE systems SET cost = 100 WHERE name = 'city'",
            wager,
            "UPDATE systems SET cost = 500 WHERE name = 'city'",
        ],
        "has the cents 100; by the rules it is 500",
    ),
    "a meter raised for a prize": (
        [
            wager,
            account(CITY, "9000000"),
            lambda m: m.settle("T1", 3, {1: SPADES}),
            account(CITY, "1000000"),
        ],
        "(outcome) has the detail",
    ),
    "a seed raised for a prize": (
        [
            wager,
            "UPDATE meters SET seed = '5000000' WHERE system = 'city'",
            lambda m: m.settle("T1", 3, {1: SPADES}),
            "UPDATE meters SET seed = '1000000' WHERE system = 'city'",
        ],
        "(reset) has the cents",
    ),
    "prizes rounded up to more": (
        [
            lambda m: m.wager("T3", 2, 1),
            "UPDATE systems SET payable = 1000000 WHERE name = 'nova'",
            lambda m: m.settle("T3", 2, {1: "minor"}),
            "UPDATE systems SET payable = 500 WHERE name = 'nova'",
        ],
        "(prize) has the cents 1000000; by the rules it is 50500",
    ),
    "a stake raised for a prize at odds": (
        [
            wager,
            "UPDATE wagers SET cents = 50000 WHERE table_name = 'T1' AND round = 3",
            lambda m: m.settle("T1", 3, {1: "three-aces"}),
            "UPDATE wagers SET cents = 500 WHERE table_name = 'T1' AND round = 3",
        ],
        "(odds) has the cents",
    ),
    "somebody else's wager wins": (
        [wager, owner("ana"), lambda m: m.settle("T1", 3, {1: SPADES}), owner("ben")],
        "has the target manager ana; by the rules it is manager ben",
    ),
    "a wager that was never placed wins": (
        [PLACED, lambda m: m.settle("T1", 3, {1: SPADES})],
        "has no jackpot wager in round 3",
    ),
    "a round opened again, and paid again": (
        [
            "UPDATE wagers SET state = 'placed', stake_back = 0"
            " WHERE table_name = 'T1' AND round = 1",
            "DELETE FROM operations WHERE reference = 'outcome T1/1'",
            "DELETE FROM prizes WHERE table_name = 'T1' AND round = 1",
            lambda m: m.settle("T1", 1, {1: TENTH, 2: TENTH}),
        ],
        "counts 'outcome T1/1' a second time",
    ),
    "a stake that goes back twice": (
        [
            "UPDATE wagers SET state = 'placed', stake_back = 0"
            " WHERE table_name = 'T2' AND round = 2",
            lambda m: m.retract("T2", 2, 5),
            "UPDATE wagers SET state = 'void' WHERE table_name = 'T2' AND round = 2",
        ],
        "the wager on box 5 in round 2 at table T2 is void",
    ),
    "a deposit counted twice": (
        [
            "DELETE FROM operations WHERE reference = 'deposit ben 1'",
            lambda m: m.deposit("ben", 2000, "ben 1"),
        ],
        "counts 'deposit ben 1' a second time",
    ),
    "a closed system opened again": (
        [
            wait,
            lambda m: m.carry_out("5", {"east": Fraction(1)}),
            "UPDATE systems SET closed = 0 WHERE name = 'city'",
            lambda m: m.notice(SignChange("join", "city", "T9"), "9"),
            "UPDATE systems SET closed = 1 WHERE name = 'city'",
        ],
        "the prize meter system 'city' has been closed",
    ),
    "what a key was asked for": (
        ["UPDATE operations SET request = '{}' WHERE reference = 'deposit ben 1'"],
        "operations deposit ben 1 has the request {}",
    ),
    "an increment, too small": (
        [
            "UPDATE ledger SET cents = '1' WHERE number ="
            " (SELECT min(number) FROM ledger WHERE kind = 'increment')"
        ],
        "(increment) has the cents 1; by the rules it is 15/2",
    ),
    "a prize, too large": (
        [
            "UPDATE ledger SET cents = '9000000' WHERE number ="
            " (SELECT min(number) FROM ledger WHERE kind = 'prize')"
        ],
        "(prize) has the cents 9000000; by the rules it is 100005",
    ),
    "the end cut off": (
        ["DELETE FROM ledger WHERE number > 50"],
        "by the ledger it is",
    ),
    "a prize struck from the list": (
        ["DELETE FROM prizes WHERE hand = 'major'"],
        "prizes T3/1/2/cards is missing; it follows from the ledger",
    ),
    "what a meter must record": (
        ["UPDATE meters SET required = '0' WHERE system = 'east'"],
        "meters east/blackjack-jackpots has the required 0; by the ledger it is 1000000",
    ),
    "an entry put in by hand, chained rightly": (
        [post("cash-out x", "cash-out", "manager ben", CHIPS, 100_000)],
        "does not contain a valid request",
    ),
    "an entry put in by hand that says what was asked": (
        [
            post(
                "cash-out x",
                "cash-out",
                "manager ben",
                CHIPS,
                900_000,
                asked={"do": "cash-out", "manager": "ben", "cents": 900_000, "reference": "x"},
            )
        ],
        "has $1,020.05, not $9,000",
    ),
    "a meter fed by hand": (
        [post("reset", "reset", HOUSE, CITY, 100_000, asked={"do": "reset"})],
        "does not contain a valid request",
    ),
    "an entry of a year to come": (
        [
            post(
                "deposit x",
                "deposit",
                CHIPS,
                "manager ben",
                1,
                after=timedelta(days=3650),
                asked={"do": "deposit", "manager": "ben", "cents": 1, "reference": "x"},
            )
        ],
        "more than 31 days before",
    ),
    "the clock set where it was right": (
        [
            post(
                "clock x",
                "clock",
                "",
                "",
                0,
                asked={"do": "clock", "reason": "-", "reference": "x"},
            )
        ],
        "which the ledger accepts",
    ),
    "a second pick of a round, under a number that only looks like another": (
        [
            lambda m: m.wager("T3", 2, 1),
            lambda m: m.wager("T3", 2, 2),
            lambda m: m.pick("T3", 2, 1),
            post(
                "pick T3/2.0",
                "picked",
                "T3",
                "nova",
                0,
                asked={"do": "pick", "table": "T3", "round": 2.0, "box": 2},
            ),
        ],
        "there is no box 2 in a round 2.0",
    ),
    "a table that joins another system than its sign says": (
        [
            post(
                "notice 9",
                "notice",
                "city",
                "T9",
                0,
                asked={
                    "do": "notice",
                    "kind": "join",
                    "system": "city",
                    "table": "T9",
                    "target": "east",
                    "sign": "9",
                },
            ),
        ],
        "only a move has a target",
    ),
    "an amount that is kept without end": (
        [account("manager ben", "1e99999999")],
        "accounts manager ben has the cents 1e99999999",
    ),
    "a table that only seems to be one": (
        ["ALTER TABLE prizes RENAME TO kept", "CREATE VIEW prizes AS SELECT * FROM kept"],
        "the database has an unknown view prizes",
    ),
    "a balance that is kept twice, and the first one counts": (
        [
            "CREATE TABLE other (name TEXT NOT NULL, cents TEXT NOT NULL)",
            "INSERT INTO other VALUES ('manager ben', '999900')",
            "INSERT INTO other SELECT name, cents FROM accounts",
            "DROP TABLE accounts",
            "ALTER TABLE other RENAME TO accounts",
        ],
        "accounts manager ben is stored twice",
    ),
}

# Lines that this program never writes: each is reported without a hang or a crash.
UNREADABLE = {
    "cents without end": "UPDATE ledger SET cents = '1e99999999' WHERE number = 5",
    "cents of nothing": "UPDATE ledger SET cents = '1/0' WHERE number = 5",
    "cents of too many digits": f"UPDATE ledger SET cents = '{'9' * 5000}' WHERE number = 5",
    "cents not in lowest terms": "UPDATE ledger SET cents = '0/1' WHERE number = 5",
    "detail that is no JSON": "UPDATE ledger SET detail = '{' WHERE number = 5",
    "detail that is no object": "UPDATE ledger SET detail = '7' WHERE number = 5",
    "detail without end": f"UPDATE ledger SET detail = '{'[' * 100_000}' WHERE number = 5",
    "detail that says it twice": 'UPDATE ledger SET detail = \'{"to": 1, "to": 2}\''
    " WHERE number = 5",
    "a time that is none": "UPDATE ledger SET at = 'tomorrow' WHERE number = 5",
    "a time of no zone": "UPDATE ledger SET at = '2026-11-16T20:00:04.000' WHERE number = 5",
    "rules that are none": "UPDATE ledger SET rules = '5' WHERE number = 5",
}


@pytest.fixture
def evening(where: str) -> Meters:
    """Return an evening before its closing: signs 4 and 5 have been displayed for two seconds."""
    clock = Clockwork()
    meters = Meters.open(where, clock, create=True)
    for part in (OPENING, PLAY):
        for step in part:
            clock.now += timedelta(seconds=1)
            step(meters)
        if part is OPENING:
            clock.now += timedelta(minutes=20)
    assert not meters.check().problems
    return meters


def attack(meters: Meters, steps: list[Step]) -> None:
    for step in steps:
        if isinstance(step, str):
            behind_its_back(meters, step)
        else:
            step(meters)


def behind_its_back(meters: Meters, sql: str) -> None:
    """Run SQL directly: `do` would use a text after a colon as the name of a value."""
    meters.database._connection.execute(sql)


class _PutBackError(Exception):
    """Ends a change that must be rolled back."""


@contextmanager
def put_back(database: Database) -> Iterator[Database]:
    """Roll back every change made inside."""
    with suppress(_PutBackError), database.change():
        yield database
        raise _PutBackError


@pytest.mark.parametrize("what", ATTACKS)
def test_insiders_edit_is_detected(evening: Meters, what: str) -> None:
    steps, says = ATTACKS[what]
    with evening:
        attack(evening, steps)
        problems = evening.check().problems
    assert any(says in problem for problem in problems), problems


STRANGERS = {
    "trigger": {
        "sqlite": "CREATE TRIGGER more AFTER INSERT ON ledger BEGIN"
        " UPDATE accounts SET cents = '1'; END",
        "postgresql": "CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RETURN NEW; END'; CREATE TRIGGER more BEFORE INSERT ON ledger"
        " FOR EACH ROW EXECUTE FUNCTION more()",
    },
    "view": {
        "sqlite": "CREATE VIEW more AS SELECT * FROM ledger",
        "postgresql": "CREATE VIEW more AS SELECT * FROM ledger",
    },
    "rule": {
        "postgresql": "CREATE RULE more AS ON DELETE TO prizes DO INSTEAD NOTHING",
    },
    "policy": {
        "postgresql": "CREATE POLICY more ON ledger USING (number < 50)",
    },
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_objects_that_could_change_or_hide_rows_are_reported(evening: Meters, kind: str) -> None:
    dialect = "postgresql" if evening.database.where.startswith("postgresql") else "sqlite"
    with evening:
        if dialect not in STRANGERS[kind]:
            return  # this database has no such objects
        behind_its_back(evening, STRANGERS[kind][dialect])
        (problem,) = evening.check().problems
    assert problem == f"the database has an unknown {kind} more"


REMADE: list[Step] = [
    "ALTER TABLE operations RENAME TO kept",
    "CREATE TABLE operations (reference TEXT PRIMARY KEY ON CONFLICT IGNORE,"
    " request TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL)",
    "INSERT INTO operations SELECT * FROM kept",
    "DROP TABLE kept",
]


def test_table_with_another_definition_is_reported(evening: Meters) -> None:
    """This table silently ignores duplicate rows."""
    if evening.database.where.startswith("postgresql"):
        return  # it has no such tables
    with evening:
        attack(evening, REMADE)
        (problem,) = evening.check().problems
    assert problem == "the database has an unknown table operations"


def test_index_with_a_wrong_row_is_detected(evening: Meters) -> None:
    """Every row is unchanged, but a query for one balance by its name returns another one."""
    where = evening.database.where
    if where.startswith("postgresql"):
        return  # its files are private to the server
    evening.close()
    index = "name = 'sqlite_autoindex_accounts_1'"
    with closing(sqlite3.connect(where, isolation_level=None)) as file:
        file.execute("PRAGMA writable_schema = ON")
        (kept,) = file.execute(f"SELECT * FROM sqlite_master WHERE {index}").fetchall()
        file.execute(f"DELETE FROM sqlite_master WHERE {index}")
        file.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'PRIMARY KEY', '           ')"
            " WHERE name = 'accounts'"
        )
    with closing(sqlite3.connect(where, isolation_level=None)) as file:
        (one, *first), (other, *second) = file.execute(
            "SELECT rowid, name, cents FROM accounts ORDER BY rowid LIMIT 2"
        ).fetchall()
        for row, holds in ((one, second), (other, first)):
            file.execute("UPDATE accounts SET name = ?, cents = ? WHERE rowid = ?", (*holds, row))
        file.execute("PRAGMA writable_schema = ON")
        file.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", kept)
        file.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'TEXT            ', 'TEXT PRIMARY KEY')"
            " WHERE name = 'accounts'"
        )
    with Meters.open(where, evening.clock) as meters:
        problems = meters.check().problems
    assert problems  # and no other problem is found
    assert all(said.startswith("the database file is damaged: ") for said in problems)


def test_invalid_balance_is_refused_without_an_endless_calculation(evening: Meters) -> None:
    with evening:
        behind_its_back(evening, account("manager ben", "1e99999999"))
        with pytest.raises(LedgerDamagedError, match="restore a copy that passes it"):
            evening.cash_out("ben", "x")


def test_key_that_refers_to_wrong_entries_is_refused(evening: Meters) -> None:
    """Otherwise a deposit could appear recorded before it is made."""
    asked = '{"cents": 500, "do": "deposit", "manager": "ben", "reference": "x"}'
    with evening:
        evening.database.do(
            "INSERT INTO operations (reference, request, first, last)"
            " VALUES ('deposit x', :asked, 5, 5)",
            asked=asked,
        )
        with pytest.raises(LedgerDamagedError, match="entries that the ledger does not have"):
            evening.deposit("ben", 500, "x")
        (problem,) = evening.check().problems
    assert problem == "operations deposit x is stored, but does not follow from the ledger"


def test_other_citations_of_a_later_version_are_a_note_not_a_problem(
    evening: Meters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(System, "rules", lambda self, about: ("99.9",))
    with evening:
        found = evening.check()
    assert not found.problems
    (note,) = found.notes
    assert "entries cite other rules than this version" in note


@pytest.mark.parametrize("what", UNREADABLE)
def test_unreadable_line_is_reported(evening: Meters, what: str) -> None:
    with evening:
        behind_its_back(evening, UNREADABLE[what])
        problems = evening.check().problems
    assert any("entry 5 cannot be read" in problem for problem in problems), problems


def test_removal_of_any_line_is_detected(evening: Meters) -> None:
    with evening:
        for number in range(1, len(evening.history()) + 1):
            with put_back(evening.database) as database:
                database.do("DELETE FROM ledger WHERE number = :number", number=number)
                assert check(database).problems, number
        assert not evening.check().problems


@pytest.mark.parametrize(
    "column", ["at", "reference", "kind", "source", "target", "cents", "detail", "rules", "hash"]
)
def test_change_of_any_field_is_detected(evening: Meters, column: str) -> None:
    """The new value is a plausible text from another line of the same ledger."""
    with evening:
        for number in range(1, len(evening.history()), 7):
            (new,), *_ = evening.database.rows(
                f"SELECT b.{column} FROM ledger a, ledger b WHERE a.{column} != b.{column}"
                " AND a.number = :number ORDER BY b.number",
                number=number,
            )
            with put_back(evening.database) as database:
                database.do(
                    f"UPDATE ledger SET {column} = :new WHERE number = :number",
                    new=new,
                    number=number,
                )
                assert check(database).problems, (number, new)
