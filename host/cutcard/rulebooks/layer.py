"""One file of a rulebook: its title, its section, and its entries with their rules.

The file is validated against the schema. Unknown keys and invalid values are mistakes; all mistakes
of a file are found in one run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from cutcard.rulebooks.readings import reading, readings
from cutcard.rulebooks.schema import ANY, key_named, schema, toml
from cutcard.rulebooks.side_wagers.pay_table import parse_odds
from cutcard.rulebooks.text import MalformedRulebookError, Mistake
from cutcard.untrusted import nearest

Rules = tuple[str, ...]

BASE = "base"
VARIANT = "variant-"
OF_AN_ENTRY = ("is", "rule", "reading")
# The keys at the top of a file: whether each is a list of texts, and whether it is required.
OF_A_BASE = {
    "title": (False, True),
    "section": (False, True),
    "roles": (True, True),
    "variants": (True, True),
}
OF_A_VARIANT = {
    "title": (False, True),
    "section": (False, True),
    "on": (False, False),
    "with": (True, False),
}


class Entry(NamedTuple):
    """One value of a rulebook, its rules and the layer that defines it."""

    value: Any
    rules: Rules
    layer: str

    @property
    def odds(self) -> Fraction:
        return parse_odds(self.value)


class RulebookLayer(NamedTuple):
    """One file of the rulebook: its name, title, section, parent layers and entries."""

    name: str
    title: str
    section: str
    on: str
    together_with: tuple[str, ...]
    entries: Mapping[str, Entry]


def read_layer(file: str, data: Mapping[str, Any]) -> RulebookLayer:
    """Read and check a file of a rulebook. Raises MalformedRulebookError with all mistakes."""
    if mistakes := list(mistakes_in(file, data)):
        raise MalformedRulebookError(*mistakes)
    layer = file.removeprefix(VARIANT)
    return RulebookLayer(
        name=file,
        title=data["title"],
        section=data["section"],
        on=data.get("on", ""),
        together_with=tuple(data.get("with", ())),
        entries={
            f"{topic}.{key}": Entry(entry["is"], _rules(entry), layer)
            for topic, keys in data.items()
            if isinstance(keys, dict)
            for key, entry in keys.items()
        },
    )


def mistakes_in(file: str, data: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield every mistake in one file, without comparing it with others."""
    name = f"{file}.toml"
    yield from _of_the_head(name, data, OF_A_BASE if file == BASE else OF_A_VARIANT)
    for topic, keys in data.items():
        for key, entry in keys.items() if isinstance(keys, dict) else ():
            yield from _of_an_entry(name, f"{topic}.{key}", entry)


def values_in(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a file that can be read."""
    return {
        f"{topic}.{key}": entry["is"]
        for topic, keys in data.items()
        if isinstance(keys, dict)
        for key, entry in keys.items()
        if isinstance(entry, dict) and "is" in entry
    }


def mistakes_together(file: str, values: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield missing values of a game's combined layers, and contradictions."""
    for key in schema().values():
        if key.name not in values and key.is_needed(values):
            since = " and ".join(key.needed_where or ())
            why = f"is missing ({key.says}); add {key.allowed}"
            yield Mistake(file, key.name, f"{why}, required by {since}" if since else why)
        elif key.name in values and values[key.name] != values.get(key.like or key.name):
            why = f"is {toml(values[key.name])}, but must equal {key.like}"
            yield Mistake(file, key.name, why)


def _of_the_head(
    file: str, data: Mapping[str, Any], known: Mapping[str, tuple[bool, bool]]
) -> Iterator[Mistake]:
    topics = {key.partition(".")[0] for key in schema()}
    for key, value in data.items():
        if key in known or (isinstance(value, dict) and key in topics):
            continue
        if key in topics:
            yield Mistake(file, key, f"is {toml(value)}; it must be a table, [{key}]")
            continue
        what = f"[{key}]" if isinstance(value, dict) else key
        yield Mistake(file, what, "unknown key", nearest(key, (*known, *topics)))
    for key, (is_list, needed) in known.items():
        if key not in data:
            if needed:
                kind = "a list of words" if is_list else "a string"
                yield Mistake(file, key, f"is missing; it must be {kind}")
        elif is_list and not _are_texts(data[key]):
            yield Mistake(file, key, f"is {toml(data[key])}; it must be a list of different words")
        elif not is_list and not isinstance(data[key], str):
            yield Mistake(file, key, f"is {toml(data[key])}; it must be a string")


def _of_an_entry(file: str, name: str, entry: object) -> Iterator[Mistake]:
    key = key_named(name)
    if key is None:
        same = [other for other in schema() if not other.endswith(ANY)]
        if name.partition(".")[0] in {other.partition(".")[0] for other in same}:
            yield Mistake(file, name, "unknown key", nearest(name, same))
        return
    if not isinstance(entry, dict) or "is" not in entry or "rule" not in entry:
        why = f"is {toml(entry)}; it must be a table, as in {{ is = …, rule = … }}"
        yield Mistake(file, name, f"{why}, where `is` is {key.allowed}")
        return
    for part in entry:
        if part not in OF_AN_ENTRY:
            yield Mistake(file, f"{name}.{part}", "unknown key", nearest(part, OF_AN_ENTRY))
    if not key.accepts(entry["is"]):
        words = [each for each in key.among if isinstance(each, str)]
        why = f"is {toml(entry['is'])}; it must be {key.allowed}"
        yield Mistake(file, name, why, nearest(entry["is"], words))
    if not isinstance(entry["rule"], str) and not _are_texts(entry["rule"]):
        why = f"is {toml(entry['rule'])}; it must be the number of a rule, or a list of them"
        yield Mistake(file, f"{name}.rule", why)
    if "reading" in entry and entry["reading"] not in tuple(readings()):
        why = f"unknown reading {toml(entry['reading'])}"
        yield Mistake(file, f"{name}.reading", why, nearest(entry["reading"], readings()))


def _rules(entry: Mapping[str, Any]) -> Rules:
    rule = entry["rule"]
    rules: Iterable[str] = (rule,) if isinstance(rule, str) else rule
    cited = (reading(entry["reading"]),) if "reading" in entry else ()
    return tuple(each for each in rules if each) + cited


def _are_texts(value: object) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(each, str) and each for each in value)
        and len(set(value)) == len(value)
    )
