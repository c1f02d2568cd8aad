"""The jackpot equipment in a table file: a controller, prize meters, and their settings.

A table with cards from a bench also has a bench for these by default. A table with a real machine
must name them: a draw on a bench must not decide real money.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cutcard.cases.case import MalformedCaseError
from cutcard.cases.reading import Fields
from cutcard.devices import BadPortError, ports
from cutcard.engine.state import Table
from cutcard.meters.errors import BadTermsError
from cutcard.meters.terms import check_name
from cutcard.meters.wagering import BY_MANAGER
from cutcard.rulebooks.book import Rules
from cutcard.table.plan.players import Player

ON_BENCH = "bench"
CONTROLLER = "bench:controller-4"
METER_TABLE = "T1"  # the default name of a bench table at its own meters
PLACES = range(1, 5)  # the tables of a controller


@dataclass(frozen=True, slots=True)
class JackpotPlan:
    """The jackpot equipment of a table, and the side wagers that use it."""

    button: str = ""  # the side wager with a button
    metered: str = ""  # the side wager with prize meters
    controller: str = ""  # the port of the controller that draws; empty: no controller
    place: int = 1  # of the tables of that controller
    # the chance of a wager to be picked (Lucky Player, Mystery): 1 in this number; 0: never
    one_in: int = 0
    meters: str = ""  # the database of the prize meters, or `bench`
    meter_table: str = ""  # the name under which the table plays for them
    managers: Mapping[str, str] = field(default_factory=dict)  # Personal Bet Managers by player


def read_jackpot(
    fields: Fields, table: Table, players: Sequence[Player], *, on_bench: bool
) -> JackpotPlan:
    """Return the jackpot of a table file. Raises MalformedCaseError."""
    button = _only_one(table, "button", _with_button(table))
    metered = _only_one(table, "prize meters", _with_meters(table))
    meters, meter_table = _meters(fields, table, metered, on_bench)
    one_in = _one_in(fields, metered)
    controller = _controller(fields, table, button, picks=bool(one_in), on_bench=on_bench)
    place = fields.box("place", 1)
    if "place" in fields and (not controller or place not in PLACES):
        wanted = f"the table's place at its controller, {PLACES[0]} to {PLACES[-1]}"
        raise fields.wrong("place", wanted if controller else "left out: no controller", place)
    return JackpotPlan(
        button=button,
        metered=metered,
        controller=controller,
        place=place,
        one_in=one_in,
        meters=meters,
        meter_table=meter_table,
        managers=_managers(table, players, metered, on_bench=meters == ON_BENCH),
    )


def port(fields: Fields, key: str, text: str) -> str:
    """Return a valid port string. Options after a `?` are not allowed for the bench of a table."""
    try:
        ports.parse(text)
    except BadPortError as error:
        raise MalformedCaseError(key, str(error)) from error
    if is_bench(text) and "?" in text:
        why = "has options, which the bench of a table does not support: its decks are in the file"
        raise MalformedCaseError(fields.key(key), f"{text} {why}, its seed is --seed")
    return text


def is_bench(text: str) -> bool:
    """Return whether a port is a bench that this table starts."""
    return text.startswith("bench:") and not text.startswith("bench://")


def is_file(meters: str) -> bool:
    """Return whether prize meters are in a file: not on the table's bench, and not on a server."""
    return meters not in ("", ON_BENCH) and "://" not in meters


def _with_button(table: Table) -> list[str]:
    sides = table.book.side_wagers
    return [
        bet
        for bet in table.offers
        if bet in sides and any(c.prizes.chances for c in sides[bet].columns)
    ]


def _with_meters(table: Table) -> list[str]:
    sides = table.book.side_wagers
    return [bet for bet in table.offers if bet in sides and sides[bet].meter_share]


def _only_one(table: Table, what: str, bets: Sequence[str]) -> str:
    if len(bets) > 1:
        why = f"{' and '.join(bets)}: a table has {what} for one of them"
        raise MalformedCaseError("table.offers", why)
    return bets[0] if bets else ""


def _controller(fields: Fields, table: Table, button: str, *, picks: bool, on_bench: bool) -> str:
    needed = bool(button) or picks
    named: str = fields.text("controller", "")
    if named and not needed:
        why = "no wager at this table uses it: offer a side wager with a button, or `one_in`"
        raise MalformedCaseError("controller", why)
    if named:
        return port(fields, "controller", named)
    if needed and not on_bench:
        what = f"{button} is" if button else "wagers are"
        rules = _section(table, button) if button else ()
        raise MalformedCaseError(
            "controller", f"is missing: {what} drawn by one; name its port{_cited(rules)}"
        )
    return CONTROLLER if needed else ""


def _meters(fields: Fields, table: Table, metered: str, on_bench: bool) -> tuple[str, str]:
    database: str = fields.text("meters", "")
    name: str = fields.text("meter_table", "")
    if not metered:
        for key, said in (("meters", database), ("meter_table", name)):
            if said:
                raise MalformedCaseError(key, "no side wager of this table is played for meters")
        return "", ""
    rules = table.book.side_wagers[metered].meter_rules["group"]
    if not database:
        if not on_bench:
            why = f"is missing: {metered} is played for prize meters; name their database"
            raise MalformedCaseError("meters", f"{why}{_cited(rules)}")
        database = ON_BENCH
    if not name:
        if database != ON_BENCH:
            why = f"is missing: the name under which the table plays for the meters of {database}"
            raise MalformedCaseError("meter_table", f"{why}{_cited(rules)}")
        name = METER_TABLE
    try:
        check_name(name, "table")
    except BadTermsError as error:
        raise MalformedCaseError("meter_table", str(error)) from error
    return database, name


def _one_in(fields: Fields, metered: str) -> int:
    one_in: int = fields.box("one_in", 0)
    if one_in and not metered:
        raise MalformedCaseError(
            "one_in", "no wager of this table can be picked, because it has no meters"
        )
    return one_in


def _managers(
    table: Table, players: Sequence[Player], metered: str, *, on_bench: bool
) -> dict[str, str]:
    """Return the Personal Bet Manager of each player; Supernova does not use them."""
    managers: dict[str, str] = {}
    for number, player in enumerate(players):
        key = f"players[{number}].manager"
        plays = metered == BY_MANAGER and metered in dict(player.side_wagers)
        if player.manager and not plays:
            raise MalformedCaseError(key, f"is for {BY_MANAGER}, which {player.name} does not play")
        if not plays:
            continue
        if not player.manager and not on_bench:
            rules = table.book.side_wagers[metered].meter_rules["credited"]
            why = "is missing: the wager comes from a Personal Bet Manager"
            raise MalformedCaseError(key, f"{why}{_cited(rules)}")
        managers[player.name] = player.manager or f"box-{player.box}"
    return managers


def _section(table: Table, bet: str) -> Rules:
    return (table.book.side_wagers[bet].section,)


def _cited(rules: Rules) -> str:
    return f" [{', '.join(rules)}]" if rules else ""
