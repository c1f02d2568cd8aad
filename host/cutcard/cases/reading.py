"""Checked access to a TOML table: each value and each mistake is reported by its key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from cutcard import untrusted
from cutcard.cards import Card, parse_cards
from cutcard.cases.case import MalformedCaseError

MOST_DOLLARS = 1_000_000_000
_MISSING = object()
_PLACE = re.compile(r"[1-9][0-9]{0,3}(\.[1-9][0-9]{0,3})?")


class Fields:
    """The keys of one TOML table; `done` reports unused keys."""

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, Mapping):
            raise MalformedCaseError(where, f"must be a table, not {_shown(data)}")
        self._data: Mapping[str, Any] = data
        self._where = where
        self._asked: set[str] = set()

    def key(self, name: str) -> str:
        return f"{self._where}.{name}" if self._where else name

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def done(self) -> None:
        for name in self._data:
            if name not in self._asked:
                known = ", ".join(sorted(self._asked))
                raise MalformedCaseError(
                    self.key(name), f"is an unknown key; valid keys are {known}"
                )

    def raw(self, name: str, default: Any = _MISSING) -> Any:
        self._asked.add(name)
        if name in self._data:
            return self._data[name]
        if default is _MISSING:
            raise MalformedCaseError(self.key(name), "is missing")
        return default

    def text(self, name: str, default: Any = _MISSING, among: Iterable[str] = ()) -> Any:
        value = self.raw(name, default)
        if value is default:
            return value
        if not isinstance(value, str):
            raise self.wrong(name, "a text", value)
        choices = list(among)
        if choices and value not in choices:
            raise self.wrong(name, f"one of {', '.join(choices)}", value)
        return value

    def number(self, name: str, default: Any = _MISSING) -> Any:
        value = self.raw(name, default)
        if value is default:
            return value
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(name, "an integer", value)
        return value

    def box(self, name: str = "box", default: Any = _MISSING) -> Any:
        """Read a number counted from 1: of a box, a hand, or a round of the shoe."""
        value = self.number(name, default)
        if value is not default and value < 1:
            raise self.wrong(name, f"a {name.replace('_', ' ')}, counted from 1", value)
        return value

    def prize(self, name: str, default: Any = _MISSING) -> Any:
        """Read the dollars that a display shows or a button draws, without cents."""
        value = self.number(name, default)
        if value is not default and value < 0:
            raise self.wrong(name, "an amount in dollars without cents, at least 0", value)
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.raw(name, default)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false", value)
        return value

    def cents(self, name: str, default: Any = _MISSING, *, signed: bool = False) -> Any:
        value = self.raw(name, default)
        return value if value is default else self._cents(name, value, signed)

    def amounts(self, name: str) -> dict[str, int]:
        table = self.raw(name, {})
        if not isinstance(table, Mapping):
            raise self.wrong(name, "a table of amounts", table)
        return {key: self._cents(f"{name}.{key}", value, False) for key, value in table.items()}

    def cards(
        self, name: str, default: Any = _MISSING, *, least: int = 0, most: int | None = None
    ) -> tuple[Card, ...]:
        text = self.text(name, default)
        try:
            cards = tuple(parse_cards(text))
        except ValueError as error:
            raise MalformedCaseError(self.key(name), str(error)) from error
        if len(cards) < least or (most is not None and len(cards) > most):
            wanted = "one card" if least == most else f"{least} or more cards"
            raise self.wrong(name, wanted, text)
        return cards

    def sequence(self, name: str, default: Any = _MISSING) -> list[Any]:
        value = self.raw(name, default)
        if not isinstance(value, list | tuple):
            raise self.wrong(name, "a list", value)
        return list(value)

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.sequence(name, ())
        if not all(isinstance(value, str) for value in values):
            raise self.wrong(name, "a list of strings", values)
        return tuple(values)

    def boxes(self, name: str) -> tuple[int, ...]:
        values = self.sequence(name, ())
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            raise self.wrong(name, "a list of integers", values)
        return tuple(values)

    def places(self, name: str) -> tuple[str, ...]:
        return tuple(self._place(name, value) for value in self.sequence(name, ()))

    def place(self, name: str) -> str | None:
        value = self.raw(name, None)
        return None if value is None else self._place(name, value)

    def day(self, name: str) -> date | None:
        value = self.raw(name, None)
        if value is not None and type(value) is not date:
            raise self.wrong(name, "a date as in 2013-04-01", value)
        return value

    def wrong(self, name: str, wanted: str, value: object) -> MalformedCaseError:
        return MalformedCaseError(self.key(name), f"must be {wanted}, not {_shown(value)}")

    def _cents(self, name: str, value: object, signed: bool) -> int:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise self.wrong(name, "an amount in dollars", value)
        if not Decimal(value).is_finite() or Decimal(value).copy_abs() > MOST_DOLLARS:
            raise self.wrong(name, f"an amount of at most ${MOST_DOLLARS:,}", value)
        cents = Decimal(value) * 100
        if cents != cents.to_integral_value():
            raise self.wrong(name, "an amount exact to the cent", value)
        if cents < 0 and not signed:
            raise self.wrong(name, "an amount that is not negative", value)
        return int(cents)

    def _place(self, name: str, value: object) -> str:
        text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if text == "dealer" or _PLACE.fullmatch(text):
            return text
        raise self.wrong(name, 'a box, a hand as in "2.1", or "dealer"', value)


def _shown(value: object) -> str:
    return untrusted.shown(repr(str(value)) if isinstance(value, Decimal) else repr(value))
