"""The code of each rulebook is in its package; no other module of engine or table names one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from cutcard.rulebooks.book import RULEBOOKS

# A demonstration opens its rulebook here.
CHOOSES_A_BOOK = ("open_rulebook",)


def sources(package: str) -> Iterator[Path]:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    for folder in spec.submodule_search_locations:
        yield from Path(folder).rglob("*.py")


def books_named(path: Path) -> list[str]:
    """Return the rulebooks that a module names in its code; docstrings may name any."""
    tree = ast.parse(path.read_text("utf-8"))
    chosen = [
        id(argument)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in CHOOSES_A_BOOK
        for argument in call.args
    ]
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in RULEBOOKS and id(node) not in chosen
    ]


@pytest.mark.parametrize("package", ["cutcard.engine", "cutcard.table", "cutcard.cases"])
def test_only_its_own_package_names_a_rulebook(package: str) -> None:
    named = {path: books_named(path) for path in sources(package) if path.parts[-3] != "books"}
    assert [str(path) for path, books in named.items() if books] == []


def test_every_rulebook_has_a_package() -> None:
    packages = [path for path in sources("cutcard.engine.books") if path.name == "__init__.py"]
    assert sorted(name for path in packages for name in books_named(path)) == sorted(RULEBOOKS)
