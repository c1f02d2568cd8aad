"""A table file: the game, the machine and the players. `cutcard table run FILE` opens it.

The keys of the game are those of a case file (docs/reference/case-files.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from cutcard import untrusted
from cutcard.cases.case import MalformedCaseError
from cutcard.cases.loader import read_table
from cutcard.cases.reading import Fields
from cutcard.cases.writing import toml
from cutcard.engine.state import Placed, Table
from cutcard.engine.tables import indistinguishable, refusals
from cutcard.machines import DEFAULT_MACHINE, find
from cutcard.rulebooks.vocabulary import RULINGS
from cutcard.table.plan.file_mistakes import CheckedContent
from cutcard.table.plan.jackpot_plan import JackpotPlan, is_bench, port, read_jackpot
from cutcard.table.plan.mishaps import CAUSES, CONTROLLER_MISHAPS, LATE_WAGER, SHOE_CAUSES
from cutcard.table.plan.players import LONGEST_NAME, Player, is_name

PLANS = ("new-zealand", "crown")
PEOPLE = ("players", "prompt", "console")
SHOE, SMALL_CAROUSEL = "bench:shoe-8", "bench:carousel-38"  # the latter for packs below 312 cards


class BadTablePlanError(Exception):
    """Raised for a table that cannot be opened; `mistakes` has all of them, each with its rule."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = mistakes


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The plan of a table to run."""

    name: str
    table: Table
    cards: str  # the port of its shuffler or shoe
    players: tuple[Player, ...]
    people: str
    rounds: int | None  # None: until the table is closed
    mishaps: Mapping[int, str]
    # of the table's key, which signs its journal; None: the default of this computer
    key: Path | None = None
    witnesses: tuple[str, ...] = ()  # URLs and files that receive checkpoints of the journal
    pace: int = 0  # milliseconds between cards, for people who watch
    second_person: tuple[str, ...] = ()  # rulings that a second person must confirm
    jackpot: JackpotPlan = field(default_factory=JackpotPlan)

    @property
    def placed(self) -> list[Placed]:
        return [bet for player in self.players for bet in player.bets()]


def built_in(name: str) -> str:
    """Return the text of an included table file."""
    return (resources.files("cutcard.table.plan") / "built_in" / f"{name}.toml").read_text("utf-8")


def plan_from(text: str, path: Path) -> TablePlan:
    """Return the plan in the text of a table file. Raises BadTablePlanError."""
    try:
        return read_plan(untrusted.toml_from(text, exact=True), path)
    except untrusted.BadContentError as error:
        raise BadTablePlanError([str(error)]) from error


def read_plan(data: Mapping[str, Any], path: Path) -> TablePlan:
    """Return a plan from a table file, or from options with the same keys. Raises
    BadTablePlanError."""
    amended = CheckedContent(data)
    while True:
        try:
            plan = _plan(Fields(amended.data, ""), path)
            break
        except MalformedCaseError as error:
            if not amended.remove_mistake(error):
                raise BadTablePlanError(amended.mistakes) from error
    known = [bet for player in amended.whole(plan.players) for bet in player.bets()]
    against = refusals(plan.table, known) or indistinguishable(known)
    late = [] if amended.is_wrong("rounds") else _too_late(plan)
    mistakes = amended.mistakes + late + [why.cited for why in against]
    if mistakes:
        raise BadTablePlanError(mistakes)
    return plan


def _plan(fields: Fields, path: Path) -> TablePlan:
    table = read_table(path, fields)
    known = _default_cards(table)
    players = tuple(
        _player(Fields(entry, f"players[{number}]"))
        for number, entry in enumerate(fields.sequence("players", ()))
    )
    people = fields.text("people", "players", among=PEOPLE)
    if not players and people != "console":
        raise MalformedCaseError("players", "is empty: name a player with a box and a wager")
    cards = port(
        fields, "cards", fields.text("cards") if known is None else fields.text("cards", known)
    )
    jackpot = read_jackpot(fields, table, players, on_bench=is_bench(cards))
    plan = TablePlan(
        name=_name(fields, said) if (said := fields.text("name", "")) else path.stem,
        table=table,
        cards=cards,
        players=players,
        people=people,
        rounds=_rounds(fields, people),
        mishaps=_mishaps(fields, table, on_bench=is_bench(cards)),
        key=Path(key).expanduser() if (key := fields.text("key", "")) else None,
        witnesses=tuple(fields.texts("witness")),
        pace=_whole(fields, "pace", 0, 0, "milliseconds from card to card"),
        second_person=_rulings(fields),
        jackpot=jackpot,
    )
    fields.done()
    _check_controllers_mishaps(plan)
    return plan


def _default_cards(table: Table) -> str | None:
    """Return the port of a table that names none; None for a table without a device."""
    if table.shuffler == "shoe":
        return SHOE
    if table.shuffler != "continuous":
        return None
    admitted = (table.decks, table.pack) in find(DEFAULT_MACHINE).admitted()
    return f"bench:{DEFAULT_MACHINE}" if admitted else SMALL_CAROUSEL


def _check_controllers_mishaps(plan: TablePlan) -> None:
    for number, name in plan.mishaps.items():
        if name in CONTROLLER_MISHAPS and not is_bench(plan.jackpot.controller):
            why = f"{name} needs a controller on a bench, which this table does not have"
            raise MalformedCaseError(f"mishaps.{number}", why)


def _too_late(plan: TablePlan) -> list[str]:
    """Return a mistake for each mishap of a round that the table does not play."""
    if plan.rounds is None:
        return []
    only = f"{plan.rounds} round{'s' * (plan.rounds > 1)}"
    return [
        f"mishaps.{number}: {name} is for round {number}, and the table plays only {only}: take it "
        f"out, or let `rounds` be {number} or more"
        for number, name in plan.mishaps.items()
        if number > plan.rounds
    ]


def _player(entry: Fields) -> Player:
    side = tuple(entry.amounts("side").items())
    manager = entry.text("manager", "")
    name = _name(entry, entry.text("name"))
    player = Player(name, entry.box(), entry.cents("wager"), side, manager)
    entry.done()
    return player


def _name(fields: Fields, name: str) -> str:
    if not is_name(name):
        raise fields.wrong(
            "name", f"1 to {LONGEST_NAME} printable characters", untrusted.shown(name)
        )
    return name


def _whole(fields: Fields, name: str, default: int, least: int, of_what: str) -> int:
    value: int = fields.number(name, default)
    if value < least:
        raise fields.wrong(name, f"{of_what}, {least} or more", value)
    return value


def _rounds(fields: Fields, people: str) -> int | None:
    """Return the number of rounds; None: people at a console play until they close the table."""
    if people == "console" and fields.number("rounds", None) is None:
        return None
    return _whole(fields, "rounds", 20, 1, "a number of rounds")


def _rulings(fields: Fields) -> tuple[str, ...]:
    named = fields.texts("second_person")
    for each in named:
        if each not in RULINGS:
            raise fields.wrong("second_person", f"rulings among {', '.join(RULINGS)}", each)
    return named


def _mishaps(fields: Fields, table: Table, *, on_bench: bool) -> dict[int, str]:
    """Return the mishap of each round, for mishaps that are possible at this table."""
    said = Fields(fields.raw("mishaps", {}), "mishaps")
    causes = SHOE_CAUSES if table.shuffler == "shoe" else CAUSES
    known = (*(causes if on_bench else ()), *(CONTROLLER_MISHAPS if on_bench else ()), LATE_WAGER)
    found: dict[int, str] = {}
    for key in dict(fields.raw("mishaps", {})):
        number = untrusted.whole_number(str(key))
        if not number:
            raise MalformedCaseError(f"mishaps.{key}", "is not a round: write it like 5 = 'jam'")
        found[number] = said.text(key, among=known)
    return found


def shortened(text: str, rounds: int) -> dict[str, Any]:
    """Return the changes to a table file for fewer rounds; mishaps of later rounds are removed."""
    mishaps = untrusted.toml_from(text, exact=True).get("mishaps", {})
    kept = {number: name for number, name in mishaps.items() if int(number) <= rounds}
    return {"rounds": rounds, "mishaps": kept}


def plan_text(data: Mapping[str, Any]) -> str:
    """Return a table file with these keys."""
    lines = [f"{key} = {toml(value)}" for key, value in data.items() if key != "table"]
    lines += ["", "[table]"]
    lines += [f"{key} = {toml(value)}" for key, value in data.get("table", {}).items()]
    return "\n".join(lines) + "\n"


def with_changes(text: str, changed: Mapping[str, Any]) -> str:
    """Return a table file with some keys changed, at its top; the keys of its sign are kept."""
    lines = text.splitlines(keepends=True)
    sign = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    kept = [
        line
        for at, line in enumerate(lines)
        if at > sign or line.partition("=")[0].strip() not in changed
    ]
    return "".join(f"{key} = {toml(value)}\n" for key, value in changed.items()) + "".join(kept)
