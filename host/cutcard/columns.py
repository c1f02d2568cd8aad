"""Tables for a terminal: they fit its width, and words are never cut.

A table that is too wide is printed row by row instead, with a line for each heading.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

Cell = str | Text  # a str is used unchanged; a Text may have a colour
_FRAME = 3  # a border and a space on each side of every column, and a border at the end
_TALL = 0.75  # maximum height, as a share of the lines of the row-by-row form


def show_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    title: str = "",
    lines: bool = False,
    numbers: Sequence[str] = (),
    console: Console | None = None,
) -> None:
    """Print a table on standard output. `lines` separates rows; `numbers` are aligned right."""
    console = console or Console(highlight=False)
    columns = [[heading, *(str(row[at]) for row in rows)] for at, heading in enumerate(headings)]
    least = [max(map(_longest_word, column)) for column in columns]
    most = [max(map(_longest_line, column)) for column in columns]
    room = console.width - _FRAME * len(columns) - 1
    widths = _fitted(least, most, room) if sum(least) <= room else None
    by_row = [_by_row(headings, row, console.width) for row in rows]
    if widths is None or _height(rows, widths) > _TALL * sum(map(_lines_of, by_row)):
        _print_rows(by_row, title, console)
        return
    table = Table(
        title=Text(title) if title else None,
        title_justify="left",
        show_lines=lines,
        box=HEAVY_HEAD if any(headings) else SIMPLE_HEAD,
        show_header=any(headings),
    )
    for heading, width in zip(headings, widths, strict=True):
        justify = "right" if heading in numbers else "left"
        table.add_column(Text(heading), width=width, justify=justify)  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    console.print(table)


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def _longest_line(text: str) -> int:
    return max(map(cell_len, text.splitlines()), default=0)


def _fitted(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Return column widths that fit all words, as close to the desired widths as possible."""
    widths = list(most)
    while sum(widths) > room:
        widest = max(
            (at for at in range(len(widths)) if widths[at] > least[at]), key=widths.__getitem__
        )
        widths[widest] -= 1
    return widths


def _height(rows: Sequence[Sequence[Cell]], widths: Sequence[int]) -> int:
    return sum(
        max(len(wrapped(str(cell), width)) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def _by_row(headings: Sequence[str], row: Sequence[Cell], width: int) -> list[Text]:
    """Return a line for each heading; all lines except the first are indented."""
    found = []
    for at, (heading, cell) in enumerate(zip(headings, row, strict=True)):
        if str(cell):
            label = f"{heading}: " if heading else ""
            lines = wrapped(f"{label}{cell}", width, "" if at == 0 else "  ", "    ")
            style = "bold" if at == 0 else cell.style if isinstance(cell, Text) else ""
            found.append(Text("\n".join(lines), style=style))
    return found


def _lines_of(row: list[Text]) -> int:
    return sum(str(text).count("\n") + 1 for text in row)


def _print_rows(by_row: Sequence[list[Text]], title: str, console: Console) -> None:
    if title:
        console.print(Text("\n".join(wrapped(title, console.width)), style="italic"))
    for row in by_row:
        for text in row:
            console.print(text, soft_wrap=True)


def wrapped(text: str, width: int = 80, first: str = "", later: str = "") -> list[str]:
    """Break text into lines of at most `width` characters, only between words."""
    found: list[str] = []
    for line in text.splitlines() or [""]:
        found += wrap(
            line,
            width,
            initial_indent=later if found else first,
            subsequent_indent=later,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return found
