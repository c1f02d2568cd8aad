"""Changed rules and odds, `--set` and `--paytable`: parse and check them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from cutcard import untrusted
from cutcard.cli.options import called_wrongly, complain
from cutcard.edge.own_rules import BadRuleError, own_table, own_value, with_own
from cutcard.rulebooks.book import Rulebook

OwnRules = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A house rule: blackjack.odds=6:5."),
]
PayFile = Annotated[
    Path | None,
    typer.Option("--paytable", metavar="FILE", help="House rules in a TOML file."),
]
SAID_ALREADY = "the rulebook has this value already"
NO_EFFECT = "it moves no money at this table"


class OwnValues(NamedTuple):
    """House rules: values of a file, and typed values, which override the file."""

    in_file: Mapping[str, Any]
    typed: Mapping[str, Any]

    @property
    def values(self) -> dict[str, Any]:
        return {**self.in_file, **self.typed}

    @property
    def overridden(self) -> list[str]:
        """Return the keys of the file with another value on the command line."""
        return [
            key
            for key, value in self.typed.items()
            if key in self.in_file and self.in_file[key] != value
        ]

    def without(self, key: str) -> dict[str, Any]:
        """Remove `key` from the typed values, or from the file's values if it was not typed."""
        typed = {each: value for each, value in self.typed.items() if each != key}
        in_file = {
            each: value for each, value in self.in_file.items() if each != key or key in self.typed
        }
        return {**in_file, **typed}


def own_values(
    typed: Sequence[str],
    paytable: Path | None,
    *,
    of_text: Callable[[str], tuple[str, Any]],
    of_file: Callable[[str], Mapping[str, Any]],
) -> OwnValues:
    """Return the values of the file and the typed ones. Exit 2 for invalid ones."""
    in_file = {} if paytable is None else _in_file(paytable, of_file)
    keys = Counter(text.partition("=")[0] for text in typed)
    for key, times in keys.items():
        if times > 1:
            called_wrongly(f"--set {key}: it is given {times} times; give it once")
    try:
        own = OwnValues(in_file, dict(map(of_text, typed)))
    except BadRuleError as bad:
        called_wrongly(str(bad))
    for key in own.overridden:
        complain(f"--set {key} overrides the file, which has {untrusted.shown(own.in_file[key])}")
    return own


def own_game_rules(typed: Sequence[str] | None, paytable: Path | None) -> OwnValues:
    """Return the rules of `--set` and `--paytable` for a main game; exit 2 for invalid ones."""
    return own_values(typed or [], paytable, of_text=own_value, of_file=own_table)


def book_with_own(book: Rulebook, values: Mapping[str, Any]) -> Rulebook:
    """Return the rulebook with these values; exit 2 if no rulebook could have them."""
    try:
        return with_own(book, values)
    except BadRuleError as bad:
        called_wrongly(str(bad))


def refuse_other_decks(book: Rulebook, values: Mapping[str, Any], decks: int) -> None:
    """Exit 2 if a changed `cards.decks` does not allow the table's number of decks."""
    allowed = book["cards.decks"].value
    if "cards.decks" in values and decks not in allowed:
        called_wrongly(f"--decks {decks}: your cards.decks is {', '.join(map(str, allowed))}")


def _in_file(paytable: Path, of_file: Callable[[str], Mapping[str, Any]]) -> Mapping[str, Any]:
    try:
        values = of_file(untrusted.text_of(untrusted.content(paytable, untrusted.MOST_TOML)))
    except BadRuleError as bad:
        called_wrongly(f"--paytable {paytable}: {bad}")
    except (OSError, untrusted.BadContentError) as error:
        called_wrongly(f"--paytable {paytable} cannot be read: {untrusted.why_unreadable(error)}")
    if not values:
        called_wrongly(f"--paytable {paytable}: it is empty")
    return values


def own_rules_suffix(values: Mapping[str, Any]) -> str:
    """Return the house rules in words, to append to the name of the game; "" without any."""
    said = ", ".join(f"{key} = {value}" for key, value in values.items())
    return f", with {said}" if said else ""


def refuse_ineffective_rules(
    own: OwnValues, typed: Sequence[str], why_idle: Callable[[str], str]
) -> None:
    """Exit 2 for a typed rule without effect; for one of a file, which may be long, print a
    warning.

    `why_idle` returns the reason why a key has no effect, or "" if it has one.
    """
    for key in own.values:
        why = why_idle(key)
        if not why:
            continue
        for text in typed:
            if text.partition("=")[0] == key:
                called_wrongly(f"--set {text}: {why}")
        complain(f"{key} in the file: {why}")
