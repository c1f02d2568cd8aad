"""The numbered readings of doubtful rules, as the engine cites them and the documentation lists."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple


class Reading(NamedTuple):
    """One way a doubtful rule is read, with the reason and a case whose outcome cites it."""

    number: int
    name: str
    of: tuple[str, ...]
    text: str
    why: str
    case: str = ""

    @property
    def citation(self) -> str:
        return f"reading {self.number}"


@cache
def readings() -> dict[str, Reading]:
    path = resources.files("cutcard.rulebooks") / "data" / "readings.toml"
    listed = tomllib.loads(path.read_text("utf-8"))["reading"]
    return {
        entry["name"]: Reading(
            number=number,
            name=entry["name"],
            of=tuple(entry["of"]),
            text=entry["text"],
            why=entry["why"],
            case=entry.get("case", ""),
        )
        for number, entry in enumerate(listed, start=1)
    }


@cache
def reading(name: str) -> str:
    """The citation of a reading, to stand beside the rule it reads."""
    return readings()[name].citation


def is_reading(cited: str) -> bool:
    """Whether what is cited is a reading, and not a rule."""
    return cited.startswith("reading ")


def as_markdown() -> str:
    """The page `docs/rulebooks/readings.md`."""
    lines = [
        "# Readings of doubtful rules",
        "",
        "Where a rulebook can be read in two ways, the engine takes these readings and cites them "
        "beside the rule (`reading 2`). Generated from "
        "`host/cutcard/rulebooks/data/readings.toml` by `cutcard rulebook readings --markdown`.",
    ]
    for entry in readings().values():
        lines += ["", f"## {entry.number}. {'; '.join(entry.of)}", "", entry.text, ""]
        lines += [f"Why: {entry.why}"]
        if entry.case:
            lines += ["", f"Shown by `host/cutcard/cases/library/{entry.case}`."]
    return "\n".join(lines) + "\n"
