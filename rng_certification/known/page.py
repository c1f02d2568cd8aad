"""Write docs/reference/known-generators.md from our measurements and published results.

python -m rng_certification.known.page > docs/reference/known-generators.md
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from string import Template
from typing import Any

from rng_certification.known.measuring import DIEHARDER, MEASURED, SEED, UNTIL
from rng_certification.known.samples import table_of_samples
from rng_certification.known.sources import KNOWN

TEMPLATE = Path(__file__).with_name("page.template")
PUBLISHED = Path(__file__).with_name("published.toml")
_UNITS = ((1 << 20, "MiB"), (1 << 10, "KiB"))


def page() -> str:
    measured: dict[str, Any] = json.loads(MEASURED.read_text("utf-8"))
    published = tomllib.loads(PUBLISHED.read_text("utf-8"))
    tables = {
        standing: "\n".join(_table(standing, measured, published))
        for standing in ("good", "historical", "broken")
    }
    return Template(TEMPLATE.read_text("utf-8")).substitute(
        tables,
        seed=SEED,
        until=UNTIL,
        dieharder=", ".join(DIEHARDER),
        sources="\n".join(_sources(published)),
        samples="\n".join(table_of_samples()),
    )


def _table(
    standing: str, measured: dict[str, Any], published: dict[str, dict[str, str]]
) -> list[str]:
    heads = (
        "generator",
        "cutcard, bits",
        "cutcard, draws",
        "dieharder",
        "SmallCrush",
        "published: TestU01",
        "published: PractRand",
    )
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for known in (
        each
        for each in KNOWN
        if each.standing == standing and "bits" in measured.get(each.name, {})
    ):
        found, said = measured[known.name], published.get(known.name, {})
        cells = [
            known.title,
            _ours(found["bits"]),
            _ours(found["draws"]),
            _theirs(found.get("dieharder")),
            _theirs(found.get("testu01")),
            said.get("testu01", ""),
            said.get("practrand", ""),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _ours(found: dict[str, Any]) -> str:
    if found["verdict"] == "pass":
        return f"passes {_volume(found['bytes'])}"
    return f"**fails** at {_volume(found['bytes'])}: `{found['surest']}`"


def _theirs(found: dict[str, Any] | None) -> str:
    if found is None:
        return "not run"
    void = f", {found['void']} void" if found["void"] else ""
    if not found["failed"]:
        return f"passes {found['results']}{void}"
    return f"**fails** {found['failed']} of {found['results']}{void}"


def _volume(size: int) -> str:
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


def _sources(published: dict[str, dict[str, str]]) -> list[str]:
    lines = []
    for key, text in published["sources"].items():
        names = [name for name, row in published.items() if key in row.get("source", "")]
        lines.append(f"- {text}: {', '.join(names)}.")
    return lines


if __name__ == "__main__":
    sys.stdout.write(page())
