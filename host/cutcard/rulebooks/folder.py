"""A custom rulebook: a folder with `base.toml` and a `variant-….toml` for each variant.

The files are read once. Later changes to the files have no effect on a rulebook that was read, so
the rules cannot change during a round.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cutcard.rulebooks.layer import BASE, VARIANT, mistakes_in, mistakes_together, values_in
from cutcard.rulebooks.text import MalformedRulebookError, Mistake, parse
from cutcard.untrusted import (
    MOST_TOML,
    BadContentError,
    content,
    file_beside,
    nearest,
    shown,
    text_of,
    why_unreadable,
)

MOST_FILES = 100
_File = Mapping[str, Any]
_SLASHES = tuple({"/", os.sep})


class UnknownRulebookError(LookupError):
    """Raised for an unknown rulebook or an unknown variant."""


@dataclass(frozen=True)
class RulebookFolder:
    """The files of a custom rulebook at the time of reading.

    `name` is the given path; it contains a slash, unlike the names of included rulebooks.
    """

    name: str
    texts: tuple[tuple[str, str], ...] = field(repr=False)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(file for file, _ in self.texts)

    def text(self, file: str) -> str | None:
        return dict(self.texts).get(file)


def names_a_folder(name: str) -> bool:
    """Return whether a name is the path of a custom rulebook, as `./my-rules`."""
    return name in (".", "..") or any(slash in name for slash in _SLASHES)


def read_folder(path: Path, name: str | None = None) -> RulebookFolder:
    """Read the rulebook in a folder without checking it. Raises UnknownRulebookError."""
    if not path.is_dir():
        raise UnknownRulebookError(f"folder {shown(str(path))} does not exist")
    files = sorted(file.name for file in path.glob("*.toml"))
    if len(files) > MOST_FILES:
        raise UnknownRulebookError(
            f"{shown(str(path))} has {len(files)} TOML files; at most {MOST_FILES} are allowed"
        )
    called = name or str(path)
    called = called if names_a_folder(called) else f"./{called}"
    return RulebookFolder(
        called, tuple((file.removesuffix(".toml"), _text(path, file)) for file in files)
    )


def _text(folder: Path, file: str) -> str:
    try:
        return text_of(content(file_beside(folder, file), MOST_TOML))
    except (BadContentError, OSError) as error:
        why = why_unreadable(error)
        raise MalformedRulebookError(Mistake(shown(file), "", why or "cannot be read")) from error


def mistakes_of(folder: RulebookFolder) -> list[Mistake]:
    """Return every mistake in the files of a rulebook, file by file."""
    found: list[Mistake] = []
    parsed: dict[str, dict[str, Any]] = {}
    for file in folder.files:
        try:
            parsed[file] = parse(f"{file}.toml", folder.text(file) or "")
        except MalformedRulebookError as error:
            found += error.mistakes
    for file, data in parsed.items():
        if file == BASE or file.startswith(VARIANT):
            found += mistakes_in(file, data)
        else:
            why = f"is not used; a rulebook consists of {BASE}.toml and {VARIANT}NAME.toml"
            found.append(Mistake(f"{shown(file)}.toml", "", why))
    if BASE not in folder.files:
        found.append(
            Mistake(
                f"{BASE}.toml", "", "is missing; it must have the values that all variants share"
            )
        )
    base = parsed.get(BASE, {})
    variants = {
        file.removeprefix(VARIANT): data
        for file, data in parsed.items()
        if file.startswith(VARIANT)
    }
    return [*found, *_between_files(base, variants), *_of_the_games(base, variants)]


def _between_files(base: _File, variants: Mapping[str, _File]) -> Iterator[Mistake]:
    """Yield mistakes between files. Values of a wrong type are reported elsewhere."""
    roles, listed = _texts(base.get("roles")), _texts(base.get("variants"))
    if "roles" in base and len(roles) < 2:
        why = "must list the dealer and at least one higher role for rulings on irregularities"
        yield Mistake(f"{BASE}.toml", "roles", why)
    if "variants" in base and not listed:
        yield Mistake(f"{BASE}.toml", "variants", "must list at least one variant")
    for variant in listed:
        if variant not in variants:
            why = f"{variant!r} has no file {VARIANT}{variant}.toml"
            yield Mistake(f"{BASE}.toml", "variants", why, nearest(variant, variants))
    for variant, data in variants.items():
        file = f"{VARIANT}{variant}.toml"
        if variant not in listed:
            why = f"is not used: {variant!r} is not one of the variants in {BASE}.toml"
            yield Mistake(file, "", why, nearest(variant, listed))
        others = [other for other in variants if other != variant]
        for key in ("on", "with"):
            for other in _texts(data.get(key)):
                if other not in others:
                    why = f"{other!r} is not another variant"
                    yield Mistake(file, key, why, nearest(other, others))
                elif key == "on" and "on" in variants[other]:
                    yield Mistake(file, key, f"{other!r} is itself based on another variant")
    for file, data in ((BASE, base), *((f"{VARIANT}{v}", data) for v, data in variants.items())):
        stakes = data.get("side_stakes")
        for bet in stakes if isinstance(stakes, dict) else ():
            why = "a custom rulebook cannot have side wagers"
            yield Mistake(f"{file}.toml", f"side_stakes.{bet}", why)


def _of_the_games(base: _File, variants: Mapping[str, _File]) -> Iterator[Mistake]:
    """Yield the values missing in a game's combined layers; for the base if all games lack them."""
    games: list[list[Mistake]] = []
    for variant, data in variants.items():
        values = values_in(base)
        for on in _texts(data.get("on")):
            values |= values_in(variants.get(on, {}))
        values |= values_in(data)
        games.append(list(mistakes_together(f"{VARIANT}{variant}.toml", values)))
    if not games:
        games.append(list(mistakes_together(f"{BASE}.toml", values_in(base))))
    everywhere = set.intersection(*({mistake.key for mistake in game} for game in games))
    for mistake in games[0]:
        if mistake.key in everywhere:
            yield mistake._replace(file=f"{BASE}.toml")
    for game in games:
        yield from (mistake for mistake in game if mistake.key not in everywhere)


def _texts(value: object) -> list[str]:
    """Return one text or several as a list; empty for other types."""
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, str)]
