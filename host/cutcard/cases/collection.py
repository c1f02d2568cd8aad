"""The case files that come with cutcard, and the rules that each of them shows."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cutcard.rulebooks.citing import any_meets
from cutcard.rulebooks.register.entries import REGISTERS, citations, register

LIBRARY = Path(__file__).parent / "library"


class LibraryCase(NamedTuple):
    """A case of the library. `name` is its file below the library, as for `case run`."""

    name: str
    title: str
    rulebook: str
    rules: tuple[str, ...]

    @property
    def path(self) -> Path:
        return LIBRARY / self.name

    def is_about(self, rule: str) -> bool:
        """Return whether the case expects this rule or a part of it, or is in its register."""
        return any_meets(self.rules, rule)


def library_cases() -> Iterator[LibraryCase]:
    """Yield every case of the library, in the order of their names."""
    for path in sorted(LIBRARY.rglob("*.toml")):
        name = path.relative_to(LIBRARY).as_posix()
        case = tomllib.loads(path.read_text("utf-8"))
        rules = dict.fromkeys((*citations(case), *_registered().get(name, ())))
        yield LibraryCase(name, case["title"], case["rulebook"], tuple(rules))


def find(path: Path) -> Path:
    """Return the path if it exists, otherwise the file or folder of that name in the library."""
    kept = LIBRARY / path
    inside = not path.is_absolute() and ".." not in path.parts
    return kept if inside and not path.exists() and kept.exists() else path


@cache
def _registered() -> dict[str, list[str]]:
    """Return the rules of each case in the registers."""
    shown: dict[str, list[str]] = {}
    for name in REGISTERS:
        for line in register(name)[1]:
            if line.case:
                shown.setdefault(line.case, []).extend(line.numbers)
    return shown
