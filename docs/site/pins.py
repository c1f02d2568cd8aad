"""Draw the levels of the pins while an emulated chip loads its first card.

python -m docs.site.pins carousel-38 > docs/pins.svg

The machine must admit one deck. The parts of the emulated chip are required.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from cutcard.bench.client import Bench
from cutcard.devices import Shuffler

TICK = 100  # milliseconds
LEAVES = 150  # milliseconds after which a card that covers the entry sensor has passed it
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


def record(machine: str, file: Path) -> str:
    """Return a VCD recording of an emulated board that loads one deck."""
    with (
        Bench.start(machine, seed=1, timeout=600, module="cutcard.chip") as bench,
        Shuffler.open(bench.port, key=bench.key) as shuffler,
    ):
        bench.do("vcd", to=str(file))
        bench.put(1)
        shuffler.load(1)
        bench.do("vcd")
    return file.read_text()


def first_card(lines: dict[str, Changes]) -> tuple[int, int]:
    """Return the millisecond before the first turn and the one after the first card."""
    steps = _named(lines, "turn_step")
    entered = _named(lines, "entry")
    return steps[1][0] // 1000 - 10, entered[1][0] // 1000 + LEAVES


def _named(lines: dict[str, Changes], name: str) -> Changes:
    return next(changes for pin, changes in lines.items() if pin.endswith(f"_{name}"))


def lines_of(vcd: str) -> dict[str, Changes]:
    """Return the changes of each pin that changes in the recording; the first is at time 0."""
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
    """Return an SVG with one row for each pin that changes between two milliseconds."""
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
    for moment in range(begin, end + 1, TICK):
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
    with tempfile.TemporaryDirectory() as folder:
        recorded = lines_of(record(sys.argv[1], Path(folder, "pins.vcd")))
    sys.stdout.write(picture(recorded, *first_card(recorded)))
