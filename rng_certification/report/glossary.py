"""Explains each test without statistical terms."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("glossary.toml")


@dataclass(frozen=True)
class DataView:
    """Another view of the same data, on which the same tests run."""

    prefix: str
    title: str
    says: str


@dataclass(frozen=True)
class Measure:
    """The unit of a fault's size: the text in findings, a short form, and a sentence."""

    full: str
    short: str
    says: str


@dataclass(frozen=True)
class GlossaryEntry:
    pattern: str
    title: str
    looks: str


@dataclass(frozen=True)
class Meaning:
    """The purpose of one test, and the view of the data on which it runs."""

    entry: GlossaryEntry
    view: DataView | None = None

    @property
    def title(self) -> str:
        return f"{self.entry.title}, {self.view.title}" if self.view else self.entry.title


@cache
def _glossary() -> tuple[tuple[DataView, ...], tuple[GlossaryEntry, ...]]:
    table = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return (
        tuple(DataView(**view) for view in table["view"]),
        tuple(GlossaryEntry(**entry) for entry in table["test"]),
    )


def views() -> tuple[DataView, ...]:
    return _glossary()[0]


def entries() -> tuple[GlossaryEntry, ...]:
    return _glossary()[1]


ONE_SHARD = ", in a single shard"


@cache
def measures() -> tuple[Measure, ...]:
    table = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(Measure(row["is"], row["short"], row["says"]) for row in table["measure"])


def short_measure(full: str) -> str:
    """Return a measure in a word or two; unchanged if the glossary has no short form."""
    named = {measure.full: measure.short for measure in measures()}
    inner = full.removesuffix(ONE_SHARD)
    return named.get(inner, inner) + (", one shard" if inner != full else "")


@cache
def meaning_of(test: str) -> Meaning | None:
    """Explain a test, given its name without its part; None if the glossary does not have it.

    A rule over several shards, "test@rule", has the meaning of its test.
    """
    test = test.split("@")[0]
    for view in views():
        if test.startswith(view.prefix):
            inner = meaning_of(test.removeprefix(view.prefix))
            if inner:
                return Meaning(inner.entry, view)
    for entry in entries():
        if fnmatchcase(test, entry.pattern):
            return Meaning(entry)
    return None
