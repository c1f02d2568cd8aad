"""A picture of the pins out of a recording that `cutcard chip --vcd` made.

python -m docs.site.pins pins.vcd 29050 29450 > docs/pins.svg    # from and to, in milliseconds
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LEFT, WIDTH, TOP, ROW, HIGH = 170, 960, 64, 24, 14
STYLE = """
  svg { --paper: #fdfdfb; --ink: #1b1b1f; --soft: #6a6a70; --line: #1c5d99; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #17181b; --ink: #e8e8e4; --soft: #a0a0a8; --line: #7ab8ef; } }
  text { font: 12px system-ui, sans-serif; fill: var(--ink); }
  .title { font-size: 16px; font-weight: 600; } .soft { fill: var(--soft); }
  .end { text-anchor: end; } .paper { fill: var(--paper); }
  path { fill: none; stroke: var(--line); stroke-width: 1; } .tick { stroke: var(--soft); }
"""

Changes = list[tuple[int, int]]  # microseconds and level


def lines_of(vcd: str) -> dict[str, Changes]:
    """Every pin that changes in the recording, by name, with its first level at time 0."""
    names = dict(re.findall(r"\$var wire 1 (\S) (\S+) \$end", vcd))
    found: dict[str, Changes] = {name: [] for name in names.values()}
    now = 0
    for line in vcd.split("$dumpvars", 1)[1].splitlines():
        if line.startswith("#"):
            now = int(line[1:])
        elif line[:1] in ("0", "1") and line[1:] in names:
            found[names[line[1:]]].append((now, int(line[0])))
    return {name: changes for name, changes in found.items() if len(changes) > 1}


def picture(lines: dict[str, Changes], begin: int, end: int) -> str:
    """One row for each pin that moves between the two milliseconds."""
    shown = {
        name: changes
        for name, changes in lines.items()
        if any(begin * 1000 <= moment < end * 1000 for moment, _ in changes)
    }
    height = TOP + len(shown) * ROW + 30
    shapes = [
        f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>',
        f'<text class="title" x="20" y="30">Pins of an emulated Pico, {end - begin} ms</text>',
    ]
    for number, (name, changes) in enumerate(shown.items()):
        y = TOP + number * ROW
        shapes.append(f'<text class="end" x="{LEFT - 10}" y="{y + HIGH - 2}">{name}</text>')
        shapes.append(f'<path d="{_path(changes, begin, end, y)}"/>')
    for moment in range(begin, end + 1, max(1, (end - begin) // 8)):
        x = _x(moment * 1000, begin, end)
        shapes.append(f'<path class="tick" d="M{x} {height - 26}v5"/>')
        shapes.append(f'<text class="soft" x="{x}" y="{height - 8}">{moment - begin} ms</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
        f"<title>Levels of the pins over {end - begin} milliseconds</title>"
        f"<style>{STYLE}</style>\n" + "\n".join(shapes) + "\n</svg>\n"
    )


def _x(micros: int, begin: int, end: int) -> float:
    share = (micros / 1000 - begin) / (end - begin)
    return round(LEFT + share * (WIDTH - LEFT - 60), 1)


def _path(changes: Changes, begin: int, end: int, y: int) -> str:
    before = [level for moment, level in changes if moment < begin * 1000]
    level = before[-1] if before else 0
    path = [f"M{_x(begin * 1000, begin, end)} {y + HIGH * (1 - level)}"]
    for moment, new in changes:
        if begin * 1000 <= moment < end * 1000:
            path.append(f"H{_x(moment, begin, end)}V{y + HIGH * (1 - new)}")
    return "".join([*path, f"H{_x(end * 1000, begin, end)}"])


if __name__ == "__main__":
    file, first, last = sys.argv[1:4]
    sys.stdout.write(picture(lines_of(Path(file).read_text()), int(first), int(last)))
