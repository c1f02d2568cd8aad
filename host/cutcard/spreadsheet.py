"""Rows for a spreadsheet, in which nothing that people have written is a formula.

A cell that begins with one of these signs is worked out by the programs that open a CSV file, and
may then start others or send the sheet elsewhere. An apostrophe before it says that it is text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import TextIO

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


class Sheet:
    """A CSV file that is written row by row."""

    def __init__(self, file: TextIO) -> None:
        self._writer = csv.writer(file, lineterminator="\n")

    def write(self, cells: Iterable[object]) -> None:
        """One row. A number stays one, also where it is written as text."""
        self._writer.writerow([_text(cell) if isinstance(cell, str) else cell for cell in cells])


def _text(cell: str) -> str:
    # A carriage return is not quoted by `csv`, and would begin a row of its own.
    if not cell.isprintable():
        cell = "".join(sign if sign.isprintable() else " " for sign in cell)
    is_formula = cell.lstrip(" ").startswith(_FORMULA) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula and len(cell) > 1 else cell
