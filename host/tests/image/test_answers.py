"""A device whose image was changed answers with modules that were looked at, and no others."""

from __future__ import annotations

import ast
import functools
import re

import pytest

from cutcard.image.compiling import SOURCES, modules
from cutcard.image.flat_layout import flattened, packages

ANSWERS = set(
    re.search(r"ANSWERS = \((.*?)\)", (SOURCES / "start" / "start.py").read_text(), re.DOTALL)[1]  # type: ignore[index]
    .replace('"', " ")
    .split()
)
# What main.py and a sealed device begin with, and where `answer` or the bench goes on.
ROOTS = {"rp2": ("answering", "pins", "restart"), "bench": ("board",)}
WHOLLY = ("start", "core/sealed", "core/update", "core/trust", "core/identity", "core/manifest")


@functools.cache
def sources(board: str) -> dict[str, str]:
    """The text of each module of an image, by its name without `.py`."""
    start = {file.name: file.read_text() for file in (SOURCES / "start").glob("*.py")}
    found = modules(board, "shuffler") | flattened(start, packages(SOURCES))
    return {name.removesuffix(".py"): text for name, text in found.items()}


def imported(module: str, board: str) -> set[str]:
    """Modules of the image that this one imports; in its functions too where they all run."""
    tree = ast.parse(sources(board)[module])
    nodes = list(ast.walk(tree)) if module in WHOLLY else tree.body
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.replace(".", "/") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = "core" if node.level else ""
            base = "/".join(
                part for part in (inside, (node.module or "").replace(".", "/")) if part
            )
            if base == "core":
                found |= {f"core/{alias.name}" for alias in node.names}
            else:
                found.add(base)
    return {name for name in found if name in sources(board)}


@pytest.mark.parametrize("board", ROOTS)
def test_whatever_a_sealed_device_loads_is_looked_at_before(board: str) -> None:
    open_, loaded = [*WHOLLY, "core/app", "running", *ROOTS[board]], set()
    while open_:
        module = open_.pop()
        if module not in loaded:
            loaded.add(module)
            open_ += imported(module, board)
    assert loaded <= ANSWERS, loaded - ANSWERS
