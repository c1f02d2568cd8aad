"""Quotations of the rules that govern a ruling, for the person that makes it.

Each is a few words of a rule with its number, so that the reader can look up the full text.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from cutcard.rulebooks.book import RULEBOOKS, Rules
from cutcard.rulebooks.readings import is_reading


class Wording(NamedTuple):
    """The words of a rule about a ruling. Quotations of the rulebook are in quotation marks."""

    rule: str
    words: str


def wording(book: str, ruling: str, rules: Rules) -> Wording | None:
    """Return the words for a ruling under these rules.

    Return None if the rulebook has no words for it, or is a custom one.
    """
    known = _of(book).get(ruling, {})
    cited = [rule for rule in rules if not is_reading(rule)]
    together = ", ".join(cited)
    return next((Wording(key, known[key]) for key in (together, *cited) if key in known), None)


@cache
def _of(book: str) -> dict[str, dict[str, str]]:
    file = resources.files("cutcard.rulebooks.wording") / f"{book}.toml"
    if book not in RULEBOOKS or not file.is_file():
        return {}
    return tomllib.loads(file.read_text("utf-8"))
