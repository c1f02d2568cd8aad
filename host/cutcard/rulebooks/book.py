"""A rulebook for the engine: the combined layers, each value with its rule.

The rulebooks state that the rules of Blackjack apply "except where inconsistent". So the base comes
first, then the variant's parent, the variant, and a second variant if the rulebook allows two
together. A later layer overrides earlier ones, and its rule is cited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from cutcard.rulebooks.folder import (
    RulebookFolder,
    UnknownRulebookError,
    mistakes_of,
    names_a_folder,
    read_folder,
)
from cutcard.rulebooks.layer import Entry, RulebookLayer, Rules, mistakes_together, read_layer
from cutcard.rulebooks.side_wagers.catalogue import SideWager, side_wagers
from cutcard.rulebooks.text import MalformedRulebookError, parse

__all__ = [
    "RULEBOOKS",
    "Contents",
    "Entry",
    "Rulebook",
    "RulebookLayer",
    "Rules",
    "Source",
    "UnknownRulebookError",
    "contents",
    "games_named",
    "has_dated_texts",
    "layer_of",
    "layers",
    "open_rulebook",
    "source_of",
]

RULEBOOKS = ("nz-division-2", "crown-melbourne-26", "mbs-free-bet-3", "uk-blackjack")

# The name of an included rulebook, or the files of a custom one.
Source = str | RulebookFolder


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
    source: Source = field(repr=False)

    def __getitem__(self, key: str) -> Entry:
        return self.entries[key]

    def get(self, key: str) -> Entry | None:
        """Return the entry of a key, or None."""
        return self.entries.get(key)

    def rules(self, key: str) -> Rules:
        """Return the rules of a key's entry."""
        return self.entries[key].rules

    def flag(self, key: str) -> bool:
        entry = self.entries.get(key)
        return entry is not None and entry.value is True

    def says_no(self, key: str) -> bool:
        """Return whether a flag that may be missing is false."""
        return self.says(key, False)

    def says(self, key: str, value: str | bool) -> bool:
        entry = self.entries.get(key)
        return entry is not None and entry.value == value


class Contents(NamedTuple):
    """The contents of a rulebook on one day, before a table chooses from them."""

    title: str
    roles: tuple[str, ...]
    variants: tuple[str, ...]
    later_variants: tuple[str, ...]
    bets: Mapping[str, SideWager]
    later_bets: tuple[str, ...]


def source_of(name: Source) -> Source:
    """Return the source of a name; a path such as `./my-rules` is read from its folder now.

    Raises UnknownRulebookError, and MalformedRulebookError for files that cannot be read.
    """
    if isinstance(name, RulebookFolder) or not names_a_folder(name):
        return name
    return read_folder(Path(name), name)


@cache
def contents(source: Source, as_of: date | None = None) -> Contents:
    """Return the variants and side wagers of a rulebook on a day (of today's text without one)."""
    base = _read(source, "base")
    bets = {} if isinstance(source, RulebookFolder) else side_wagers(source)
    variants = tuple(base["variants"])
    text = _text_of(source, as_of)
    if text is None:
        return Contents(
            title=base["title"],
            roles=tuple(base["roles"]),
            variants=variants,
            later_variants=(),
            bets=bets,
            later_bets=(),
        )
    known = {bet: _amended(bets[bet], text.get(bet, {})) for bet in text["bets"]}
    return Contents(
        title=base["title"],
        roles=tuple(base["roles"]),
        variants=tuple(text["variants"]),
        later_variants=tuple(v for v in variants if v not in text["variants"]),
        bets=known,
        later_bets=tuple(bet for bet in bets if bet not in known),
    )


def open_rulebook(
    name: Source, variants: tuple[str, ...] = (), as_of: date | None = None
) -> Rulebook:
    """Return the effective rules of an included rulebook, or of a folder such as `./my-rules`.

    Raises UnknownRulebookError for an unknown name or variant, and MalformedRulebookError for a
    custom rulebook with mistakes.
    """
    return _opened(source_of(name), variants, as_of)


