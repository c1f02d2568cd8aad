"""Mean, variance and chances of the prizes that a jackpot button draws, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cutcard.edge.decimals import rounded
from cutcard.rulebooks.side_wagers.prize_table import PrizeTable
from cutcard_firmware.core.jackpot import prize_table


@dataclass(frozen=True, slots=True)
class PrizeFigures:
    """The figures of a prize table for each $1 wagered."""

    total: int
    mean: Fraction
    variance: Fraction
    chances: tuple[tuple[int, Fraction], ...]

    def as_json(self) -> dict[str, Any]:
        """Return every figure as a fraction, and rounded to ten places."""
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


class BadPrizeTableError(ValueError):
    """Raised if a table of prizes cannot be parsed, has no prizes, or only prizes of $0.

    `line` is the wrong line, 0 for the entire table.
    """

    def __init__(self, line: int, problem: str) -> None:
        where = f"line {line}: " if line else ""
        super().__init__(
            f"{where}{problem}. A table of prizes has a line for each amount: the number of "
            "prizes, a space, the amount in dollars, such as `10 100`."
        )
        self.line = line


def read_prizes(text: str) -> PrizeTable:
    """Parse a prize table in a controller's format, with the controller's own code."""
    try:
        rows = prize_table.rows(text.encode())
    except prize_table.BadPrizes as bad:
        problem = "is not a prize" if bad.row else "the prizes sum to zero, or are too many"
        raise BadPrizeTableError(bad.row, problem) from bad
    return PrizeTable(tuple((amount, count) for count, amount in rows), "")


def prize_figures(table: PrizeTable) -> PrizeFigures:
    """Return the figures of a prize table: the draw is uniform over the printed number of
    prizes."""
    total = sum(count for _, count in table.chances)
    if total <= 0 or min(count for _, count in table.chances) < 0:
        raise BadPrizeTableError(0, "the numbers of prizes sum to zero, or one is below it")
    mean = Fraction(sum(prize * count for prize, count in table.chances), total)
    square = Fraction(sum(prize**2 * count for prize, count in table.chances), total)
    chances = tuple((prize, Fraction(count, total)) for prize, count in table.chances)
    return PrizeFigures(total, mean, square - mean**2, chances)
