"""Prizes of a wager for meters (Crown 21 and 24): chances, mean and variance.

A meter's prize depends on the meter's amount. Mean and mean square are therefore formulas in the
meters, with exact coefficients; for given meters they are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from cutcard.edge.side_bets import WinningRow, side_edges
from cutcard.rulebooks.side_wagers.catalogue import SideWager

Meters = Mapping[str, Fraction]  # the amount of each, in dollars


@dataclass(frozen=True, slots=True)
class MeterFigures:
    """The prizes of a $1 wager that the cards decide, without the stake.

    Random picks (Lucky Player, Mystery Jackpot) are made by the jackpot system, and no rule states
    their frequency: those prizes are named in `picked`, and are not included in the figures.
    """

    side: SideWager
    decks: int
    pack: int
    rows: tuple[WinningRow, ...]

    @property
    def picked(self) -> tuple[str, ...]:
        dealt = {row.hand for row in self.rows}
        return tuple(hand for hand in self.side.wins if hand not in dealt)

    @property
    def loses(self) -> Fraction:
        return 1 - sum((row.chance for row in self.rows), Fraction(0))

    def moment(self, power: int) -> tuple[Fraction, dict[str, Fraction]]:
        """Return E[prize ** power]: the part without meters, and each meter's coefficient."""
        fixed = Fraction(0)
        of_meters: dict[str, Fraction] = {}
        for row in self.rows:
            share = self.side.meter_share.get(row.hand)
            if share is None:
                fixed += row.chance * row.odds**power
            else:
                grows = row.chance * share.share**power
                of_meters[share.meter] = of_meters.get(share.meter, Fraction(0)) + grows
        return fixed, of_meters

    def mean(self, meters: Meters) -> Fraction:
        fixed, slopes = self.moment(1)
        return fixed + sum((slopes[name] * meters[name] for name in slopes), Fraction(0))

    def variance(self, meters: Meters) -> Fraction:
        fixed, slopes = self.moment(2)
        square = fixed + sum((slopes[name] * meters[name] ** 2 for name in slopes), Fraction(0))
        return square - self.mean(meters) ** 2

    def prize(self, row: WinningRow) -> str:
        """Return the payment of a row, in words."""
        share = self.side.meter_share.get(row.hand)
        if share is None:
            return f"{row.odds} to 1"
        return f"{share.share * 100}% of {share.meter}"

    def formula(self, power: int) -> str:
        """Return the moment as text: `3/4 + 1/5000 x supernova-major^2`."""
        fixed, slopes = self.moment(power)
        raised = f"^{power}" if power > 1 else ""
        terms = [f"{slope} x {name}{raised}" for name, slope in slopes.items()]
        return " + ".join(([str(fixed)] if fixed else []) + terms)


def meter_figures(rulebook: str, side: SideWager) -> Iterator[MeterFigures]:
    """Yield the figures for each number of decks and pack for which the rulebook offers the
    wager."""
    for edge in side_edges(rulebook, side.bet):
        yield MeterFigures(side, edge.decks, edge.pack, edge.rows)
