"""Changes of the public interface are detected, and the changelog names them."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

pytest.importorskip("griffe")

from docs.site.interface_baseline import BASELINE, CHANGELOG, added, changes, unnamed


def changed(folder: Path, stub: str, old: str, new: str) -> Path:
    """Return a copy of the baseline in which one stub has another text."""
    copy = folder / BASELINE.name
    shutil.copytree(BASELINE, copy)
    text = (copy / stub).read_text("utf-8")
    assert old in text
    (copy / stub).write_text(text.replace(old, new, 1), "utf-8")
    return copy


def test_stubs_are_valid_python() -> None:
    for stub in BASELINE.glob("*.pyi"):
        ast.parse(stub.read_text("utf-8"))


def test_changelog_names_every_change_of_the_interface() -> None:
    assert unnamed(changes() + added(), CHANGELOG.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("stub", "old", "new", "name"),
    [
        ("cutcard_engine.pyi", "def owed(round: Round)", "def owed(round: Round, box)", "owed"),
        ("cutcard_engine.pyi", "def owed(", "def waits_for(", "owed"),
        ("cutcard_engine.pyi", "class NextCard:", "class DueCard:", "NextCard"),
        ("cutcard_engine.pyi", "    must_be_made: bool\n", "", "must_be_made"),
        ("cutcard_engine.pyi", "(self, place: str)", "(self, where: str)", "NextCard"),
    ],
)
def test_incompatible_change_is_found_and_must_be_in_the_changelog(
    tmp_path: Path, stub: str, old: str, new: str, name: str
) -> None:
    found = changes(present=changed(tmp_path, stub, old, new))

    assert name in {each.name for each in found}
    assert unnamed(found, "# Changelog\n\n## 9\n- Changed: nothing\n") == found
    assert unnamed(found, f"# Changelog\n\n## 9\n- Changed: `{name}`\n") == []


def test_new_name_is_found(tmp_path: Path) -> None:
    older = changed(tmp_path, "cutcard_engine.pyi", "class NextCard:", "class DueCard:")
    assert {each.name for each in added(older)} - {each.name for each in added()} == {"NextCard"}
