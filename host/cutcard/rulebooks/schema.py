"""The keys of a rulebook, each with its kind and allowed values, from `schema.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from cutcard.rulebooks.side_wagers.pay_table import parse_odds
from cutcard.untrusted import shown

Kind = Literal["flag", "choice", "odds", "number", "list", "ranks", "words"]
RANKS = "23456789TJQKA"
ANY = "*"


@dataclass(frozen=True)
class RulebookKey:
    """One key of the schema. `schema.toml` describes the fields."""

    name: str
    kind: Kind
    says: str
    of: Literal["number", "odds"] | None = None
    among: tuple[Any, ...] = ()
    least: int = 0
    most: int = 0
    cited: bool = False
    needed: bool = False
    needed_where: Mapping[str, Any] | None = None
    like: str | None = None

    @property
    def allowed(self) -> str:
        """Return the allowed values, as part of a sentence."""
        if self.kind == "list":
            each = _listed(self.among) if self.among else "3:2"
            return f"a list of {'numbers' if self.of == 'number' else 'odds'}, as in [{each}]"
        if self.among:
            said = _listed(self.among)
            return said if len(self.among) == 1 else f"one of {said}"
        if self.kind == "number":
            return f"an integer from {self.least} to {self.most}"
        return {
            "flag": "true or false",
            "odds": 'odds, as in "3:2"',
            "ranks": 'ranks of cards, each once, as in "TJQKA"',
        }.get(self.kind, "a few words as an explanation")

    def accepts(self, value: object) -> bool:
        if self.kind == "list":
            return (
                isinstance(value, list)
                and bool(value)
                and _are_different(value)
                and all(map(self._accepts_one, value))
            )
        return self._accepts_one(value)

    def is_needed(self, values: Mapping[str, Any]) -> bool:
        """Return whether a game with these values cannot be played without this key."""
        if self.needed_where is None:
            return self.needed
        return any(
            key in values and (wanted == ANY or values[key] in wanted)
            for key, wanted in self.needed_where.items()
        )

    def _accepts_one(self, value: object) -> bool:
        if not _is_a((self.of or "") if self.kind == "list" else self.kind, value):
            return False
        if self.among:
            return value in self.among
        return self.kind != "number" or self.least <= _as_number(value) <= self.most


@cache
def schema() -> Mapping[str, RulebookKey]:
    """Return every key by its name; the `*` in `side_stakes.*` matches the name of a side wager."""
    text = (resources.files("cutcard.rulebooks") / "schema.toml").read_text("utf-8")
    return {
        f"{topic}.{name}": _key(f"{topic}.{name}", said)
        for topic, keys in tomllib.loads(text).items()
        for name, said in keys.items()
    }


def key_named(name: str) -> RulebookKey | None:
    topic, _, _ = name.partition(".")
    return schema().get(name) or schema().get(f"{topic}.{ANY}")


def _key(name: str, said: Mapping[str, Any]) -> RulebookKey:
    fields = dict(said)
    needed = fields.pop("needed", False)
    among = tuple(fields.pop("among", ()))
    where = needed if isinstance(needed, dict) else None
    return RulebookKey(name, among=among, needed=needed is True, needed_where=where, **fields)


def _is_a(kind: str, value: object) -> bool:
    if kind == "flag":
        return isinstance(value, bool)
    if kind == "number":
        return isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(value, str) or not value:
        return False
    if kind == "odds":
        return _are_odds(value)
    return kind != "ranks" or (set(value) <= set(RANKS) and len(set(value)) == len(value))


def _are_different(values: list[object]) -> bool:
    return len(set(map(repr, values))) == len(values)


def _are_odds(text: str) -> bool:
    try:
        return len(text) < 10 and parse_odds(text) > 0
    except ValueError:
        return False


def _as_number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _listed(values: tuple[Any, ...]) -> str:
    return ", ".join(toml(value) for value in values)


def toml(value: object) -> str:
    """Return a value as written in a file, in at most one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{shown(value)}"' if isinstance(value, str) else shown(value)
