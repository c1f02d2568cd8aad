"""The table of docs/explanation/security.md, from threats.toml; `make pages` writes it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "threats.toml"
WHO = (
    "player with a cable",
    "listener at the table",
    "dealer",
    "technician with yesterday's keys",
    "supplier",
    "person at the console's port",
)
WHAT = (
    "read the order",
    "choose the order",
    "replay",
    "roll back",
    "brick",
    "see a table",
    "rule",
    "deny",
)


@dataclass(frozen=True)
class Threat:
    who: str
    what: str
    how: str
    stops: str = ""
    tests: tuple[str, ...] = ()  # node ids within this folder, or starting with host/
    left: str = ""
    not_defended: str = ""


def threats() -> list[Threat]:
    rows = tomllib.loads(DATA.read_text("utf-8"))["threat"]
    return [Threat(**{**row, "tests": tuple(row.get("tests", ()))}) for row in rows]


def table() -> str:
    lines = []
    for who in WHO:
        lines += [f"### {who[0].upper()}{who[1:]}", ""]
        lines += ["| aim | attack | defence | tests | remaining risk |"]
        lines += ["|---|---|---|---|---|"]
        for threat in sorted(
            (row for row in threats() if row.who == who), key=lambda row: WHAT.index(row.what)
        ):
            lines.append(f"| {' | '.join(_cells(threat))} |")
        lines.append("")
    return "\n".join(lines).rstrip("\n")


def _cells(threat: Threat) -> list[str]:
    if threat.not_defended:
        return [threat.what, threat.how, "**not defended**", "", threat.not_defended]
    shown = "<br>".join(f"`{test}`" for test in threat.tests)
    return [threat.what, threat.how, threat.stops, shown, threat.left]
