"""Prize tables: totals, means and variances of the counts in the rulebooks."""

from fractions import Fraction

import pytest

from cutcard.edge.prize_tables import BadPrizeTableError, prize_figures, read_prizes
from cutcard.rulebooks.side_wagers.catalogue import side_wagers
from cutcard.rulebooks.side_wagers.prize_table import PrizeTable

PANDEMONIUM = side_wagers("crown-melbourne-26")["pontoon-pandemonium"]


def test_madness_21_has_3750_prizes() -> None:
    (column,) = side_wagers("nz-division-2")["madness-21"].columns
    figures = prize_figures(column.prizes)
    assert (figures.total, figures.mean) == (3750, Fraction(52031, 3750))


@pytest.mark.parametrize(
    ("table", "total"),
    [
        ("1", 112_501),
        ("2", 51_566),
        ("3", 49_531),
        ("4", 37_501),
        ("5", 35_826),
        ("6", 10_029),
        ("7", 20_437),
        ("8", 37_633),
        ("9", 100),
        ("10", 100),
    ],
)
def test_the_ten_pandemonium_tables_add_up_to(table: str, total: int) -> None:
    figures = prize_figures(PANDEMONIUM.column(table, 8, 48).prizes)
    assert figures.total == total
    assert sum(chance for _, chance in figures.chances) == 1


def test_variance_equals_a_manual_computation() -> None:
    figures = prize_figures(PrizeTable(((10, 1), (2, 3)), "none"))
    assert (figures.mean, figures.variance) == (Fraction(4), Fraction(12))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 0),
        ("10 0\n", 0),
        ("0 10\n", 1),
        ("1 1000\nten 5\n", 2),
        ("1 1000\n10 -5\n", 2),
        ("1 1000", 1),
        ("1  1000\n", 1),
        ("4294967295 1\n", 1),
    ],
)
def test_invalid_prize_table_is_named_with_its_line(text: str, line: int) -> None:
    with pytest.raises(BadPrizeTableError, match="such as `10 100`") as bad:
        read_prizes(text)
    assert bad.value.line == line


def test_custom_prize_table_has_figures() -> None:
    assert prize_figures(read_prizes("1 10\n3 2\n")).mean == 4


@pytest.mark.parametrize("chances", [(), ((10, 0),), ((10, -1), (5, 3))])
def test_prizes_that_sum_to_zero_have_no_figures(chances: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(BadPrizeTableError):
        prize_figures(PrizeTable(chances, ""))
