"""The checklist of Crown 31.4: required items of a tournament's Terms and Conditions.

A terms file is TOML: `[tournament]` states the facts that make an item necessary (`buy_back =
true`), the other tables have the texts by the keys of the checklist. It checks only that a text
exists, not its legal quality.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from cutcard import untrusted

State = Literal["present", "missing", "not needed"]


class TermsFileError(ValueError):
    """Raised for a terms file that cannot be read: missing, not TOML, or with unknown keys."""


@dataclass(frozen=True, slots=True)
class RequiredTerm:
    """One required item of the terms; `when` names the fact that it depends on."""

    rule: str
    key: str
    says: str
    when: str = ""


@dataclass(frozen=True, slots=True)
class CheckedTerm:
    """An item and whether the terms have it."""

    item: RequiredTerm
    state: State


@cache
def checklist() -> tuple[RequiredTerm, ...]:
    path = resources.files("cutcard.tournament") / "terms.toml"
    return tuple(RequiredTerm(**entry) for entry in tomllib.loads(path.read_text("utf-8"))["item"])


def facts() -> tuple[str, ...]:
    """Return the facts that a terms file states under `[tournament]`."""
    return tuple(dict.fromkeys(item.when for item in checklist() if item.when))


def read_terms(file: Path) -> Mapping[str, Any]:
    """Read a terms file. Raises TermsFileError with the correction."""
    try:
        terms = untrusted.read_toml(file)
    except OSError as error:
        raise TermsFileError(f"{file}: cannot be read: {error.strerror}") from error
    except untrusted.BadContentError as error:
        raise TermsFileError(f"{file}: {error}") from error
    _refuse_unknown(file, terms)
    return terms


def check(terms: Mapping[str, Any]) -> list[CheckedTerm]:
    """Return every item of 31.4 with its state.

    A fact that the file does not state counts as true, so that an omission does not excuse an item.
    """
    stated = terms.get("tournament", {})
    return [CheckedTerm(item, _state(item, terms, stated)) for item in checklist()]


def _state(item: RequiredTerm, terms: Mapping[str, Any], stated: Mapping[str, Any]) -> State:
    table, _, key = item.key.partition(".")
    text = terms.get(table, {}).get(key, "")
    if isinstance(text, str) and text.strip():
        return "present"
    if item.when and stated.get(item.when, True) is False:
        return "not needed"
    return "missing"


def _refuse_unknown(file: Path, terms: Mapping[str, Any]) -> None:
    known = {item.key for item in checklist()} | {f"tournament.{fact}" for fact in facts()}
    for table, entries in terms.items():
        if not isinstance(entries, dict):
            raise TermsFileError(f"{file}: {table}: must be in a table such as [details]")
        for key in entries:
            if f"{table}.{key}" not in known and f"{table}.{key}" != "tournament.name":
                near = sorted(name for name in known if name.startswith(f"{table}."))
                there_are = ", ".join(near) or ", ".join(sorted({k.split(".")[0] for k in known}))
                raise TermsFileError(f"{file}: unknown key {table}.{key}; use one of {there_are}")
