"""Find the commands in the sources of tests and pages.

A test runs a command as the words of a list or a call (`["journal", "show", name]`), as one text
(`"journal show name"`), or as words after a common prefix of its file (`["journal", *words]`).
`--help` does not count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.pages.blocks import PAGES, blocks, commands

Words = tuple[str, ...]
TYPED = ("sh", "sh terminal")


def typed_in_tests(sources: list[Path]) -> set[Words]:
    """Return the command lines in the sources of tests."""
    return {line for source in sources for line in lines_of(source.read_text("utf-8"))}


def typed_in_pages() -> set[Words]:
    """Return the command lines in the blocks of pages that a test types."""
    return {
        tuple(line.split()[1:])
        for page in PAGES
        for block in blocks(page)
        for line in (commands(block) if block.kind in TYPED else ())
        if line.startswith("cutcard ")
    }


def lines_of(source: str) -> Iterator[Words]:
    """Yield each run of constant words in a source that runs commands of cutcard."""
    if "cutcard.cli" not in source and "certify" not in source:
        return
    tree = ast.parse(source)
    lists = [
        node.args if isinstance(node, ast.Call) else node.elts
        for node in ast.walk(tree)
        if isinstance(node, ast.Call | ast.List | ast.Tuple)
    ]
    texts = [
        node.value.split()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    runs = {tuple(_words(each[at:])) for each in lists for at in range(len(each))}
    runs |= {tuple(text) for text in texts if len(text) > 1}
    starts = {
        tuple(_words(each[:at]))
        for each in lists
        for at, element in enumerate(each)
        if isinstance(element, ast.Starred)
    }
    for run in runs:
        for start in ((), *starts):
            if "--help" not in run:
                yield (*start, *run)


def _words(elements: list[ast.expr]) -> Iterator[str]:
    """Yield the constant words of a list up to a starred element; others may be any argument."""
    for element in elements:
        if isinstance(element, ast.Starred):
            return
        if isinstance(element, ast.Constant) and isinstance(element.value, str):
            yield from element.value.split()
