"""A strategy as a file: the play of every hand against every card of the dealer.

    strategy = read_strategy(path.read_text("utf-8"))
    strategy.cell("money", "hard", "14", "9")  # "H"

A cell is a chain of letters, and the first that the rules allow is played: R surrender, P split, D
double, H draw, S stand. Hands by total come first, then pairs, then exceptions by composition.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from cutcard.untrusted import BadContentError, json_from, shown

UPS = "23456789TA"
HARD = tuple(str(total) for total in range(4, 21))
SOFT = tuple(str(total) for total in range(12, 21))
PAIRS = tuple("A23456789T")
ROWS = {"hard": HARD, "soft": SOFT, "pair": PAIRS}
STAKES = ("money", "token")
PAIR_CELLS = ("P", "-", "RP", "R")
SUITS = ("", "mixed", "suited", "spades")
INSURANCE = ("never", "always", "when it gains")
EVEN_MONEY = ("never", "always")
VERSION = "cutcard-strategy"
OWN_RULES = "rules_of_ones_own"  # a key of `for`
_KEYS = (VERSION, "for", "columns", *STAKES, "exceptions", "insurance", "even_money")
_OF_AN_EXCEPTION = ("stake", "up", "cards", "suits", "do", "doubled")

Table = Mapping[str, Mapping[str, tuple[str, ...]]]


class BadStrategyError(ValueError):
    """Raised for a file that is not a strategy, or is incomplete; it names the hand."""


@dataclass(frozen=True, slots=True)
class Exceptional:
    """A hand that is played by its cards: their values from A to T, and suits if they matter."""

    stake: str
    up: str
    cards: tuple[str, ...]
    suits: str
    do: str
    doubled: bool = False


@dataclass(frozen=True, slots=True)
class Strategy:
    """A complete strategy. It has a table for hands with a free bet if the file has one."""

    tables: Mapping[str, Table]
    rescue: Table = field(default_factory=dict)
    exceptions: tuple[Exceptional, ...] = ()
    insurance: str = "never"
    even_money: str = "never"
    made_for: Mapping[str, Any] = field(default_factory=dict)

    def cell(self, stake: str, kind: str, row: str, up: str) -> str:
        """Return the cell of the table.

        A hand with a free bet is played like one with money, unless the file has another cell.
        """
        table = self.tables.get(stake, self.tables["money"])
        return table[kind][row][UPS.index(up)]

    def withdraws(self, kind: str, total: str, up: str) -> bool:
        """Whether a doubled hand takes its second wager back."""
        return bool(self.rescue) and self.rescue[kind][total][UPS.index(up)] == "W"

    def made_otherwise(self, game: Mapping[str, Any]) -> dict[str, str]:
        """Return the values of the strategy's own game that differ from this game's.

        A file that names no game is for any game.
        """
        asked = {OWN_RULES: None, **game}
        return {
            key: shown(_plain(self.made_for[key]))
            for key, value in asked.items()
            if key in self.made_for and _same(self.made_for[key]) != _same(value)
        }


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _same(value: Any) -> Any:
    """Return a comparable value: a rulebook's folder is the same by any path."""
    return PurePath(value).name if isinstance(value, str) else value


def read_strategy(text: str) -> Strategy:
    """Read a strategy from its text. Raises BadStrategyError with the first missing hand."""
    try:
        data = json_from(text)
    except BadContentError as error:
        raise BadStrategyError(str(error)) from error
    if not isinstance(data, dict) or data.get(VERSION) != 1:
        raise BadStrategyError(f'it does not begin with {{"{VERSION}": 1, ...}}')
    for key in data:
        if key not in _KEYS:
            raise BadStrategyError(f"unknown key {shown(key)!r}; valid keys are {', '.join(_KEYS)}")
    if data.get("columns", " ".join(UPS)) != " ".join(UPS):
        raise BadStrategyError(f"columns must be {' '.join(UPS)!r}")
    if "money" not in data:
        raise BadStrategyError("money, the table of all hands, is missing")
    return Strategy(
        tables={stake: _table(stake, data[stake]) for stake in STAKES if stake in data},
        rescue=_rescue(data["money"]),
        exceptions=tuple(_exceptions(data.get("exceptions", []))),
        insurance=_word(data, "insurance", INSURANCE),
        even_money=_word(data, "even_money", EVEN_MONEY),
        made_for=_made_for(data.get("for")),
    )


