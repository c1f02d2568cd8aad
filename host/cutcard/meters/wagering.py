"""Personal Bet Managers, and the jackpot wagers that increase the meters (21.6, 21.7, 24.6)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cutcard.engine.ledger import dollars
from cutcard.meters import ledger, systems
from cutcard.meters.database import Database
from cutcard.meters.errors import (
    BadTermsError,
    BalanceTooSmallError,
    NoWagerError,
    OtherRequestError,
    RoundOpenError,
    RoundOverError,
    UnknownManagerError,
    WrongCostError,
)
from cutcard.meters.ledger import CHIPS, HOUSE, Turn, manager_account, meter_account
from cutcard.meters.systems import System
from cutcard.meters.terms import MOST_SEED, MOST_TENDERED, check_amount, check_name, game

BY_MANAGER = "blackjack-jackpots"  # the game with Personal Bet Managers
BOXES = range(1, 10)
ROUNDS = range(1, 2**31)


@dataclass(frozen=True, slots=True)
class MeterWager:
    """A jackpot wager: its account, and whether its stake was already returned."""

    table: str
    round: int
    box: int
    system: str
    owner: str
    cents: int
    stake_back: bool
    state: str


def deposit(turn: Turn, manager: str, cents: int) -> None:
    """Credit a balance with the amount that the dealer accepts (21.6.2(b), 21.6.3)."""
    check_name(manager, "Personal Bet Manager")
    check_amount(cents, MOST_TENDERED, "a deposit")
    rules = game(BY_MANAGER).meter_rules["credited"]
    turn.post("deposit", CHIPS, manager_account(manager), Fraction(cents), rules)


def cash_out(turn: Turn, manager: str, cents: int | None) -> None:
    """Pay a balance out in chips, all or part of it (21.6.4)."""
    account = _known(turn.database, manager)
    if cents is not None:
        check_amount(cents, MOST_SEED, "a cash-out")
    rules = game(BY_MANAGER).meter_rules["cashed"]
    balance = ledger.balance(turn.database, account)
    wanted = balance if cents is None else Fraction(cents)
    if wanted <= 0:
        raise BadTermsError(f"{manager} has no balance to pay out", "Its balance is $0.", rules)
    if wanted > balance:
        raise BalanceTooSmallError(
            f"Personal Bet Manager {manager} has {dollars(int(balance))}, "
            f"not {dollars(int(wanted))}",
            "Request at most that amount.",
            rules,
        )
    turn.post("cash-out", account, CHIPS, wanted, rules)


def wager(
    turn: Turn,
    table: str,
    round: int,
    box: int,
    manager: str | None,
    cents: int | None,
    journal: str | None,
) -> None:
    """Place a jackpot wager before the first card; every meter of the system grows by its rate."""
    system = systems.of_table(turn.database, table)
    _check_open(turn.database, table, round)
    _check_journal(turn.database, table, round, journal)
    if cents is not None and cents != system.cost:
        raise WrongCostError(
            f"a jackpot wager costs {dollars(system.cost)} at every table of {system.name}, "
            f"not {dollars(cents)}",
            "MeterWager exactly that amount.",
            system.rules("cost"),
        )
    owner = _payer(turn.database, system, manager)
    turn.database.do(
        "INSERT INTO wagers (table_name, round, box, system, owner, cents, stake_back, state)"
        " VALUES (:t, :round, :box, :system, :owner, :cents, 0, 'placed')",
        t=table,
        round=round,
        box=box,
        system=system.name,
        owner=owner,
        cents=system.cost,
    )
    stake = Fraction(system.cost)
    where = {"table": table, "round": round, "box": box}
    turn.post("wager", owner, HOUSE, stake, system.rules("wager"), **where)
    for name in system.meter_names:
        now = systems.standing(turn.database, system.name, name)
        grows = now.rate * stake
        account = meter_account(system.name, name)
        turn.post("increment", HOUSE, account, grows, system.rules("increment"), **where)
        systems.require(turn, system.name, name, now.required + grows)


def retract(turn: Turn, table: str, round: int, box: int) -> None:
    """Return a wager that the dealer did not enter in time (21.11.3, 24.10.3).

    Its increment stays on the meter: the meter must not record less, and may record more.
    """
    placed = find(turn.database, table, round, box)
    if placed.stake_back:
        raise RoundOverError(
            f"box {box} of round {round} at table {table} has been paid a prize",
            "A wager that has won cannot be taken back.",
        )
    system = systems.find(turn.database, placed.system)
    close(turn, placed, "retracted")
    give_back(turn, placed, system.rules("retracted"))


def find(database: Database, table: str, round: int, box: int) -> MeterWager:
    """Return a wager without an outcome. Raises NoWagerError or RoundOverError if there is none."""
    row = database.row(
        "SELECT table_name, round, box, system, owner, cents, stake_back, state FROM wagers"
        " WHERE table_name = :t AND round = :round AND box = :box",
        t=table,
        round=round,
        box=box,
    )
    if row is None:
        raise NoWagerError(
            f"box {box} has no jackpot wager in round {round} at table {table}",
            "`cutcard meter history` shows the boxes with wagers.",
        )
    placed = _wager(row)
    if placed.state != "placed":
        raise RoundOverError(
            f"the wager on box {box} in round {round} at table {table} is {placed.state}",
            "`cutcard meter history` shows its outcome.",
        )
    return placed


def waiting(database: Database, table: str, round: int) -> dict[int, MeterWager]:
    """Return the wagers of a round without an outcome, by box."""
    rows = database.rows(
        "SELECT table_name, round, box, system, owner, cents, stake_back, state FROM wagers"
        " WHERE table_name = :t AND round = :round AND state = 'placed' ORDER BY box",
        t=table,
        round=round,
    )
    return {row[2]: _wager(row) for row in rows}


def last_round(database: Database, table: str) -> int:
    row = database.row("SELECT max(round) FROM wagers WHERE table_name = :t", t=table)
    return int(row[0] or 0) if row else 0


def _wager(row: tuple[Any, ...]) -> MeterWager:
    table, round, box, system, owner, cents, stake_back, state = row
    return MeterWager(
        table,
        round=round,
        box=box,
        system=system,
        owner=owner,
        cents=cents,
        stake_back=bool(stake_back),
        state=state,
    )


def close(turn: Turn, placed: MeterWager, state: str) -> None:
    turn.database.do(
        "UPDATE wagers SET state = :state WHERE table_name = :t AND round = :round AND box = :box",
        state=state,
        t=placed.table,
        round=placed.round,
        box=placed.box,
    )


def give_back(turn: Turn, placed: MeterWager, rules: tuple[str, ...]) -> None:
    """Return a stake to its account, only once."""
    if placed.stake_back:
        return
    turn.database.do(
        "UPDATE wagers SET stake_back = 1 WHERE table_name = :t AND round = :round AND box = :box",
        t=placed.table,
        round=placed.round,
        box=placed.box,
    )
    where = {"table": placed.table, "round": placed.round, "box": placed.box}
    turn.post("stake-back", HOUSE, placed.owner, Fraction(placed.cents), rules, **where)


def check_place(round: int, box: int | None) -> None:
    """Check box (None: all boxes) and round. Raises BadTermsError if one is out of range."""
    whole = type(round) is int and (
        box is None or type(box) is int
    )  # 1.0 would be another key than 1
    if not whole or round not in ROUNDS or (box is not None and box not in BOXES):
        raise BadTermsError(
            f"there is no box {box} in a round {round}"
            if box is not None
            else f"there is no round {round}",
            f"Boxes are 1 to 9, rounds count from 1 to {ROUNDS.stop - 1}.",
        )


def _check_open(database: Database, table: str, round: int) -> None:
    """Raise RoundOpenError or RoundOverError if no wager can be placed in this round now."""
    others = [number for number in systems.open_rounds(database, table) if number != round]
    if others:
        raise RoundOpenError(
            f"round {others[0]} at table {table} has jackpot wagers and no outcome yet",
            "Record its outcome with `cutcard meter settle` first, also without a winner.",
        )
    last = last_round(database, table)
    if round < last or (round == last and not waiting(database, table, round)):
        raise RoundOverError(
            f"round {round} at table {table} is over", f"The next one is {last + 1} or later."
        )


def _check_journal(database: Database, table: str, round: int, journal: str | None) -> None:
    """Raise OtherRequestError if the wagers of this round are in another journal."""
    for box in waiting(database, table, round):
        asked = ledger.request_of(database, f"wager {table}/{round}/{box}")
        if asked.get("journal") != journal:
            raise OtherRequestError(
                f"box {box} in round {round} at table {table} has a wager from another program",
                "Two programs use one table name: end one, or let it join under its own name.",
            )


def _payer(database: Database, system: System, manager: str | None) -> str:
    """Return the account that pays for a wager. Raises BalanceTooSmallError if it cannot."""
    if not system.has_managers:
        if manager is not None:
            raise UnknownManagerError(
                f"{system.bet} is wagered with chips", "Omit the Personal Bet Manager."
            )
        return CHIPS
    if manager is None:
        raise UnknownManagerError(
            f"{system.bet} is wagered by Personal Bet Manager",
            "Give the player's number: --manager 12.",
            system.rules("wager"),
        )
    account = _known(database, manager)
    balance = ledger.balance(database, account)
    if balance < system.cost:
        raise BalanceTooSmallError(
            f"Personal Bet Manager {manager} has {dollars(int(balance))}, but the wager costs "
            f"{dollars(system.cost)}",
            "Credit more with `cutcard meter deposit`, or do not wager.",
            system.rules("wager"),
        )
    return account


def _known(database: Database, manager: str) -> str:
    check_name(manager, "Personal Bet Manager")
    account = manager_account(manager)
    if not ledger.has_account(database, account):
        raise UnknownManagerError(
            f"Personal Bet Manager {manager!r} does not exist",
            "Run `cutcard meter deposit` to give a player control of one.",
            game(BY_MANAGER).meter_rules["credited"],
        )
    return account
