"""A rulebook as the engine reads it: the layers laid over each other, each value with its rule.

The rulebooks put it themselves: the rules of Blackjack apply "except where inconsistent". So the
base comes first, then the variant's parent, the variant, a second variant where the rulebook lets
two apply together; the later layer prevails, and its rule is the one that is cited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from cutcard.rulebooks.readings import reading, readings
from cutcard.rulebooks.side_wagers.catalogue import SideWager, side_wagers
from cutcard.rulebooks.side_wagers.pay_table import parse_odds
from cutcard.rulebooks.text import MalformedRulebookError, parse

RULEBOOKS = ("nz-division-2", "crown-melbourne-26", "mbs-free-bet-3", "uk-blackjack")

Rules = tuple[str, ...]


class UnknownRulebookError(LookupError):
    """Raised for a rulebook, or a variant of one, that cutcard does not have."""


class Entry(NamedTuple):
    """One value of a rulebook, the rules that say so and the layer it comes from."""

    value: Any
    rules: Rules
    layer: str

    @property
    def odds(self) -> Fraction:
        return parse_odds(self.value)


class Layer(NamedTuple):
    """A file of the rulebook: what it is called, the section that brings it in, its entries."""

    name: str
    title: str
    section: str
    on: str
    together_with: tuple[str, ...]
    entries: Mapping[str, Entry]


@dataclass(frozen=True)
class Rulebook:
    """The effective rules of one table's game on one day."""

    name: str
    title: str
    variants: tuple[str, ...]
    roles: tuple[str, ...]
    as_of: date | None
    entries: Mapping[str, Entry] = field(repr=False)
    side_wagers: Mapping[str, SideWager] = field(repr=False)

    def __getitem__(self, key: str) -> Entry:
        return self.entries[key]

    def get(self, key: str) -> Entry | None:
        return self.entries.get(key)

    def rules(self, key: str) -> Rules:
        return self.entries[key].rules

    def flag(self, key: str) -> bool:
        entry = self.entries.get(key)
        return entry is not None and entry.value is True

    def says(self, key: str, value: str) -> bool:
        entry = self.entries.get(key)
        return entry is not None and entry.value == value


class Contents(NamedTuple):
    """What a rulebook has on one day, before a table chooses from it."""

    title: str
    roles: tuple[str, ...]
    variants: tuple[str, ...]
    later_variants: tuple[str, ...]
    bets: Mapping[str, SideWager]
    later_bets: tuple[str, ...]


@cache
def contents(name: str, as_of: date | None = None) -> Contents:
    """The variants and side wagers that a rulebook knows on a day (today's text without one)."""
    base = _read(name, "base")
    bets = side_wagers(name)
    variants = tuple(base["variants"])
    text = _text_of(name, as_of)
    if text is None:
        return Contents(base["title"], tuple(base["roles"]), variants, (), bets, ())
    known = {bet: _amended(bets[bet], text.get(bet, {})) for bet in text["bets"]}
    return Contents(
        base["title"],
        tuple(base["roles"]),
        tuple(text["variants"]),
        tuple(v for v in variants if v not in text["variants"]),
        known,
        tuple(bet for bet in bets if bet not in known),
    )


@cache
def open_rulebook(name: str, variants: tuple[str, ...] = (), as_of: date | None = None) -> Rulebook:
    """The effective rules. Raises UnknownRulebookError for a name that there is not."""
    have = contents(name, as_of)
    chosen = variants or have.variants[:1]
    entries: dict[str, Entry] = {}
    for layer in layers(name, chosen):
        entries.update(layer.entries)
    return Rulebook(name, have.title, chosen, have.roles, as_of, entries, have.bets)


