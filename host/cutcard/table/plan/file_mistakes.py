"""Read a table file past each mistake, so that all mistakes are reported together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeVar

from cutcard.cases.case import MalformedCaseError

# Replacements for a missing or invalid key of a player, until everything else is read.
_STAND_IN: dict[str, Any] = {"name": "somebody", "box": 1, "wager": 1}
# And for keys of the table; invalid ones may be left out, except the decks.
_OF_TABLE: dict[str, Any] = {
    "decks": 6,
    "cards": "bench:carousel-60",
    "controller": "bench:controller-4",
    "meters": "bench",
    "meter_table": "T1",
}
_PLAYER = re.compile(r"players\[(\d+)\](?:\.(\w+))?")
T = TypeVar("T")


class CheckedContent:
    """The content of a table file without its mistakes, and the mistakes."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data: dict[str, Any] = deepcopy(dict(data))
        self.mistakes: list[str] = []
        self._players: set[int] = set()  # players with mistakes in their entries

    def remove_mistake(self, error: MalformedCaseError) -> bool:
        """Record a mistake and remove its key; return False if the rest cannot be read."""
        self.mistakes.append(str(error))
        player = _PLAYER.match(error.key)
        if player is None:
            return self._leave_out(error.key)
        number, key = int(player[1]), player[2]
        self._players.add(number)
        entry = self.data["players"][number]
        if not isinstance(entry, dict) or key is None:
            self.data["players"][number] = dict(_STAND_IN)
        elif key in _STAND_IN or key not in entry:
            entry[key] = _STAND_IN.get(key, "somebody")
        else:
            del entry[key]
        return True

    def is_wrong(self, key: str) -> bool:
        """Return whether `key` was invalid and has been replaced by a default."""
        return any(mistake.startswith(f"{key}:") for mistake in self.mistakes)

    def _leave_out(self, path: str) -> bool:
        """Remove a key; return False for a missing or required one."""
        *above, key = path.split(".")
        there: Any = self.data
        for name in above:
            there = there.get(name) if isinstance(there, dict) else None
        if not isinstance(there, dict) or key in ("rulebook", "players"):
            return False
        if path == "decks" or (key not in there and path in _OF_TABLE):
            there[key] = _OF_TABLE[path]
            return True
        return there.pop(key, None) is not None

    def whole(self, players: Sequence[T]) -> list[T]:
        """Return the players with valid entries."""
        return [each for number, each in enumerate(players) if number not in self._players]
