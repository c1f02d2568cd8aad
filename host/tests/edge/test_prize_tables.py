"""Prize tables: totals, means and variances as the rulebooks print the counts."""

from fractions import Fraction

import pytest

from cutcard.edge.prize_tables import prize_figures
from cutcard.engine.side_wagers.catalogue import side_wagers
from cutcard.engine.side_wagers.prize_draws import PrizeTable

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


def test_a_variance_by_hand() -> None:
    figures = prize_figures(PrizeTable(((10, 1), (2, 3)), "none"))
    assert (figures.mean, figures.variance) == (Fraction(4), Fraction(12))
