"""The opening record of a journal: the table, and the versions required to replay its rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutcard import __version__
from cutcard.cases.writing import table_of
from cutcard.engine.state import Table
from cutcard.journal import FORMAT
from cutcard.rulebooks.digest import digest

# Values that must not change, with their names in a sentence.
_CALLED = {
    "format": "the journal's format",
    "engine": "cutcard",
    "digest": "the text of the rulebook",
    "rulebook": "the rulebook",
    "variant": "the game",
    "as_of": "the day of the rulebook's text",
    "decks": "the number of decks",
    "shuffler": "the shuffler",
    "sign": "the sign of the table",
    "key": "the table's key",
}


def sign_of(table: Table, key: str = "") -> dict[str, Any]:
    """Return the table for its opening record, with the public half of the key that signs it."""
    return {
        **({"key": key} if key else {}),
        "format": FORMAT,
        "engine": __version__,
        "digest": digest(table.book.source),
        **table_of(table),
    }


def differences(written: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Describe each value that has changed since the journal was opened."""
    return [
        f"{called} was {_shown(key, written.get(key))} and is {_shown(key, now.get(key))}"
        for key, called in _CALLED.items()
        if written.get(key) != now.get(key)
    ]


def _shown(key: str, value: object) -> str:
    if key in ("digest", "key") and value:
        return str(value)[:12]
    return "not said" if value is None else str(value)
