"""A strategy table in the customary colours: draw green, stand red, double blue, split yellow.

The five colours also differ in lightness, so that readers with a colour-vision deficiency can
distinguish them; a test simulates the three kinds. Every cell has its letter too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import NamedTuple

from cutcard.edge.strategy import HARD, PAIRS, SOFT, UPS, Exceptional, Strategy

COLOURS = {"H": "#a8e6a1", "S": "#e2574c", "D": "#5aa0f2", "P": "#ffdf2e", "R": "#e4e4e4"}
MEANING = {
    "H": "draw",
    "S": "stand",
    "D": "double",
    "P": "split",
    "R": "surrender",
    "W": "take the doubled part back",
}
_CELL, _LABEL, _TOP = 34, 64, 26
_TITLE_LINE = 66  # bold letters in the width of the picture
_RULE_LINE = 76
_PAGE = '#set page(width: auto, height: auto, margin: 1cm)\n#image("table.svg")\n'


class ChartRow(NamedTuple):
    label: str
    cells: tuple[str, ...]


class ChartBlock(NamedTuple):
    """The rows of one kind: hard, soft, pairs, or doubled hands that are withdrawn."""

    title: str
    rows: tuple[ChartRow, ...]


def blocks(strategy: Strategy) -> Iterator[ChartBlock]:
    """Yield the table from top to bottom, as printed: high totals first."""
    for stake, table in strategy.tables.items():
        beside = " with a free bet" if stake == "token" else ""
        for kind, names in (("hard", HARD), ("soft", SOFT)):
            rows = tuple(ChartRow(total, table[kind][total]) for total in reversed(names))
            yield ChartBlock(f"{kind} totals{beside}", rows)
        pairs = tuple(
            ChartRow(f"{value}-{value}", tuple(_of_pair(strategy, stake, value, up) for up in UPS))
            for value in (*reversed(PAIRS[1:]), PAIRS[0])
        )
        yield ChartBlock(f"pairs{beside}", pairs)
    for kind, lines in strategy.rescue.items():
        rows = tuple(ChartRow(total, lines[total]) for total in reversed(tuple(lines)))
        yield ChartBlock(f"doubled, {kind} totals", rows)


def _of_pair(strategy: Strategy, stake: str, value: str, up: str) -> str:
    """Return the cell of a pair; a pair that is not split is played by its total."""
    cell = strategy.cell(stake, "pair", value, up)
    if cell != "-":
        return cell
    if value == "A":
        return strategy.cell(stake, "soft", "12", up)
    points = 20 if value == "T" else 2 * int(value)
    return strategy.cell(stake, "hard", str(points), up)


def as_text(strategy: Strategy) -> str:
    lines: list[str] = []
    for block in blocks(strategy):
        lines += [f"{block.title:<28}" + "".join(f"{up:>4}" for up in UPS)]
        lines += [
            f"{row.label:>28}" + "".join(f"{cell:>4}" for cell in row.cells) for row in block.rows
        ]
        lines += [""]
    return "\n".join([*lines, *_legend(strategy)])


def _legend(strategy: Strategy) -> list[str]:
    """Return the meanings of the letters in this table."""
    used = [letter for letter in MEANING if _uses(strategy, letter)]
    return [
        "; ".join(f"{letter} {MEANING[letter]}" for letter in used),
        "Of several letters, the first that the rules allow: DH doubles, else draws.",
    ]


def _uses(strategy: Strategy, letter: str) -> bool:
    return any(
        letter in cell for block in blocks(strategy) for row in block.rows for cell in row.cells
    )


def exception_lines(exceptions: Sequence[Exceptional]) -> list[str]:
    """Return hands with a play other than their total's, one line for each."""
    return [
        f"{'-'.join(each.cards)}{', ' + each.suits if each.suits else ''}"
        f"{', a free bet' if each.stake == 'token' else ''} against {each.up}: {each.do}"
        for each in exceptions
    ]


