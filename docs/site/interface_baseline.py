"""The public interface as stubs, and its changes since the committed baseline.

    python -m docs.site.interface_baseline           # list the changes
    python -m docs.site.interface_baseline --write   # accept them: replace the baseline

The baseline is `docs/reference/public-interface`, a stub for each package of `api.PACKAGES`. griffe
compares; CHANGELOG.md names every new name and every incompatible change in its newest section.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import Any, NamedTuple

import griffe

from docs.site.api import PACKAGES, about, constructor, methods, public, signature

ROOT = Path(__file__).parents[2]
BASELINE = ROOT / "docs" / "reference" / "public-interface"
CHANGELOG = ROOT / "CHANGELOG.md"
_ROOT_MODULE = "__init__.pyi"


class InterfaceChange(NamedTuple):
    """One incompatible change: the changed name and the difference."""

    name: str
    text: str


def write(folder: Path) -> None:
    """Write the stubs of the present interface into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _ROOT_MODULE).write_text(
        '"""Written by `python -m docs.site.interface_baseline --write`."""\n', "utf-8"
    )
    for name in PACKAGES:
        text = "\n".join(_stub(name)) + "\n"
        (folder / f"{name.replace('.', '_')}.pyi").write_text(text, "utf-8")


def changes(baseline: Path = BASELINE, present: Path | None = None) -> list[InterfaceChange]:
    """Return the incompatible changes since the baseline; `present` has other stubs to compare."""
    with TemporaryDirectory() as folder:
        new = present
        if new is None:
            new = Path(folder) / baseline.name
            write(new)
        found = griffe.find_breaking_changes(_loaded(baseline), _loaded(new))
        return [_change(each) for each in found]


def added(baseline: Path = BASELINE) -> list[InterfaceChange]:
    """Return the names of the present interface that the baseline lacks."""
    with TemporaryDirectory() as folder:
        write(Path(folder))
        files = sorted(Path(folder).glob("*.pyi"))
        return [
            InterfaceChange(name, f"{file.stem}: {name} is new")
            for file in files
            for name in sorted(_names(file) - _names(baseline / file.name))
        ]


def unnamed(found: list[InterfaceChange], changelog: str) -> list[InterfaceChange]:
    """Return the changes that the newest section of the changelog does not name."""
    newest = changelog.split("\n## ")[1]
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", newest))))
    return [each for each in found if each.name not in words]


def _names(stub: Path) -> set[str]:
    """Return the names at the top of a stub; an empty set if there is no stub."""
    text = stub.read_text("utf-8") if stub.exists() else ""
    return set(re.findall(r"^(?:class |def )?(\w+)(?=\(|:| =)", text, re.MULTILINE))


def _loaded(folder: Path) -> Any:
    return griffe.load(folder.name, search_paths=[folder.parent], try_relative_path=False)


def _change(each: griffe.Breakage) -> InterfaceChange:
    named = each.obj.name if each.obj.name != "__init__" or not each.obj.parent else ""
    name = named or (each.obj.parent.name if each.obj.parent else "")
    said = each.explain(griffe.ExplanationStyle.ONE_LINE)
    return InterfaceChange(name, re.sub(r"\x1b\[[0-9;]*m", "", said))


def _stub(package: str) -> Iterator[str]:
    names = public(import_module(package))
    shown = [thing for thing in names.values() if isinstance(thing, type)]
    yield f'"""Stubs of {package}."""\n'
    for name, thing in sorted(names.items()):
        if isinstance(thing, type):
            yield from _class(name, thing, shown)
        elif isinstance(thing, FunctionType):
            yield f"def {name}{signature(thing)}: ..."
        else:
            yield f"{name} = {about(thing)!r}"


def _class(name: str, kind: type, shown: list[type]) -> Iterator[str]:
    bases = ", ".join(base.__name__ for base in kind.__bases__ if base is not object)
    yield f"class {name}({bases}):" if bases else f"class {name}:"
    members = []
    if issubclass(kind, Enum):
        members += [f"{each.name} = {each.value!r}" for each in kind]
    elif made := constructor(kind):
        members.append(f"def __init__{_with_self(made)}: ...")
    if not issubclass(kind, BaseException):
        for method, value in sorted(methods(kind, shown)):
            typed = signature(value)
            if isinstance(value, property):
                members.append(f"{method}{typed}" if typed else f"{method} = ...")
            else:
                members.append(f"def {method}{_with_self(typed)}: ...")
    yield from (f"    {member}" for member in members or ["..."])


def _with_self(typed: str) -> str:
    return "(self)" + typed[2:] if typed.startswith("()") else f"(self, {typed[1:]}"


def main() -> int:
    if sys.argv[1:] == ["--write"]:
        write(BASELINE)
        return 0
    found = changes() + added()
    for each in found:
        print(each.text)
    missing = unnamed(found, CHANGELOG.read_text("utf-8"))
    if missing:
        names = ", ".join(sorted({each.name for each in missing}))
        print(f"CHANGELOG.md does not name: {names}")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
