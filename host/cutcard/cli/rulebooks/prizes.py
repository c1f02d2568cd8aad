"""The prizes in `cutcard rulebook show`: each with its chance, exactly and rounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cutcard.edge.decimals import money, rounded
from cutcard.edge.meter_prizes import MeterFigures, meter_figures
from cutcard.edge.prize_tables import PrizeFigures, prize_figures
from cutcard.rulebooks.book import Rulebook
from cutcard.rulebooks.side_wagers.catalogue import PayColumn, SideWager

PLACES = 10  # of a chance: one in 112,501 has six digits of its own


class PrizeTableText(NamedTuple):
    """A table of prizes, and the text below it."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    below: str


def shown_prizes(book: Rulebook) -> Iterator[PrizeTableText]:
    """Yield a table for each prize table, and for each pay table with a meter."""
    for side in book.side_wagers.values():
        for column in side.columns:
            if column.prizes.chances:
                yield _drawn(side, column, prize_figures(column.prizes))
        if side.meter_share:
            yield from (_metered(figures) for figures in meter_figures(book.name, side))


def prizes_as_json(column: PayColumn) -> dict[str, Any] | None:
    """Return the figures of a prize table; None for a pay table with odds."""
    return prize_figures(column.prizes).as_json() if column.prizes.chances else None


def meters_as_json(book: Rulebook, side: SideWager) -> list[dict[str, Any]]:
    return [
        {
            "decks": figures.decks,
            "pack": figures.pack,
            "chances": {row.hand: str(row.chance) for row in figures.rows},
            "loses": str(figures.loses),
            "picked": list(figures.picked),
            "mean": figures.formula(1),
            "mean_square": figures.formula(2),
            "decimal": {row.hand: rounded(row.chance, PLACES) for row in figures.rows},
        }
        for figures in meter_figures(book.name, side)
    ]


def _drawn(side: SideWager, column: PayColumn, figures: PrizeFigures) -> PrizeTableText:
    both = zip(column.prizes.chances, figures.chances, strict=True)
    return PrizeTableText(
        f"{side.title} {column.choice}".strip() + f" ({column.prizes.rule})",
        ("prize for each $1", "of them", "chance", ""),
        [
            (f"${prize:,}", f"{count:,}", str(chance), rounded(chance, PLACES))
            for (prize, count), (_, chance) in both
        ],
        f"{figures.total:,} prizes. Mean {figures.mean} = {money(figures.mean)}, "
        f"variance {figures.variance} = {rounded(figures.variance, 4)}.",
    )


def _metered(figures: MeterFigures) -> PrizeTableText:
    picked = f" {', '.join(figures.picked)} not included: no rule states the frequency."
    rows = [
        (row.hand, figures.prize(row), str(row.chance), rounded(row.chance, PLACES))
        for row in figures.rows
    ]
    return PrizeTableText(
        f"{figures.side.title} ({figures.side.pay_rule}), {figures.decks} decks",
        ("hand", "pays", "chance", ""),
        [*rows, ("nothing", "", str(figures.loses), rounded(figures.loses, PLACES))],
        "For a $1 wager, meters in dollars, one winner, without rounding up. Mean prize "
        f"{figures.formula(1)}; "
        f"mean of its square {figures.formula(2)}; variance: that less the mean squared."
        + (picked if figures.picked else ""),
    )
