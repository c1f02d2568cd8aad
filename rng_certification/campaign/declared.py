"""The declared campaigns: the parts of each profile, from `declared.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from cutcard.machines import find
from rng_certification.campaign.plan import Part, Plan, seed_from
from rng_certification.jackpot.prizes import all_prizes
from rng_certification.predictability import measuring
from rng_certification.profiles.profile import load, profiles_of

LABORATORY = "lab"
ASKED_FOR = "batteries"  # the kind of the parts that no profile takes by itself

Row = Mapping[str, Any]


def declared(
    profile: str,
    seed: str | tuple[str, str],
    batteries: bool = False,
    board: tuple[str, str] | None = None,
) -> Plan:
    """Return the plan of a profile; raise UnknownProfile for an unknown name.

    `seed` is a given one, or the two nonces of a fresh campaign: the laboratory's and the
    applicant's. `board` is the port of a device to be tested too, and its machine.
    """
    profiles = profiles_of(profile)
    laboratory = profile == LABORATORY
    parts = tuple(
        part
        for part in all_parts(laboratory, batteries)
        if any(each.wants(part.id) for each in profiles)
    )
    if board:
        parts = (*parts, _board(*board))
    if isinstance(seed, str):
        return Plan(profile, seed, parts)
    return Plan(profile, seed_from(*seed), parts, nonces=seed)


def all_parts(laboratory: bool = False, batteries: bool = False) -> list[Part]:
    """Return every declared part, with the sizes of an ordinary or a laboratory's campaign."""
    return [
        part
        for row in _data()["part"]
        if batteries or row["kind"] != ASKED_FOR
        for part in _parts(row, laboratory)
    ]


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _board(port: str, machine: str) -> Part:
    row = _data()["board"]
    return _part({**row, "subject": machine}, {"port": port})


def _parts(row: Row, laboratory: bool) -> Iterator[Part]:
    """Yield the part of a row, or one for each pack or table of prizes."""
    if laboratory:
        row = _merged(row, row.get("laboratory", {}))
    if "sample" not in row:
        row = {**row, "sample": measuring.LABORATORY if laboratory else measuring.ORDINARY}
    given = {key: value for key, value in row.items() if key not in ("laboratory", "for_each")}
    limits = _limits() if row["kind"] == "predictability" else {}
    each = row.get("for_each")
    if each == "packs":
        for pack in _packs(row["subject"], laboratory):
            yield _part(_filled(given, pack=pack), {"pack": pack, **limits})
    elif each == "prizes":
        for prizes in all_prizes().values():
            filled = _filled(given, id=prizes.id, total=prizes.total, rule=prizes.rule)
            yield _part(filled, {"prizes": prizes.id, "range": prizes.total})
    else:
        yield _part(given, limits)


def _part(row: Row, parameters: Row) -> Part:
    defaults = {"source": "twin", "shards": 1}
    return Part(**{**defaults, **row, "parameters": {**row.get("parameters", {}), **parameters}})


def _merged(row: Row, laboratory: Row) -> Row:
    parameters = {**row.get("parameters", {}), **laboratory.get("parameters", {})}
    return {**row, **laboratory, "parameters": parameters}


def _filled(row: Row, **values: Any) -> Row:
    """Return the row with the names in braces of its texts replaced by `values`."""
    names = ("id", "title", "subject")
    return {**row, **{name: row[name].format_map(values) for name in names}}


def _limits() -> dict[str, Any]:
    """Return the limits that the profile of a shuffler declares for its predictability."""
    return {
        name: value for clause in load("shuffler").clauses for name, value in clause.limits.items()
    }


def _packs(machine: str, laboratory: bool) -> list[int]:
    """Return the largest pack of a machine; for a laboratory every one that it admits."""
    packs = sorted({decks * deck for decks, deck in find(machine).admitted()})
    return packs if laboratory else packs[-1:]
