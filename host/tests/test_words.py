"""One word for each thing: words replaced in the glossary are not used again."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"  # it has the former names
# Words that must not be used, with the word of docs/reference/glossary.md.
REPLACED = {
    r"(?<![a-z])noughts?(?![a-z])": "zero",
    r"\bWrongTable\b": "SchemaMismatchError",
    r"\bANY_TABLE\b": "ANY_SCHEMA",
    r"\btables? of messages\b": "message schema",
}
# A first line with one of these starts depends on other text.
RIDDLES = ("And ", "As above", "Do so", "Likewise", "Nor ", "So many", "So that", "The same.")
PACKAGES = ("host/cutcard", "rng_certification", "firmware/cutcard_firmware")


def kept(*endings: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [file for file in files if file.suffix in endings and file.exists()]


@pytest.mark.parametrize("word", REPLACED)
def test_a_word_that_was_replaced_does_not_come_back(word: str) -> None:
    used = [
        f"{file.relative_to(ROOT)}: say {REPLACED[word]}"
        for file in kept(".py", ".md")
        if file not in (Path(__file__), CHANGELOG) and re.search(word, file.read_text("utf-8"))
    ]
    assert used == []


def test_first_line_of_a_docstring_needs_no_context() -> None:
    riddles = []
    for file in kept(".py"):
        if not str(file.relative_to(ROOT)).startswith(PACKAGES):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                first = (ast.get_docstring(node) or "").split("\n")[0]
                if first.startswith(RIDDLES):
                    riddles.append(f"{file.relative_to(ROOT)}: {first}")
    assert riddles == []


def test_first_line_of_a_module_is_a_complete_sentence() -> None:
    """Lists of modules, and the page of the interface, show only that line."""
    cut = []
    for file in kept(".py"):
        if str(file.relative_to(ROOT)).startswith(PACKAGES):
            first = (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ".").split("\n")[0]
            if not first.endswith((".", "?", ":")):
                cut.append(f"{file.relative_to(ROOT)}: {first}")
    assert cut == []


def test_batteries_of_the_certification_have_distinct_file_names() -> None:
    names = [file.name for file in (ROOT / "rng_certification").rglob("*battery.py")]
    assert len(names) == len(set(names))