def as_json(strategy: Strategy) -> str:
    """Return the file of a strategy."""

    def rows(table: Table) -> dict[str, Any]:
        return {
            kind: {row: " ".join(cells) for row, cells in lines.items()}
            for kind, lines in table.items()
        }

    data: dict[str, Any] = {VERSION: 1, "for": dict(strategy.made_for), "columns": " ".join(UPS)}
    data |= {stake: rows(table) for stake, table in strategy.tables.items()}
    if strategy.rescue:
        data["money"]["rescue"] = rows(strategy.rescue)
    data["exceptions"] = [
        {"stake": each.stake, "up": each.up, "cards": "-".join(each.cards), "suits": each.suits}
        | ({"doubled": True} if each.doubled else {})
        | {"do": each.do}
        for each in strategy.exceptions
    ]
    data |= {"insurance": strategy.insurance, "even_money": strategy.even_money}
    return json.dumps(data, indent=1) + "\n"


def _made_for(data: Any) -> Mapping[str, Any]:
    """Return the game for which the strategy was made, if the file has one."""
    return data if isinstance(data, dict) else {}


def _table(stake: str, data: Any) -> Table:
    if not isinstance(data, dict):
        raise BadStrategyError(f"{stake} must be a table with {', '.join(ROWS)}")
    for key in data:
        if key not in (*ROWS, "rescue"):
            raise BadStrategyError(
                f"unknown key {stake}.{shown(key)}; valid keys are {', '.join(ROWS)}"
            )
    of = "" if stake == "money" else f" with a {stake}"
    return {
        kind: {row: _cells(data, kind, row, of, _is_cell) for row in names}
        for kind, names in ROWS.items()
    }


def _rescue(data: Mapping[str, Any]) -> Table:
    if "rescue" not in data:
        return {}
    return {
        kind: {row: _cells(data["rescue"], kind, row, " once doubled", _is_rescue) for row in names}
        for kind, names in (("hard", HARD), ("soft", SOFT))
    }


def _cells(data: Any, kind: str, row: str, of: str, good: Any) -> tuple[str, ...]:
    lines = data.get(kind, {}) if isinstance(data, dict) else {}
    line = lines.get(row) if isinstance(lines, dict) else None
    cells = line.split() if isinstance(line, str) else []
    for place, up in enumerate(UPS):
        if place >= len(cells):
            raise BadStrategyError(f"{_named(kind, row)}{of} against {up} is missing")
        if not good(kind, cells[place]):
            raise BadStrategyError(
                f"{_named(kind, row)}{of} against {up} is {shown(cells[place])!r}; {_WAYS[kind]}"
            )
    if len(cells) > len(UPS):
        raise BadStrategyError(
            f"{_named(kind, row)}{of} has {len(cells)} cells; there are {len(UPS)}"
        )
    return tuple(cells)


_WAYS = {
    "hard": "write R, D in any order and at last H or S, as in DH",
    "soft": "write R, D in any order and at last H or S, as in DS",
    "pair": f"write one of {', '.join(PAIR_CELLS)}",
}


def _is_cell(kind: str, cell: str) -> bool:
    if kind == "pair":
        return cell in PAIR_CELLS
    return _is_chain(cell, "RD")


def _is_rescue(kind: str, cell: str) -> bool:
    return cell in ("W", "-")


def _is_chain(cell: str, before: str) -> bool:
    return (
        cell[-1:] in ("H", "S")
        and set(cell[:-1]) <= set(before)
        and len(set(cell[:-1])) == len(cell) - 1
    )


def _named(kind: str, row: str) -> str:
    return f"a pair of {row}" if kind == "pair" else f"{kind} {row}"


def _exceptions(data: Any) -> Iterator[Exceptional]:
    if not isinstance(data, list):
        raise BadStrategyError("exceptions must be a list")
    for number, entry in enumerate(data, start=1):
        where = f"exception {number}"
        if not isinstance(entry, dict) or not set(entry) <= set(_OF_AN_EXCEPTION):
            raise BadStrategyError(f"{where} must be a table with {', '.join(_OF_AN_EXCEPTION)}")
        cards = tuple(str(entry.get("cards", "")).split("-"))
        doubled = entry.get("doubled") is True
        do, suits = str(entry.get("do", "")), entry.get("suits", "")
        stake, up = entry.get("stake", "money"), entry.get("up")
        if not 2 <= len(cards) <= 21 or any(card not in PAIRS for card in cards):
            raise BadStrategyError(f"{where}: cards are values like A-4-T, not {shown(entry)!r}")
        if up not in tuple(UPS) or stake not in STAKES or suits not in SUITS:
            raise BadStrategyError(f"{where}, {'-'.join(cards)}: up, stake or suits are invalid")
        if not (do in ("W", "-") if doubled else _is_chain(do, "RPD")):
            raise BadStrategyError(
                f"{where}, {'-'.join(cards)} against {up}: {shown(do)!r} is no way"
            )
        yield Exceptional(stake, up, cards, suits, do, doubled)


def _word(data: Mapping[str, Any], key: str, among: tuple[str, ...]) -> str:
    word = data.get(key, among[0])
    if word not in among:
        raise BadStrategyError(f"{key} is {shown(word)!r}; it must be one of {', '.join(among)}")
    return str(word)
