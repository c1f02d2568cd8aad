"""The rulebook from the page about writing one, as files."""

from __future__ import annotations

from pathlib import Path

from tests.pages.blocks import ROOT, blocks

PAGE = ROOT / "docs" / "tutorials" / "own-rulebook.md"


def club(folder: Path) -> Path:
    """Write every file shown on the page; return the rulebook's folder."""
    for block in blocks(PAGE):
        if block.kind.startswith("toml "):
            file = folder / block.kind.split()[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, "utf-8")
    return folder / "club-rules"


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
