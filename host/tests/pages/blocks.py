"""The fenced blocks of the README and of every page in docs, and what their first lines promise.

    sh            typed as it stands, in a folder of its own, by `make test`
    sh terminal   takes a terminal of its own: each line is started until it says that it is ready,
                  and the last one stays while the rest of the page is typed
    sh soak       takes minutes, or the network: typed by `make soak`
    sh board      needs a board on a cable: only its commands and options are looked up
    sh later      may be typed some time later only: looked up as well
    toml NAME     kept in a file of that name beside what is typed
    python        run as it stands
    python fragment, pycon   to read

A command that is meant to end with another exit code than 0 has it in its comment: `exit 1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
KINDS = ("sh", "sh terminal", "sh soak", "sh board", "sh later", "python", "python fragment")
_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.M | re.S)
_COMMENT = re.compile(r"\s#.*")


class Block(NamedTuple):
    page: Path
    kind: str  # what stands after the first three backticks
    text: str


def blocks(page: Path) -> list[Block]:
    found = _FENCE.findall(page.read_text("utf-8"))
    return [Block(page, kind.strip(), text) for kind, text in found]


def commands(block: Block) -> Iterator[str]:
    """The lines of a block without their comments."""
    for line in block.text.splitlines():
        plain = _COMMENT.sub("", line).strip()
        if plain and not plain.startswith("#"):
            yield plain


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))
