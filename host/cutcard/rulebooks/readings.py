"""The numbered readings of unclear rules, for citations and for the documentation."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple


class Reading(NamedTuple):
    """Our reading of an unclear rule, with the reason and a case that cites it."""

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
    """Return the citation of a reading, to add to the citation of its rule."""
    return readings()[name].citation


def is_reading(cited: str) -> bool:
    """Return whether a citation is of a reading, not of a rule."""
    return cited.startswith("reading ")


def as_markdown() -> str:
    """Return the page `docs/reference/rulebooks/readings.md`."""
    lines = [
        "# Readings of unclear rules",
        "",
        "If a rule can be read in two ways, the engine uses these readings and cites them "
        "after the rule (`reading 2`). Generated from "
        "`host/cutcard/rulebooks/data/readings.toml` by `cutcard rulebook readings --markdown`.",
    ]
    for entry in readings().values():
        lines += ["", f"## {entry.number}. {'; '.join(entry.of)}", "", entry.text, ""]
        lines += [f"Why: {entry.why}"]
        if entry.case:
            lines += ["", f"Shown by `host/cutcard/cases/library/{entry.case}`."]
    return "\n".join(lines) + "\n"
