"""The casino's duties before and during a tournament (Crown 31.2, 31.3), as a file to complete.

The file is TOML. `[before]` has the times at which the terms were available, the inspectorate was
advised, entries opened and play began; `[people]` the Director, whether the Director is present,
Deputies, players and the briefed players; `[tables]` the designated tables and those in other use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from cutcard import untrusted

TIMES = ("terms_available", "inspectorate_advised", "entries_open", "play_begins")
KEYS: Mapping[str, tuple[str, ...]] = {
    "before": ("terms_documented", *TIMES),
    "people": ("director", "director_present", "deputies", "players", "briefed", "practised"),
    "tables": ("designated", "in_other_use"),
}


class PreparationFileError(ValueError):
    """Raised for a file that cannot be read, or with an unknown key or a value of a wrong type."""


@dataclass(frozen=True, slots=True)
class OpenDuty:
    """A duty that the file does not show as done, with its rule."""

    rule: str
    text: str


def read_preparation(file: Path) -> Mapping[str, Mapping[str, Any]]:
    """Read a file. Raises PreparationFileError with the correction."""
    try:
        data = untrusted.read_toml(file)
    except OSError as error:
        raise PreparationFileError(f"{file}: cannot be read: {error.strerror}") from error
    except untrusted.BadContentError as error:
        raise PreparationFileError(f"{file}: {error}") from error
    for table, entries in data.items():
        if table not in KEYS or not isinstance(entries, dict):
            raise PreparationFileError(f"{file}: unknown table {table}; use {', '.join(KEYS)}")
        for key, value in entries.items():
            if key not in KEYS[table]:
                known = ", ".join(KEYS[table])
                raise PreparationFileError(f"{file}: unknown key {table}.{key}; use {known}")
            if not _is_valid(key, value):
                raise PreparationFileError(f"{file}: {table}.{key}: {_expected(key)}")
    return data


def open_duties(data: Mapping[str, Mapping[str, Any]]) -> list[OpenDuty]:
    """Return every duty of 31.2 and 31.3 that is not done, in the order of the rules."""
    before, people, tables = (data.get(table, {}) for table in KEYS)
    return [*_before(before), *_director(people), *_tables(tables), *_briefing(people)]


def _before(before: Mapping[str, Any]) -> Iterator[OpenDuty]:
    if before.get("terms_documented") is not True:
        yield OpenDuty("31.2.1", "document the Terms and Conditions that rule 31.4 lists")
    entries, begins = before.get("entries_open"), before.get("play_begins")
    for key, rule, text in (
        ("terms_available", "31.2.2(a)", "make the Terms and Conditions available to patrons"),
        ("inspectorate_advised", "31.2.2(b)", "advise the on-site inspectorate"),
    ):
        done = before.get(key)
        if done is None:
            yield OpenDuty(rule, text)
            continue
        for later, name in ((entries, "entries opened"), (begins, "play began")):
            if later is not None and done >= later:
                yield OpenDuty(rule, f"{text} before {name} ({later})")


def _director(people: Mapping[str, Any]) -> Iterator[OpenDuty]:
    if not people.get("director", ""):
        yield OpenDuty("31.2.3", "appoint a Tournament Director")
    elif people.get("director_present") is not True and not people.get("deputies"):
        yield OpenDuty("31.2.3", f"{people['director']} must be present, or appoint a Deputy")


def _tables(tables: Mapping[str, Any]) -> Iterator[OpenDuty]:
    designated = tables.get("designated", [])
    if not designated:
        yield OpenDuty("31.2.4", "designate the gaming tables")
    for table in designated:
        if table in tables.get("in_other_use", []):
            yield OpenDuty("31.2.5", f"table {table} must be used for the tournament only")


def _briefing(people: Mapping[str, Any]) -> Iterator[OpenDuty]:
    players = people.get("players", [])
    if not players:
        yield OpenDuty("31.3.1", "name the players, and brief them on the Terms and Conditions")
    briefed = people.get("briefed", [])
    for player in players:
        if player not in briefed:
            yield OpenDuty("31.3.1", f"brief {player} on the Terms and Conditions")


def _is_valid(key: str, value: object) -> bool:
    if key in TIMES:
        return isinstance(value, datetime)
    if key == "director":
        return isinstance(value, str)
    if key in ("director_present", "terms_documented", "practised"):
        return isinstance(value, bool)
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _expected(key: str) -> str:
    if key in TIMES:
        return "write a date and a time, as in 2026-11-19T18:00:00"
    if key == "director":
        return "write a name"
    if key in ("director_present", "terms_documented", "practised"):
        return "write true or false"
    return 'write a list of names, as in ["Ann", "Ben"]'
