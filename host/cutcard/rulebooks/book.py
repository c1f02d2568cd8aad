"""A rulebook as the engine reads it: the layers laid over each other, each value with its rule.

The rulebooks put it themselves: the rules of Blackjack apply "except where inconsistent". So the
base comes first, then the variant's parent, the variant, a second variant where the rulebook lets
two apply together; the later layer prevails, and its rule is the one that is cited.
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

# One of ours by its name, or one of somebody's own as it was read.
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
        """What it says under a key; None where it says nothing."""
        return self.entries.get(key)

    def rules(self, key: str) -> Rules:
        """The rules that say what stands under a key."""
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


def source_of(name: Source) -> Source:
    """What a name stands for: `./my-rules` is read from its folder, now.

    Raises UnknownRulebookError, and MalformedRulebookError for files that cannot be read.
    """
    if isinstance(name, RulebookFolder) or not names_a_folder(name):
        return name
    return read_folder(Path(name), name)


@cache
def contents(source: Source, as_of: date | None = None) -> Contents:
    """The variants and side wagers that a rulebook knows on a day (today's text without one)."""
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
    """The effective rules of one of our rulebooks, or of a folder as in `./my-rules`.

    Raises UnknownRulebookError for a name or a variant that there is not, and
    MalformedRulebookError for a rulebook of one's own with mistakes in it.
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
    """The games that a person typed: RULEBOOK VARIANT or RULEBOOK/VARIANT, as they like; two
    variants that apply together as two words, or with a plus between them. A rulebook of their
    own is a path: ./my-rules, ./my-rules/VARIANT."""
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
    """The layers in the order they are laid, each later one prevailing."""
    yield layer_of(source, "base")
    # Style A may be adopted beneath another variant, whose rules then prevail (18.1, 19.1, 20.1).
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
    """Whether a rulebook is known as it stood on different days."""
    if isinstance(source, RulebookFolder):
        return False
    return bool((_folder(source) / "amendments.toml").is_file())


def _text_of(source: Source, as_of: date | None) -> Mapping[str, Any] | None:
    """The newest dated text that is not after the day; None for today's."""
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
    known = f"there is no rulebook {source!r}; there are {', '.join(RULEBOOKS)}"
    return f"{known}, and folders of your own, which are named by a path: ./{source}"


def _folder(name: str) -> Any:
    return resources.files("cutcard.rulebooks") / "data" / name
