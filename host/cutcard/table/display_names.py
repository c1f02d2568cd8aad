"""The names of rulebooks and engine in ordinary spelling."""

from __future__ import annotations

# Abbreviations that Crown puts in front of its job titles.
_ABBREVIATED = {"tg": "TG", "pbm": "PBM"}


def words(name: str) -> str:
    """Return `power-failure` as ordinary words: power failure."""
    return name.replace("-", " ")


def job(role: str) -> str:
    """Return `tg-area-manager` as in the rulebook: TG Area Manager."""
    return " ".join(_ABBREVIATED.get(word, word.capitalize()) for word in role.split("-"))
