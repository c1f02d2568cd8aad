"""Reading the register, and collecting the rules that a case file cites."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import Any, Literal

from cutcard.rulebooks.book import RULEBOOKS

# The texts that have a register: the rulebooks, and an amendment of one of them.
REGISTERS = (
    "nz-division-2",
    "nz-amendment-2013",
    "crown-melbourne-26",
    "mbs-free-bet-3",
    "uk-blackjack",
)
AMENDMENTS = tuple(name for name in REGISTERS if name not in RULEBOOKS)
KINDS = ("money", "procedure", "equipment", "discretion", "outside")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Registered:
    """One line of a register: the rules it covers and their description.

    `by` is module:function, `case` a file below host/cutcard/cases/library.
    """

    rules: tuple[str, ...]
    kind: Literal["money", "procedure", "equipment", "discretion", "outside"]
    says: str
    by: str = ""
    case: str = ""

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the numbers of all rules, with ranges expanded."""
        return tuple(number for rule in self.rules for number in _expanded(rule))

    def implementation(self) -> object:
        """Import the object in `by`. Raises ImportError or AttributeError if it is missing."""
        module, _, name = self.by.partition(":")
        return getattr(import_module(module), name)


@cache
def register(name: str) -> tuple[str, tuple[Registered, ...]]:
    """Return the title and the lines of a register."""
    path = resources.files("cutcard.rulebooks.register") / f"{name}.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    lines = tuple(
        Registered(
            tuple(line["n"]), line["kind"], line["says"], line.get("by", ""), line.get("case", "")
        )
        for line in data["rules"]
    )
    return data["title"], lines


def citations(case: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rules that a case file expects the engine to cite, in any part of the file."""
    yield from case.get("cites", ())
    if case.get("invalid"):
        yield case["invalid"]
    for expected in case.get("expect", ()):
        yield from expected.get("rules", ())
    for step in case.get("steps", ()):
        if step.get("rule"):
            yield step["rule"]


def _expanded(rule: str) -> Iterator[str]:
    """Expand a range: `5.1(a)-(c)` and `2.2.1-2.2.3` are three rules each."""
    span = re.fullmatch(r"(.*)\((\w+)\)-\((\w+)\)", rule)
    if span:
        stem, first, last = span.groups()
        order = _ROMAN if first == "i" else _LETTERS
        for label in order[order.index(first) : order.index(last) + 1]:
            yield f"{stem}({label})"
        return
    span = re.fullmatch(r"([\d.]+\.)(\d+)-\1(\d+)", rule)
    if span:
        stem, first, last = span.groups()
        for number in range(int(first), int(last) + 1):
            yield f"{stem}{number}"
        return
    yield rule
