"""Writing a round: events as the steps of a case file, which journals store too."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from cutcard.cases.codec import HEAD, IN_CASES, IN_JOURNALS, TABLE, WAGER, dollars_of
from cutcard.cases.codec import write_event as step_of
from cutcard.engine.results import OPEN, WagerResult
from cutcard.engine.state import Placed, Table

__all__ = ["case_of", "case_text", "result_of", "step_of", "table_of", "toml", "wager_of"]


def wager_of(placed: Placed) -> dict[str, Any]:
    """Return a wager in the form of a case file."""
    return WAGER.write(placed)


def result_of(result: WagerResult) -> dict[str, Any]:
    return {
        "box": result.key.box,
        "player": result.key.player,
        "bet": result.key.bet,
        "result": result.result,
        "net": None if result.result == OPEN else dollars_of(result.net),
        "rules": list(result.rules),
    }


def table_of(table: Table) -> dict[str, Any]:
    """Return a table in the form of a case file: its rulebook and, under `sign`, its sign."""
    written = TABLE.write(table) | {"shuffler": table.shuffler}
    return {
        "rulebook": table.book.name,
        "variant": list(table.book.variants),
        **({"as_of": table.book.as_of.isoformat()} if table.book.as_of else {}),
        **{key: written[key] for key in HEAD},
        "sign": {key: value for key, value in written.items() if key not in HEAD},
    }


def case_of(title: str, table: dict[str, Any], wagers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the beginning of a case file: a journal's table, and the wagers of a round."""
    as_of = {"as_of": date.fromisoformat(table["as_of"])} if "as_of" in table else {}
    return {
        "title": title,
        "rulebook": table["rulebook"],
        "variant": table["variant"],
        **as_of,
        **{key: table[key] for key in HEAD},
        "wagers": wagers,
        "steps": [],
        "table": table["sign"],
    }


def case_text(case: dict[str, Any]) -> str:
    """Return the TOML text of a case file, with `[table]` at the end, as TOML requires.

    The steps may be those of a journal.
    """
    lines = [f"{key} = {toml(value)}" for key, value in case.items() if _is_plain(value)]
    for key in ("wagers", "steps"):
        rows = "".join(f"  {toml(_in_case(row))},\n" for row in case.get(key, ()))
        lines.append(f"{key} = [\n{rows}]" if rows else f"{key} = []")
    for entry in case.get("expect", ()):
        lines.append("\n[[expect]]")
        lines += [f"{key} = {toml(value)}" for key, value in entry.items()]
    if case.get("table"):
        lines.append("\n[table]")
        lines += [f"{key} = {toml(value)}" for key, value in case["table"].items()]
    return "\n".join(lines) + "\n"


def _in_case(row: dict[str, Any]) -> dict[str, Any]:
    """Return a wager or step of a journal with the keys of a case file."""
    return {IN_CASES if key == IN_JOURNALS else key: value for key, value in row.items()}


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict) and not (
        isinstance(value, list) and (not value or isinstance(value[0], dict))
    )


def toml(value: Any) -> str:
    """Return a value in TOML syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, (int, date)):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
