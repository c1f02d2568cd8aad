"""A profile: the clauses of one standard, each with the tests that answer it.

The clauses are data, one TOML file for each profile. A pattern is matched against the full name of
a test, "<part>/<test>", as in a shell, except that `*` also matches slashes. Only clauses of texts
that we have read are included. A requirement that cannot be shown here states this (`not_claimed`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from cutcard.untrusted import BadContentError, toml_from

FOLDER = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
# A profile with different sample sizes: campaign plans append this to the name.
COMBINATIONS = {"all": NAMES, "lab": NAMES}


class UnknownProfileError(Exception):
    """No profile has that name."""


class BadProfileError(ValueError):
    """The text of a profile is invalid."""


@dataclass(frozen=True)
class Clause:
    """The requirement of one clause, and its answer: by tests, by construction, or not claimed."""

    id: str
    cites: str
    asks: str  # the clause's own sentence, in our words
    here: str = ""  # the tested part of it, if it differs from the clause
    tests: tuple[str, ...] = ()
    least: int = 0  # the smallest sample that the clause accepts, of each machine
    mechanical: bool = False  # it requires a machine: an answer by a model counts as simulated
    shown_by: tuple[str, ...] = ()  # tests of the source code, "file::function"
    page: str = ""
    not_claimed: str = ""
    limit_bits: float = 0.0  # predictable bits of the next card, above an ideal machine
    ear_start_stop_ms: float = 0.0  # the required precision of the listener
    ear_direction: float = 0.0  # the chance that the listener identifies a hidden direction
    money_share: float = 0.0  # of the house edge: the largest gain of a bettor
    money_safety: float = 0.0  # allowance for counters better than ours
    money_spread: float = 0.0  # the large bet, in small bets

    @property
    def limits(self) -> dict[str, float]:
        """Return the limits declared before the run; a part receives them with its plan."""
        names = (
            "limit_bits",
            "ear_start_stop_ms",
            "ear_direction",
            "money_share",
            "money_safety",
            "money_spread",
        )
        return {name: getattr(self, name) for name in names if getattr(self, name)}

    def answered_by(self, test: str) -> bool:
        """Return whether a test answers the clause; "test@rule" counts as its test."""
        return bool(self.tests) and _any_of(self.tests).match(test.partition("@")[0]) is not None


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Join all patterns, because a campaign matches a million times."""
    return re.compile("|".join(map(translate, patterns)))


@dataclass(frozen=True)
class Profile:
    name: str
    title: str
    about: str
    confidence: tuple[
        float, ...
    ]  # the confidences that the standard names; empty if it names no value
    clauses: tuple[Clause, ...]

    def wants(self, part: str) -> bool:
        """Return whether a test of this part could answer some clause."""
        return any(
            fnmatchcase(part, pattern.split("/")[0])
            for clause in self.clauses
            for pattern in clause.tests
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "profile": self.name,
            "title": self.title,
            "about": self.about,
            "confidence": list(self.confidence),
            "clauses": [
                {
                    "clause": clause.id,
                    "cites": clause.cites,
                    "asks": clause.asks,
                    **({"here": clause.here} if clause.here else {}),
                    "tests": list(clause.tests),
                    **({"least": clause.least} if clause.least else {}),
                    **({"mechanical": True} if clause.mechanical else {}),
                    **clause.limits,
                    **({"shown_by": list(clause.shown_by)} if clause.shown_by else {}),
                    **({"page": clause.page} if clause.page else {}),
                    **({"not_claimed": clause.not_claimed} if clause.not_claimed else {}),
                }
                for clause in self.clauses
            ],
        }


@lru_cache
def load(name: str) -> Profile:
    """Load one profile by its name."""
    if name not in NAMES:
        raise UnknownProfileError(f"unknown profile {name!r}: use one of {_choices()}")
    return profile_in((FOLDER / f"{name}.toml").read_text(encoding="utf-8"), name)


def profile_in(text: str, name: str) -> Profile:
    """Return the profile in a TOML text; `docs/how-to/certify.md` describes its fields.

    Raises BadProfileError with the name of the invalid field.
    """
    try:
        table = toml_from(text)
    except BadContentError as error:
        raise BadProfileError(f"profile {name}: {error}") from None
    unknown = table.keys() - {"title", "about", "confidence", "clause"}
    if unknown:
        raise BadProfileError(f"profile {name}: unknown field {min(unknown)!r}")
    title, about = (_line(name, table, key) for key in ("title", "about"))
    levels = table.get("confidence", [])
    if not isinstance(levels, list) or not all(
        isinstance(level, float) and 0 < level < 1 for level in levels
    ):
        raise BadProfileError(
            f"profile {name}: confidence must be a list of numbers between 0 and 1"
        )
    entries = table.get("clause")
    tables = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    if not tables or not entries:
        raise BadProfileError(f"profile {name}: it needs at least one [[clause]]")
    clauses = tuple(_clause(name, entry) for entry in entries)
    for key in ("id", "cites"):
        known = [getattr(clause, key) for clause in clauses]
        if twice := [each for each in known if known.count(each) > 1]:
            raise BadProfileError(f"profile {name}: two clauses have the {key} {twice[0]!r}")
    return Profile(name, title, about, tuple(levels), clauses)


def profiles_of(name: str) -> tuple[Profile, ...]:
    """Return the profiles that a campaign of this name answers; `all` and `lab`: every one."""
    if name in COMBINATIONS:
        return tuple(load(one) for one in COMBINATIONS[name])
    return (load(name),)


def _clause(profile: str, entry: dict[str, Any]) -> Clause:
    where = f"profile {profile}, clause {entry.get('id')!r}"
    for key, value in entry.items():
        kind = _KINDS.get(key)
        if kind is None:
            raise BadProfileError(
                f"{where}: unknown field {key!r}; valid fields are {', '.join(_KINDS)}"
            )
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise BadProfileError(f"{where}: {key} must be {_SAID[kind]}")
        if isinstance(value, list) and not all(isinstance(each, str) for each in value):
            raise BadProfileError(f"{where}: {key} must be {_SAID[list]}")
    for key in ("id", "cites", "asks"):
        _line(f"{profile}, clause {entry.get('id')!r}", entry, key)
    lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    clause = Clause(**{**entry, **lists})
    if not (clause.tests or clause.shown_by or clause.not_claimed):
        raise BadProfileError(f"{where}: it needs tests, shown_by or not_claimed")
    if clause.not_claimed and (clause.tests or clause.shown_by):
        raise BadProfileError(f"{where}: not_claimed excludes tests and shown_by")
    return clause


_KINDS: dict[str, type] = {
    field.name: {"str": str, "int": int, "float": float, "bool": bool}.get(str(field.type), list)
    for field in fields(Clause)
}
_SAID = {
    str: "a text",
    int: "an integer",
    float: "a number with a decimal point",
    bool: "true or false",
    list: "a list of texts",
}


def _line(where: str, table: dict[str, Any], key: str) -> str:
    text = table.get(key)
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise BadProfileError(f"profile {where}: {key} must be a text of one line")
    return text


def _choices() -> str:
    return ", ".join((*COMBINATIONS, *NAMES))
