"""A device with a changed image answers only with verified modules."""

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
# The first modules of main.py and of a sealed device, then those of `answer` or the bench.
ROOTS = {"rp2": ("answering", "pins", "restart"), "bench": ("board",)}
WHOLLY = ("start", "core/sealed", "core/update", "core/trust", "core/identity", "core/manifest")


@functools.cache
def sources(board: str) -> dict[str, str]:
    """Return the text of each module of an image, by its name without `.py`."""
    start = {file.name: file.read_text() for file in (SOURCES / "start").glob("*.py")}
    found = modules(board, "shuffler") | flattened(start, packages(SOURCES))
    return {name.removesuffix(".py"): text for name, text in found.items()}


def imported(module: str, board: str) -> set[str]:
    """Return the modules of the image that this one imports, also in functions that always run."""
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
def test_sealed_device_loads_only_verified_modules(board: str) -> None:
    open_, loaded = [*WHOLLY, "core/app", "running", *ROOTS[board]], set()
    while open_:
        module = open_.pop()
        if module not in loaded:
            loaded.add(module)
            open_ += imported(module, board)
    assert loaded <= ANSWERS, loaded - ANSWERS
