"""The number of rulebooks is counted in one place, and all pages state that number."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.rulebooks.book import RULEBOOKS
from cutcard.rulebooks.register import AMENDMENTS, REGISTERS

ROOT = Path(__file__).parents[3]
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")})


def test_a_register_is_of_a_rulebook_or_of_an_amendment() -> None:
    assert len(REGISTERS) == len(RULEBOOKS) + len(AMENDMENTS)
    assert set(RULEBOOKS) <= set(REGISTERS)


def test_list_ends_with_the_number_of_rulebooks() -> None:
    listed = CliRunner().invoke(app, ["rulebook", "list"]).output
    assert f"{len(RULEBOOKS)} rulebooks and {len(AMENDMENTS)} amendment" in listed


def test_readme_states_the_number_of_rulebooks() -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert f"{WORDS[len(RULEBOOKS)]} real rulebooks and an amendment" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_states_another_number(page: Path) -> None:
    text = " ".join(page.read_text("utf-8").lower().split())
    right = WORDS[len(RULEBOOKS)]
    wrong = [word for word in WORDS[3:] if word != right and f" {word} rulebooks" in text]
    wrong += [word for word in WORDS[3:] if word != right and f" {word} real rulebooks" in text]
    assert wrong == []
