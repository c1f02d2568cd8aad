"""A game or side wager with changed rules: values that replace a rulebook's, and their checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from cutcard.rulebooks.book import Rulebook
from cutcard.rulebooks.layer import Entry, mistakes_together
from cutcard.rulebooks.schema import ANY, key_named, schema, toml
from cutcard.rulebooks.side_wagers.catalogue import SideWager
from cutcard.rulebooks.side_wagers.pay_table import parse_odds
from cutcard.untrusted import BadContentError, nearest, shown, toml_from, whole_number

OWN = "of one's own"


class BadRuleError(ValueError):
    """Raised for changed values that no rulebook could have; it names every invalid key."""


def with_own(book: Rulebook, values: Mapping[str, Any]) -> Rulebook:
    """Return the rulebook with these values. Raises BadRuleError with all mistakes.

    Needed keys that have no effect, because the engine only cites their rule, may be missing.
    """
    if mistakes := [why for name, value in values.items() if (why := _mistake(name, value))]:
        raise BadRuleError("; ".join(mistakes))
    entries = dict(book.entries)
    entries |= {name: Entry(value, (), OWN) for name, value in values.items()}
    together = {key: entry.value for key, entry in entries.items()}
    for key in schema().values():
        if key.cited and key.name not in together and key.is_needed(together):
            entries[key.name] = Entry(key.among[0] if key.among else OWN, (), OWN)
            together[key.name] = entries[key.name].value
    if wrong := list(mistakes_together("these rules", together)):
        raise BadRuleError("; ".join(map(str, wrong)))
    return replace(book, entries=entries)


def own_value(text: str) -> tuple[str, Any]:
    """Parse `blackjack.odds=6:5` into a key and its value. Raises BadRuleError."""
    name, equals, value = text.partition("=")
    if not equals or not value:
        raise BadRuleError(f"{shown(text)!r}: write KEY=VALUE, as in blackjack.odds=6:5")
    key = key_named(name)
    if key is None:
        raise BadRuleError(_unknown_key(name))
    if key.kind == "flag" and value in ("true", "false"):
        return name, value == "true"
    if key.kind == "number":
        return name, _number(value)
    if key.kind == "list":
        parts = value.split(",")
        return name, [_number(each) for each in parts] if key.of == "number" else parts
    return name, value


def _number(text: str) -> int | str:
    """Return a whole number; leave other text unchanged, so that the schema rejects it by name."""
    number = whole_number(text, 9)
    return text if number is None else number


def own_row(text: str) -> tuple[str, str]:
    """Parse `perfect-pair=25:1` into a row and its odds. Raises BadRuleError."""
    row, equals, odds = text.partition("=")
    if not equals:
        raise BadRuleError(f"{shown(text)!r}: write ROW=ODDS, as in perfect-pair=25:1")
    return row, odds


def odds_typed(text: str) -> Fraction:
    """Parse odds such as `25:1`. Raises BadRuleError."""
    try:
        return parse_odds(text)
    except ValueError as error:
        raise BadRuleError(str(error)) from None


def with_own_odds(side: SideWager, values: Mapping[str, Any]) -> SideWager:
    """Return the side wager with other odds for some rows. Raises BadRuleError."""
    rows = sorted({row for column in side.columns for row in column.odds})
    own = {}
    for row, odds in values.items():
        if row not in rows:
            raise BadRuleError(
                f"{side.bet} has no row {shown(row)!r} that pays odds; {_rows(rows)}"
            )
        try:
            own[row] = odds_typed(str(odds))
        except BadRuleError as bad:
            raise BadRuleError(f"{row}: {bad}") from bad
    columns = tuple(
        replace(each, odds={row: own.get(row, odds) for row, odds in each.odds.items()})
        for each in side.columns
    )
    return replace(side, columns=columns, printed_edge={})


def _rows(rows: list[str]) -> str:
    return f"it has {', '.join(rows)}" if rows else "its prizes are not odds"


def own_table(text: str) -> dict[str, Any]:
    """Read a paytable or other rules from TOML text. Raises BadRuleError."""
    try:
        return dict(_flat(toml_from(text)))
    except BadContentError as error:
        raise BadRuleError(str(error)) from error


def own_rows(text: str) -> dict[str, Any]:
    """Parse a side wager's paytable from TOML: `perfect-pair = "25:1"`. Raises BadRuleError."""
    try:
        return dict(toml_from(text))
    except BadContentError as error:
        raise BadRuleError(str(error)) from error


def _flat(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for topic, keys in data.items():
        if not isinstance(keys, dict):
            raise BadRuleError(
                f"{shown(topic)}: write it in a table, as in [blackjack] odds = '6:5'"
            )
        for key, value in keys.items():
            yield f"{topic}.{key}", value


def _mistake(name: str, value: object) -> str:
    """Return the reason why no rulebook can have this value; empty if it can."""
    key = key_named(name)
    if key is None or key.name.endswith(ANY):
        return _unknown_key(name)
    if not key.accepts(value):
        return f"{name} is {toml(value)}; it must be {key.allowed} ({key.says})"
    return ""


def _unknown_key(name: str) -> str:
    known = [key for key in schema() if not key.endswith(ANY)]
    like = nearest(name, known)
    hint = f"did you mean {like}?" if like else "`cutcard rulebook keys` lists all keys"
    return f"unknown key {shown(name)!r}; {hint}"