@cache
def _opened(source: Source, variants: tuple[str, ...], as_of: date | None) -> Rulebook:
    if isinstance(source, RulebookFolder) and (mistakes := mistakes_of(source)):
        raise MalformedRulebookError(*mistakes)
    have = contents(source, as_of)
    chosen = variants or have.variants[:1]
    entries: dict[str, Entry] = {}
    for layer in layers(source, chosen):
        entries.update(layer.entries)
    name = source.name if isinstance(source, RulebookFolder) else source
    values = {key: entry.value for key, entry in entries.items()}
    if mistakes := list(mistakes_together(f"{name}, {' and '.join(chosen)}", values)):
        raise MalformedRulebookError(*mistakes)
    return Rulebook(
        name=name,
        title=have.title,
        variants=chosen,
        roles=have.roles,
        as_of=as_of,
        entries=entries,
        side_wagers=have.bets,
        source=source,
    )


def games_named(words: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Parse the games that a user typed: RULEBOOK VARIANT or RULEBOOK/VARIANT.

    Two variants that apply together are two words, or joined with a plus. A custom rulebook is a
    path: ./my-rules, ./my-rules/VARIANT.
    """
    games: list[tuple[str, tuple[str, ...]]] = []
    for word in words:
        rulebook, variants = _book_and_variants(word)
        named = tuple(filter(None, variants.split("+")))
        if rulebook in RULEBOOKS or names_a_folder(rulebook) or not games:
            games.append((rulebook, named))
        else:
            name, before = games[-1]
            games[-1] = (name, (*before, *filter(None, word.split("+"))))
    return games


def _book_and_variants(word: str) -> tuple[str, str]:
    if not word.startswith((".", "/")):
        rulebook, _, variants = word.partition("/")
        return rulebook, variants
    folder, slash, variants = word.rpartition("/")
    beneath = slash and not Path(word).is_dir() and (Path(folder) / "base.toml").is_file()
    return (f"{folder}/", variants) if beneath else (word, "")


def layers(source: Source, variants: Sequence[str]) -> Iterator[RulebookLayer]:
    """Yield the layers in their order; each later one overrides the earlier ones."""
    yield layer_of(source, "base")
    # Style A may be combined with another variant, which then overrides it (18.1, 19.1, 20.1).
    for variant in sorted(
        variants, key=lambda v: bool(layer_of(source, f"variant-{v}").together_with)
    ):
        layer = layer_of(source, f"variant-{variant}")
        if layer.on:
            yield layer_of(source, f"variant-{layer.on}")
        yield layer


@cache
def layer_of(source: Source, file: str) -> RulebookLayer:
    return read_layer(file, _read(source, file))


def _amended(wager: SideWager, change: Mapping[str, Any]) -> SideWager:
    if "not_with" in change and wager.not_with:
        wager = replace(wager, not_with=(frozenset(change["not_with"]), wager.not_with[1]))
    if "placed" in change:
        placed = replace(wager.placed, where=change["placed"], most=None)
        wager = replace(wager, placed=placed)
    return wager


def has_dated_texts(source: Source) -> bool:
    """Return whether a rulebook has texts of different dates."""
    if isinstance(source, RulebookFolder):
        return False
    return bool((_folder(source) / "amendments.toml").is_file())


def _text_of(source: Source, as_of: date | None) -> Mapping[str, Any] | None:
    """Return the newest dated text that is not after the day; None for today's text."""
    if as_of is None or not has_dated_texts(source):
        return None
    texts: Sequence[Mapping[str, Any]] = _read(source, "amendments")["text"]
    return [text for text in texts if text["from"] <= as_of][-1]


@cache
def _read(source: Source, file: str) -> Mapping[str, Any]:
    text = source.text(file) if isinstance(source, RulebookFolder) else _text_in_ours(source, file)
    if text is None:
        raise UnknownRulebookError(_unknown(source, file.removeprefix("variant-")))
    return parse(f"{file}.toml", text)


def _text_in_ours(name: str, file: str) -> str | None:
    path = _folder(name) / f"{file}.toml"
    return str(path.read_text("utf-8")) if name in RULEBOOKS and path.is_file() else None


def _unknown(source: Source, variant: str) -> str:
    if isinstance(source, RulebookFolder) or source in RULEBOOKS:
        name = source.name if isinstance(source, RulebookFolder) else source
        return f"{name} has no variant {variant!r}; it has {', '.join(contents(source).variants)}"
    known = f"unknown rulebook {source!r}; use one of {', '.join(RULEBOOKS)}"
    return f"{known}, or the path of a custom rulebook's folder: ./{source}"


def _folder(name: str) -> Any:
    return resources.files("cutcard.rulebooks") / "data" / name
