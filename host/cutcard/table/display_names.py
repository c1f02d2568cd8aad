"""The names that the rulebooks and the engine use, as people say them."""

from __future__ import annotations

# Crown's own abbreviations stand in front of its job titles.
_ABBREVIATED = {"tg": "TG", "pbm": "PBM"}


def words(name: str) -> str:
    """`power-failure` as people say it: power failure."""
    return name.replace("-", " ")


def job(role: str) -> str:
    """`tg-area-manager` as it stands in the rulebook: TG Area Manager."""
    return " ".join(_ABBREVIATED.get(word, word.capitalize()) for word in role.split("-"))
