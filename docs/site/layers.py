"""The picture of the layers, from the list in `docs/explanation/architecture.md`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "architecture.md"

WIDTH, MARGIN, TOP, ROW, GAP, HIGH = 960, 20, 76, 38, 8, 30
COLOURS = {"rng_certification": "certification", "cutcard": "host", "cutcard_firmware": "firmware"}
MEANINGS = {
    "certification": "rng_certification",
    "host": "cutcard, the host",
    "firmware": "cutcard_firmware",
}
STYLE = """
  svg { --paper: #fdfdfb; --ink: #1b1b1f; --soft: #6a6a70;
        --certification: #e9e1f5; --host: #dcebf8; --firmware: #dff0e1; --edge: #9a9aa2; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #17181b; --ink: #e8e8e4; --soft: #a0a0a8;
          --certification: #3a2f4d; --host: #1f3a52; --firmware: #24402a; --edge: #6a6c74; } }
  text { font: 13px system-ui, sans-serif; fill: var(--ink); text-anchor: middle; }
  .title { font-size: 18px; font-weight: 600; } .soft { fill: var(--soft); }
  .start { text-anchor: start; } .paper { fill: var(--paper); } rect { stroke-width: 1; }
  .certification { fill: var(--certification); stroke: var(--edge); }
  .host { fill: var(--host); stroke: var(--edge); }
  .firmware { fill: var(--firmware); stroke: var(--edge); }
"""


def layers(page: str) -> list[list[str]]:
    """Return the packages of each line of the page's list, the top line first."""
    block = re.search(r"```layers\n(.*?)```", page, re.DOTALL)
    assert block is not None, "the page has no block of layers"
    return [line.split() for line in block[1].strip().split("\n")]


def picture(rows: list[list[str]]) -> str:
    """Return an SVG with a box for each package and a row for each layer."""
    bottom = TOP + len(rows) * ROW
    shapes = [
        f'<rect class="paper" width="{WIDTH}" height="{bottom + 50}" rx="8"/>',
        f'<text class="title" x="{WIDTH // 2}" y="34">The layers of cutcard</text>',
        f'<text class="soft" x="{WIDTH // 2}" y="56">'
        "a package imports only from the rows below</text>",
    ]
    for number, row in enumerate(rows):
        shapes += _row(row, TOP + number * ROW)
    for number, (colour, meaning) in enumerate(MEANINGS.items()):
        x = MARGIN + number * 200
        shapes.append(
            f'<rect class="{colour}" x="{x}" y="{bottom + 14}" width="18" height="18" rx="3"/>'
        )
        shapes.append(f'<text class="start" x="{x + 26}" y="{bottom + 28}">{meaning}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 50}" '
        'role="img" aria-label="The layers of cutcard">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(shapes) + "\n</svg>\n"
    )


def _row(names: list[str], y: int) -> list[str]:
    """Return the boxes of one layer side by side, each as wide as its name."""
    short = len(names) > 1
    labels = [(name.split(".")[0], name.split(".")[-1] if short else name) for name in names]
    letters = sum(len(label) + 4 for _, label in labels)
    room = WIDTH - 2 * MARGIN - GAP * (len(labels) - 1)
    shapes, x = [], float(MARGIN)
    for package, label in labels:
        width = room * (len(label) + 4) / letters
        shapes.append(
            f'<rect class="{COLOURS[package]}" x="{x:.1f}" y="{y}" '
            f'width="{width:.1f}" height="{HIGH}" rx="5"/>'
        )
        shapes.append(f'<text x="{x + width / 2:.1f}" y="{y + 20}">{label}</text>')
        x += width + GAP
    return shapes
