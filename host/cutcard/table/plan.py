"""A table file: which game, which machine, who plays. `cutcard table run FILE` opens it.

The keys of the game are those of a case file (docs/case-files.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from cutcard import untrusted
from cutcard.cases.case import MalformedCaseError
from cutcard.cases.loader import read_table
from cutcard.cases.reading import Fields
from cutcard.cases.writing import toml
from cutcard.devices import BadPort, ports
from cutcard.engine.state import Placed, Table
from cutcard.engine.tables import TableRefusal, refusals
from cutcard.rulebooks.vocabulary import RULINGS
from cutcard.table.amended import Amended
from cutcard.table.mishaps import MISHAPS
from cutcard.table.players import Player

PLANS = ("new-zealand", "crown")
PEOPLE = ("players", "prompt", "console")
MACHINES = {"continuous": "bench:carousel-38", "shoe": "bench:shoe-8"}


class BadPlan(Exception):
    """Raised for a table that cannot be opened; `mistakes` has all of them, each with its rule."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = mistakes


@dataclass(frozen=True, slots=True)
class Plan:
    """A table as it is to be run."""

    name: str
    table: Table
    cards: str  # the port of its shuffler or shoe
    players: tuple[Player, ...]
    people: str
    rounds: int
    mishaps: Mapping[int, str]
    key: Path | None = None  # of the table's key, which signs its journal; None: in its folder
    pace: int = 0  # milliseconds from card to card, for people who watch
    second_person: tuple[str, ...] = ()  # rulings that a second person confirms

    @property
    def placed(self) -> list[Placed]:
        return [bet for player in self.players for bet in player.bets()]


def built_in(name: str) -> str:
    """The text of a table file that comes with cutcard."""
    return (resources.files("cutcard.table") / "plans" / f"{name}.toml").read_text("utf-8")


def plan_from(text: str, path: Path) -> Plan:
    """The plan in the text of a table file. Raises BadPlan."""
    try:
        return read_plan(untrusted.toml_from(text, exact=True), path)
    except untrusted.BadContent as error:
        raise BadPlan([str(error)]) from error


def read_plan(data: Mapping[str, Any], path: Path) -> Plan:
    """A plan from a table file, or from options under the same keys. Raises BadPlan."""
    amended = Amended(data)
    while True:
        try:
            plan = _plan(Fields(amended.data, ""), path)
            break
        except MalformedCaseError as error:
            if not amended.can_go_on(error):
                raise BadPlan(amended.mistakes) from error
    known = [bet for player in amended.whole(plan.players) for bet in player.bets()]
    against = refusals(plan.table, known)
    mistakes = amended.mistakes + [_cited(why) for why in against]
    if mistakes:
        raise BadPlan(mistakes)
    return plan


def _cited(why: TableRefusal) -> str:
    return f"{why.why} [{', '.join(why.rules)}]" if why.rules else why.why


def _plan(fields: Fields, path: Path) -> Plan:
    table = read_table(path, fields)
    known = MACHINES.get(table.shuffler)
    players = tuple(
        _player(Fields(entry, f"players[{number}]"))
        for number, entry in enumerate(fields.sequence("players", ()))
    )
    people = fields.text("people", "players", among=PEOPLE)
    if not players and people != "console":
        raise MalformedCaseError("players", "nobody plays: name a player with a box and a wager")
    plan = Plan(
        name=fields.text("name", path.stem),
        table=table,
        cards=_port(fields, known),
        players=players,
        people=people,
        rounds=fields.box("rounds", 20),
        mishaps=_mishaps(fields),
        key=Path(key).expanduser() if (key := fields.text("key", "")) else None,
        pace=fields.prize("pace", 0),
        second_person=_rulings(fields),
    )
    fields.done()
    return plan


def _port(fields: Fields, known: str | None) -> str:
    port: str = fields.text("cards") if known is None else fields.text("cards", known)
    try:
        ports.parse(port)
    except BadPort as error:
        raise MalformedCaseError("cards", str(error)) from error
    return port


def _player(entry: Fields) -> Player:
    side = tuple(entry.amounts("side").items())
    player = Player(entry.text("name"), entry.box(), entry.cents("wager"), side)
    entry.done()
    return player


def _rulings(fields: Fields) -> tuple[str, ...]:
    named = fields.texts("second_person")
    for each in named:
        if each not in RULINGS:
            raise fields.wrong("second_person", f"rulings among {', '.join(RULINGS)}", each)
    return named


def _mishaps(fields: Fields) -> dict[int, str]:
    said = Fields(fields.raw("mishaps", {}), "mishaps")
    found: dict[int, str] = {}
    for key in dict(fields.raw("mishaps", {})):
        if not str(key).isdigit():
            raise MalformedCaseError(f"mishaps.{key}", "is no round: write it as in 5 = 'jam'")
        found[int(key)] = said.text(key, among=MISHAPS)
    return found


def plan_text(data: Mapping[str, Any]) -> str:
    """A table file with these keys."""
    lines = [f"{key} = {toml(value)}" for key, value in data.items() if key != "table"]
    lines += ["", "[table]"]
    lines += [f"{key} = {toml(value)}" for key, value in data.get("table", {}).items()]
    return "\n".join(lines) + "\n"


def with_changes(text: str, changed: Mapping[str, Any]) -> str:
    """A table file with some of its keys said otherwise, at its top."""
    kept = [
        line
        for line in text.splitlines(keepends=True)
        if line.partition("=")[0].strip() not in changed
    ]
    return "".join(f"{key} = {toml(value)}\n" for key, value in changed.items()) + "".join(kept)
