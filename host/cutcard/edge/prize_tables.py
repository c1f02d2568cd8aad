"""Mean, variance and chances of the prizes that a jackpot button draws, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cutcard.engine.side_wagers.prize_draws import PrizeTable


@dataclass(frozen=True, slots=True)
class PrizeFigures:
    """What a prize table comes to for each $1 wagered."""

    total: int
    mean: Fraction
    variance: Fraction
    chances: tuple[tuple[int, Fraction], ...]


def prize_figures(table: PrizeTable) -> PrizeFigures:
    """Every chance counts alike: the selection is uniform over the printed number of prizes."""
    total = sum(count for _, count in table.chances)
    mean = Fraction(sum(prize * count for prize, count in table.chances), total)
    square = Fraction(sum(prize**2 * count for prize, count in table.chances), total)
    chances = tuple((prize, Fraction(count, total)) for prize, count in table.chances)
    return PrizeFigures(total, mean, square - mean**2, chances)
