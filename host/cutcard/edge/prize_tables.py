"""Mean, variance and chances of the prizes that a jackpot button draws, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cutcard.edge.decimals import rounded
from cutcard.engine.side_wagers.prize_draws import PrizeTable


@dataclass(frozen=True, slots=True)
class PrizeFigures:
    """What a prize table comes to for each $1 wagered."""

    total: int
    mean: Fraction
    variance: Fraction
    chances: tuple[tuple[int, Fraction], ...]

    def as_json(self) -> dict[str, Any]:
        """Every figure as a fraction, and beside it to ten places."""
        return {
            "prizes": self.total,
            "mean": str(self.mean),
            "variance": str(self.variance),
            "chances": {str(prize): str(chance) for prize, chance in self.chances},
            "decimal": {
                "mean": rounded(self.mean, 10),
                "variance": rounded(self.variance, 10),
                "chances": {str(prize): rounded(chance, 10) for prize, chance in self.chances},
            },
        }


def prize_figures(table: PrizeTable) -> PrizeFigures:
    """Every chance counts alike: the selection is uniform over the printed number of prizes."""
    total = sum(count for _, count in table.chances)
    mean = Fraction(sum(prize * count for prize, count in table.chances), total)
    square = Fraction(sum(prize**2 * count for prize, count in table.chances), total)
    chances = tuple((prize, Fraction(count, total)) for prize, count in table.chances)
    return PrizeFigures(total, mean, square - mean**2, chances)