def as_svg(strategy: Strategy, title: str, rules: Sequence[str] = ()) -> str:
    """Return the entire table as a picture, with its rules."""
    parts: list[str] = []
    named = wrap(title, _TITLE_LINE)
    y = _TOP + 16 * len(named) - 6
    for line in (part for rule in rules for part in wrap(rule, _RULE_LINE)):
        parts.append(_text(6, y + 10, line, "start"))
        y += 16
    y += 16
    for block in blocks(strategy):
        parts.append(_text(6, y + 17, block.title, "start", bold=True))
        parts += [
            _text(_LABEL + _CELL * (k + 0.5) + 110, y + 17, up, "middle", bold=True)
            for k, up in enumerate(UPS)
        ]
        y += _TOP
        for row in block.rows:
            parts.append(_text(_LABEL + 100, y + 15, row.label, "end"))
            for k, cell in enumerate(row.cells):
                x = _LABEL + 110 + _CELL * k
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{_CELL}" height="22" fill="{_colour(cell)}" '
                    'stroke="#ffffff"/>'
                )
                parts.append(_text(x + _CELL / 2, y + 15, cell, "middle"))
            y += 22
        y += 8
    for line in _legend(strategy):
        y += 20
        parts.append(_text(6, y, line, "start"))
    width = _LABEL + 120 + _CELL * len(UPS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 10}" '
        'font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n'
        + "\n".join(_text(6, 20 + 16 * k, line, "start", bold=True) for k, line in enumerate(named))
        + "\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _text(x: float, y: float, text: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'


def as_html(
    strategy: Strategy, title: str, figures: Sequence[tuple[str, str]], rules: Sequence[str] = ()
) -> str:
    """Return a page with the rules, the figures, the table, and the hands played by their cards."""
    lines = [
        "<!doctype html>",
        f'<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        "<style>body{font-family:sans-serif;margin:2em}table{border-collapse:collapse;margin:1em 0}"
        "td,th{border:1px solid #fff;padding:.25em .6em;text-align:center;min-width:1.6em}"
        "th{white-space:nowrap}caption{text-align:left;font-weight:bold}"
        "@media(max-width:40em){body{margin:.5em;font-size:.85em}h1{font-size:1.3em}"
        "td,th{padding:.25em 0;min-width:2em}}</style>",
        f"<h1>{escape(title)}</h1>",
        *(["<h2>Rules</h2><ul>"] if rules else []),
        *(f"<li>{escape(rule)}</li>" for rule in rules),
        *(["</ul>"] if rules else []),
        "<table>",
        *(f"<tr><th>{escape(name)}</th><td>{escape(said)}</td></tr>" for name, said in figures),
        "</table>",
    ]
    for block in blocks(strategy):
        lines += [f"<table><caption>{escape(block.title)}</caption>"]
        lines += ["<tr><th></th>" + "".join(f"<th>{up}</th>" for up in UPS) + "</tr>"]
        for row in block.rows:
            cells = "".join(
                f'<td style="background:{_colour(cell)}">{escape(cell)}</td>' for cell in row.cells
            )
            lines += [f"<tr><th>{escape(row.label)}</th>{cells}</tr>"]
        lines += ["</table>"]
    lines += ["<p>", "<br>".join(map(escape, _legend(strategy))), "</p>"]
    if strategy.exceptions:
        lines += ["<h2>By their cards, played otherwise</h2><ul>"]
        lines += [f"<li>{escape(line)}</li>" for line in exception_lines(strategy.exceptions)]
        lines += ["</ul>"]
    return "\n".join([*lines, "</html>"]) + "\n"


def as_pdf(picture: str) -> bytes:
    """Return a picture of `as_svg` as a PDF. Needs typst, which comes with `cutcard[certify]`."""
    import typst  # an extra: see cutcard.extras

    with TemporaryDirectory() as folder:
        (Path(folder) / "table.svg").write_text(picture, "utf-8")
        page = Path(folder) / "table.typ"
        page.write_text(_PAGE, "utf-8")
        return bytes(typst.compile(str(page), root=folder, ignore_system_fonts=True))


def _colour(cell: str) -> str:
    return {"-": "#ffffff", "W": COLOURS["R"]}.get(cell) or COLOURS[cell[0]]
