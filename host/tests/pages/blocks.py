"""The fenced blocks of the README and of every page in docs. Their info strings mean:

    sh            `make test` runs it unchanged, in a new folder
    sh terminal   each line starts a server in a second terminal; the next line starts when it
                  reports that it is ready, and the last server runs until the end of the page
    sh soak       takes minutes or needs the network: `make soak` runs it
    sh board      needs a board on a cable: the tests only check its commands and options
    sh later      works only some time later: the tests only check its commands and options
    toml NAME     is saved in a file of that name in the folder of the commands
    python        `make test` runs it unchanged
    python fragment, pycon   is not run

A command that should end with an exit code other than 0 has it in its comment: `exit 1`.
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
    kind: str  # the text after the opening three backticks
    text: str


def blocks(page: Path) -> list[Block]:
    found = _FENCE.findall(page.read_text("utf-8"))
    return [Block(page, kind.strip(), text) for kind, text in found]


def commands(block: Block) -> Iterator[str]:
    """Yield the lines of a block without their comments."""
    for line in block.text.splitlines():
        plain = _COMMENT.sub("", line).strip()
        if plain and not plain.startswith("#"):
            yield plain


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))
