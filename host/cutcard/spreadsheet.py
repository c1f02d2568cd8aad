"""Rows of a CSV file in which user input is never a formula.

Spreadsheet programs evaluate a cell that starts with one of these signs, and it may then start
programs or send the sheet elsewhere. An apostrophe before it marks it as text.
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
        """Write one row. A number stays a number, also if it is given as text."""
        self._writer.writerow([_text(cell) if isinstance(cell, str) else cell for cell in cells])


def _text(cell: str) -> str:
    # `csv` does not quote a carriage return, which would start a new row.
    if not cell.isprintable():
        cell = "".join(sign if sign.isprintable() else " " for sign in cell)
    is_formula = cell.lstrip(" ").startswith(_FORMULA) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula and len(cell) > 1 else cell
