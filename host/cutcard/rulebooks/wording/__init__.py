"""The words of the rules that carry a ruling, for whoever is about to make it.

A few words of each rule, and which rule's: whoever wants more of it looks it up by its number.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from cutcard.rulebooks.book import RULEBOOKS, Rules
from cutcard.rulebooks.readings import is_reading


class Wording(NamedTuple):
    """What a rule says of a ruling. The rulebook's own words stand in quotation marks."""

    rule: str
    words: str


def wording(book: str, ruling: str, rules: Rules) -> Wording | None:
    """The words for a ruling under these rules; None where the book has no rule for it, or is not
    one of those that come with cutcard."""
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
