"""The tables of evidence and forgeries: each cell names an existing test or is "not proven"."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "reference" / "journal.md"
FOLDERS = ("host/tests", "hil_tests", "firmware/tests")
NAME = re.compile("`(test_[a-z0-9_]+)`")
ATTACKERS = 5


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading, without its first two lines."""
    section = PAGE.read_text("utf-8").split(f"{heading}\n", 1)[1].split("\n#", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def tests() -> set[str]:
    sources = (file for folder in FOLDERS for file in (ROOT / folder).rglob("test_*.py"))
    return {
        name for file in sources for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)
    }


def test_each_cell_of_the_evidence_names_a_test_or_is_not_proven() -> None:
    evidence = rows("## Evidence of each record")
    assert len(evidence) > 10
    for record, _, *cells in evidence:
        assert len(cells) == ATTACKERS, record
        for cell in cells:
            assert cell == "*not proven*" or NAME.fullmatch(cell), (record, cell)


def test_each_forgery_has_a_test_or_is_not_proven() -> None:
    forgeries = rows("### Forgeries that were tried")
    assert len(forgeries) > 15
    for forgery, _, result, test in forgeries:
        assert NAME.fullmatch(test) or result.startswith("*not proven*"), forgery


def test_the_named_tests_exist() -> None:
    page = PAGE.read_text("utf-8")
    named = set(NAME.findall(page))
    assert named - tests() == set()
