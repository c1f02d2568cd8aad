"""Open the jackpot equipment of a table's plan: its controller and its prize meters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from cutcard.devices.controller import Controller
from cutcard.engine.ledger import dollars
from cutcard.engine.state import Table
from cutcard.meters import Meters, MeterTerms, SystemTerms
from cutcard.meters.errors import NoDatabaseError, UnknownTableError
from cutcard.meters.groups import NOTICE, SignChange
from cutcard.meters.systems import Standing, System
from cutcard.meters.terms import MOST_TENDERED
from cutcard.table.jackpot.button import AtTheButton, JackpotButton
from cutcard.table.jackpot.interface import Jackpot
from cutcard.table.jackpot.metered import JackpotMeter, WagerPicker
from cutcard.table.plan.jackpot_plan import ON_BENCH
from cutcard.table.plan.table_file import BadTablePlanError, TablePlan

METERS = "meters.sqlite"  # in the folder of a table with meters on the bench
SYSTEM = "bench"

# Of a prize meter system on the bench, in cents; the sign of the table may have other seeds.
SEEDS = {
    "blackjack-jackpots": 1_000_000,
    "supernova-major": 2_000_000,
    "supernova-minor": 50_000,
    "supernova-mystery": 100_000,
}
RATE = Fraction(15, 1000)
DOLLAR = 100


@contextmanager
def opened_meters(plan: TablePlan, folder: Path) -> Iterator[Meters | None]:
    """Open the table's prize meters; None without meters. Raises MeterError."""
    if not plan.jackpot.metered:
        yield None
        return
    if plan.jackpot.meters == ON_BENCH:
        where = str(folder / METERS)
        _set_up(plan, where)
    else:
        where = plan.jackpot.meters
    with Meters.open(where) as meters:
        yield meters


def check_meters(plan: TablePlan) -> None:
    """Check that the house's meters accept this table. Raises BadTablePlanError, MeterError."""
    if plan.jackpot.metered and plan.jackpot.meters != ON_BENCH:
        with Meters.open(plan.jackpot.meters) as meters:
            with_seeds(plan, meters)


def with_seeds(plan: TablePlan, meters: Meters | None) -> Table:
    """Return the table with the seeds of its meters on its sign. Raises BadTablePlanError,
    MeterError."""
    if meters is None:
        return plan.table
    system, standings = meters.system_of(plan.jackpot.meter_table)
    if mistakes := [*_other_game(plan, system), *_other_sign(plan, system, standings)]:
        raise BadTablePlanError(mistakes)
    return replace(plan.table, seeds={name: int(now.seed) for name, now in standings.items()})


def _other_game(plan: TablePlan, system: System) -> Iterator[str]:
    if system.bet != plan.jackpot.metered:
        yield (
            f"meter_table: {plan.jackpot.meter_table} plays for {system.name}, a system of "
            f"{system.bet}, and this table offers {plan.jackpot.metered}{_cited(system, 'group')}"
        )


def _other_sign(
    plan: TablePlan, system: System, standings: Mapping[str, Standing]
) -> Iterator[str]:
    """Return the differences of the table's sign, or of a wager, from the meters."""
    table, bet = plan.table, plan.jackpot.metered
    for meter, said in table.seeds.items():
        if meter in standings and said != standings[meter].seed:
            began = dollars(int(standings[meter].seed))
            yield (
                f"table.seeds.{meter}: the sign has {dollars(said)}, but the meter of "
                f"{system.name} started with {began}{_cited(system, 'seed')}"
            )
    if table.book.side_wagers[bet].rounded_to is None and (table.chip or 1) != system.payable:
        yield (
            f"table.chip: {system.name} rounds its prizes up to {dollars(system.payable)}, which "
            f"is not the smallest chip of this table{_cited(system, 'rounded')}"
        )
    for player in plan.players:
        if dict(player.side_wagers).get(bet, system.cost) != system.cost:
            yield (
                f"players: {player.name} wagers {dollars(dict(player.side_wagers)[bet])} on {bet}, "
                f"which costs {dollars(system.cost)} at every table{_cited(system, 'cost')}"
            )


def _cited(system: System, about: str) -> str:
    return f" [{', '.join(system.rules(about))}]"


def jackpots(
    plan: TablePlan,
    controller: Controller | None,
    meters: Meters | None,
    people: AtTheButton,
) -> list[Jackpot]:
    """Return the jackpots of the table for its rounds."""
    wanted = plan.jackpot
    found: list[Jackpot] = []
    if controller is not None and wanted.button:
        found.append(JackpotButton(controller, wanted.place, wanted.button, people))
    if meters is not None:
        picks = None
        if controller is not None and wanted.one_in:
            picks = WagerPicker(controller, wanted.place, wanted.one_in)
        found.append(
            JackpotMeter(meters, wanted.meter_table, wanted.metered, wanted.managers, picks)
        )
    return found


def _set_up(plan: TablePlan, where: str) -> None:
    """Set up meters for this table only. Each step is done once, also after an interruption.

    The sign counts as posted for its twenty minutes, because a bench does not wait.
    """
    wanted, sign = plan.jackpot, f"{SYSTEM} join"

    def earlier() -> datetime:
        return datetime.now(UTC) - NOTICE

    if _has_joined(where, wanted.meter_table):
        return
    with Meters.open(where, earlier, create=True) as meters:
        meters.create(SYSTEM, _terms(plan))
        meters.notice(SignChange("join", SYSTEM, wanted.meter_table), sign)
    with Meters.open(where) as meters:
        for manager in sorted(set(wanted.managers.values())):
            rounds = MOST_TENDERED if plan.rounds is None else plan.rounds
            credit = min(_cost(plan) * rounds, MOST_TENDERED)
            meters.deposit(manager, credit, f"{SYSTEM} {manager}")
        meters.carry_out(sign)


def _has_joined(where: str, table: str) -> bool:
    try:
        with Meters.open(where) as meters:
            meters.system_of(table)
    except (NoDatabaseError, UnknownTableError):
        return False
    return True


def _terms(plan: TablePlan) -> SystemTerms:
    table, bet = plan.table, plan.jackpot.metered
    side = table.book.side_wagers[bet]
    names = dict.fromkeys(share.meter for share in side.meter_share.values())
    terms = {name: MeterTerms(table.seeds.get(name, SEEDS[name]), RATE) for name in names}
    payable = side.rounded_to * DOLLAR if side.rounded_to else table.chip or 1
    return SystemTerms(bet, _cost(plan), terms, payable)


def _cost(plan: TablePlan) -> int:
    """Return the price of the wager: from the table's sign, or from the first player's wager."""
    bet = plan.jackpot.metered
    wagers = [wager.amount for wager in plan.placed if wager.bet == bet]
    return plan.table.stakes.get(bet, wagers[0] if wagers else 5 * DOLLAR)
