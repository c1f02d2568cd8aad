"""Writes a round down: events as the steps of a case file, which a journal keeps as well."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import date
from typing import Any

from cutcard.cards import Card
from cutcard.engine.events import Act, Deal, Event, Irregularity, Metered, Press, Ruling, Settled
from cutcard.engine.results import OPEN, WagerResult
from cutcard.engine.state import Placed, Table
from cutcard.rulebooks.vocabulary import IRREGULARITIES

_RENAMED = {"for_player": "for", "chosen": "card"}


def step_of(event: Event) -> dict[str, Any]:
    """The step of a case file that stands for this event."""
    if isinstance(event, Deal):
        return _without_none({"deal": str(event.card), "to": _place(event.to)})
    if isinstance(event, Settled):
        return {"settled": event.what}
    if isinstance(event, Metered):
        return {"metered": event.meter, "records": _dollars(event.cents)}
    if isinstance(event, Press):
        return _without_none(
            {"press": event.bet, "box": event.box, "player": event.player, "prize": event.prize}
        )
    name = {Act: "act", Irregularity: "fault", Ruling: "ruling"}[type(event)]
    step: dict[str, Any] = {name: event.kind}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name != "kind" and value != field.default:
            step[_key(event, field.name)] = _plain(field.name, value)
    return step


def _key(event: Event, name: str) -> str:
    if isinstance(event, Irregularity) and name == "cards":
        return "card" if "card" in IRREGULARITIES[event.kind].keys else "cards"
    return _RENAMED.get(name, name)


def _plain(name: str, value: Any) -> Any:
    if name == "amount":
        return _dollars(value)
    if name == "to":
        return _place(value)
    if name == "cards":
        return " ".join(str(card) for card in value)
    if name == "hands":
        return [_place(place) for place in value]
    if isinstance(value, tuple):
        return [str(item) if isinstance(item, Card) else item for item in value]
    return value


def _place(place: str | None) -> int | str | None:
    return int(place) if place is not None and place.isdigit() else place


def _dollars(cents: int) -> int | float:
    """Exact to the cent either way: a case file reads the digits, not the float."""
    return cents // 100 if cents % 100 == 0 else cents / 100


def _without_none(step: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in step.items() if value is not None}


def wager_of(placed: Placed) -> dict[str, Any]:
    amount = _dollars(placed.amount)
    wager = {"box": placed.box, "player": placed.player, "bet": placed.bet, "amount": amount}
    return wager | ({"picked": True} if placed.picked else {})


def result_of(result: WagerResult) -> dict[str, Any]:
    return {
        "box": result.key.box,
        "player": result.key.player,
        "bet": result.key.bet,
        "result": result.result,
        "net": None if result.result == OPEN else _dollars(result.net),
        "rules": list(result.rules),
    }


def table_of(table: Table) -> dict[str, Any]:
    return {
        "rulebook": table.book.name,
        "variant": list(table.book.variants),
        "decks": table.decks,
        "shuffler": table.shuffler,
        "sign": _without_none(
            {
                "min": None if table.minimum is None else _dollars(table.minimum),
                "max": None if table.maximum is None else _dollars(table.maximum),
                "chip": None if table.chip is None else _dollars(table.chip),
                "offers": dict(table.offers) or None,
                "seeds": {meter: _dollars(seed) for meter, seed in table.seeds.items()} or None,
            }
        ),
    }


def case_text(case: dict[str, Any]) -> str:
    """A case file as TOML, `[table]` last, as TOML wants."""
    lines = [f"{key} = {_toml(value)}" for key, value in case.items() if _is_plain(value)]
    for key in ("wagers", "steps"):
        rows = "".join(f"  {_toml(row)},\n" for row in case.get(key, ()))
        lines.append(f"{key} = [\n{rows}]" if rows else f"{key} = []")
    for entry in case.get("expect", ()):
        lines.append("\n[[expect]]")
        lines += [f"{key} = {_toml(value)}" for key, value in entry.items()]
    if case.get("table"):
        lines.append("\n[table]")
        lines += [f"{key} = {_toml(value)}" for key, value in case["table"].items()]
    return "\n".join(lines) + "\n"


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict) and not (
        isinstance(value, list) and (not value or isinstance(value[0], dict))
    )


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, (int, date)):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
