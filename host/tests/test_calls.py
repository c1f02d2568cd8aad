"""Calls name their arguments: they have few positional ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import cutcard

MOST = 5
ROOT = Path(cutcard.__file__).parent
# Excluded: packages of compiled arithmetic, with functions of several arrays.
PACKAGES = (
    *("attestation", "bench", "cases", "chip", "cli", "console", "devices", "engine"),
    *("flashing", "image", "journal", "keys", "machines", "meters", "prizes"),
    *("rulebooks", "rulings", "table", "testing", "tournament"),
)
# Functions with a variable number of equal arguments.
OF_ONE_KIND = ("handles", "refuse")


def walls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        positional = [each for each in node.args if not isinstance(each, ast.Starred)]
        if len(positional) > MOST and ast.unparse(node.func) not in OF_ONE_KIND:
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node.func)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_call_has_too_many_positional_arguments(package: str) -> None:
    sources = sorted((ROOT / package).rglob("*.py"))
    assert sources
    assert [wall for path in sources for wall in walls(path)] == []