def games_named(words: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """The games that a person typed: RULEBOOK VARIANT or RULEBOOK/VARIANT, as they like; two
    variants that apply together as two words, or with a plus between them."""
    games: list[tuple[str, tuple[str, ...]]] = []
    for word in words:
        rulebook, _, variants = word.partition("/")
        named = tuple(filter(None, variants.split("+")))
        if rulebook in RULEBOOKS or not games:
            games.append((rulebook, named))
        else:
            name, before = games[-1]
            games[-1] = (name, (*before, *filter(None, word.split("+"))))
    return games


def layers(name: str, variants: Sequence[str]) -> Iterator[Layer]:
    """The layers in the order they are laid, each later one prevailing."""
    yield layer_of(name, "base")
    # Style A may be adopted beneath another variant, whose rules then prevail (18.1, 19.1, 20.1).
    for variant in sorted(
        variants, key=lambda v: bool(layer_of(name, f"variant-{v}").together_with)
    ):
        layer = layer_of(name, f"variant-{variant}")
        if layer.on:
            yield layer_of(name, f"variant-{layer.on}")
        yield layer


@cache
def layer_of(name: str, file: str) -> Layer:
    return read_layer(file, _read(name, file))


def read_layer(file: str, data: Mapping[str, Any]) -> Layer:
    """A file of a rulebook, checked. Raises MalformedRulebookError."""
    topics = {topic: keys for topic, keys in data.items() if isinstance(keys, dict)}
    return Layer(
        file,
        _text(data, file, "title"),
        _text(data, file, "section"),
        _text(data, file, "on", ""),
        _texts(data.get("with", []), f"{file}: with"),
        {
            f"{topic}.{key}": _entry(entry, file, f"{topic}.{key}")
            for topic, keys in topics.items()
            for key, entry in keys.items()
        },
    )


def _entry(entry: object, file: str, key: str) -> Entry:
    where = f"{file}: {key}"
    if not isinstance(entry, dict) or "is" not in entry or "rule" not in entry:
        raise MalformedRulebookError(where, "must be a table with `is` and `rule`")
    rule = entry["rule"]
    rules = (rule,) if isinstance(rule, str) else _texts(rule, f"{where}.rule")
    cited: Rules = ()
    if "reading" in entry:
        if entry["reading"] not in tuple(readings()):
            raise MalformedRulebookError(f"{where}.reading", f"no reading is {entry['reading']!r}")
        cited = (reading(entry["reading"]),)
    layer = file.removeprefix("variant-")
    return Entry(entry["is"], tuple(r for r in rules if r) + cited, layer)


def _text(data: Mapping[str, Any], file: str, key: str, default: str | None = None) -> str:
    value = data.get(key, default)
    if not isinstance(value, str):
        raise MalformedRulebookError(f"{file}: {key}", f"must be a text, not {value!r}")
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise MalformedRulebookError(where, f"must be a list of texts, not {value!r}")
    return tuple(value)


def _amended(wager: SideWager, change: Mapping[str, Any]) -> SideWager:
    if "not_with" in change and wager.not_with:
        wager = replace(wager, not_with=(frozenset(change["not_with"]), wager.not_with[1]))
    if "placed" in change:
        placed = replace(wager.placed, where=change["placed"], most=None)
        wager = replace(wager, placed=placed)
    return wager


def has_dated_texts(name: str) -> bool:
    """Whether a rulebook is known as it stood on different days."""
    return bool((_folder(name) / "amendments.toml").is_file())


def _text_of(name: str, as_of: date | None) -> Mapping[str, Any] | None:
    """The newest dated text that is not after the day; None for today's."""
    if as_of is None or not has_dated_texts(name):
        return None
    texts: Sequence[Mapping[str, Any]] = _read(name, "amendments")["text"]
    return [text for text in texts if text["from"] <= as_of][-1]


@cache
def _read(name: str, file: str) -> Mapping[str, Any]:
    path = _folder(name) / f"{file}.toml"
    if not path.is_file():
        variant = file.removeprefix("variant-")
        raise UnknownRulebookError(
            f"{name} has no variant {variant!r}; it has {', '.join(contents(name).variants)}"
            if name in RULEBOOKS
            else f"there is no rulebook {name!r}; there are {', '.join(RULEBOOKS)}"
        )
    return parse(f"{name}/{file}.toml", path.read_text("utf-8"))


def _folder(name: str) -> Any:
    return resources.files("cutcard.rulebooks") / "data" / name
