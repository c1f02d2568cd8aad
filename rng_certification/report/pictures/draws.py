"""The pictures of draws: p-values of all tests, and deviations of prizes."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.special import bdtrik

from rng_certification.base.compiled import Floats
from rng_certification.report.pictures.style import BLUE, GREY, ORANGE, PALE, Picture, drawn

CLASSES = 20
_COARSE = (
    "*extreme*",
    "*worst*",
    "*minimum",
    "*proportion",
    "*far-lags*",
    "*equal-draws*",
    "*duplicates*",
    "*repeat*",
    "*collisions*",
    "*poisson*",
    "*longest-run-of-all*",
    "*folding/below-*",
)


def p_value_histogram(tests: list[dict[str, Any]]) -> Picture:
    # a check that passes or fails does not have a p-value
    chancy = [test for test in tests if test["unit"] != "checks" and test["p"] is not None]
    smooth, coarse = (
        np.array([test["p"] for test in chancy if _is_coarse(test["name"]) == wanted])
        for wanted in (False, True)
    )
    number, chance = len(chancy), 1 / CLASSES
    below, edges = np.histogram(smooth, bins=CLASSES, range=(0, 1))
    above, _ = np.histogram(coarse, bins=CLASSES, range=(0, 1))
    counts = below + above
    low, high = (float(bdtrik(level, len(smooth), chance)) for level in (0.005, 0.995))

    def draw(canvas: Figure) -> None:
        axes = canvas.subplots()
        style: dict[str, Any] = {"align": "edge", "edgecolor": "white", "lw": 0.6}
        axes.bar(edges[:-1], below, chance, color=BLUE, label="laws without steps", **style)
        axes.bar(
            edges[:-1],
            above,
            chance,
            bottom=below,
            color=PALE,
            label="counts and extremes: steps up to p = 1",
            **style,
        )
        axes.axhspan(low, high, color=GREY, alpha=0.3, lw=0, zorder=3)
        axes.axhline(
            len(smooth) * chance, color=ORANGE, lw=1.4, label="dark bars, if uniform (band: 99 %)"
        )
        axes.set_xlim(0, 1)
        axes.set_xlabel("p-value")
        axes.set_ylabel(f"tests, of {number:,}")
        canvas.legend(loc="outside upper left", fontsize=8)

    smallest = min((float(test["p"]) for test in chancy), default=1.0)
    return Picture(
        "p-values",
        "The p-values of all tests",
        "If the source is good, p-values spread evenly from 0 to 1; a fault piles them "
        "up at the left. The pile at 1 is not a fault: a count has few possible values, "
        "its most likely one has a p of 1, and the most extreme of many counts mostly is "
        "no more extreme than usual. Those tests are the pale part of each bar; their p "
        "is never too small, and may be too large. Tests of the same data depend on each "
        "other, so that bars may leave the band. The picture does not affect the "
        f"verdict; the smallest p is {smallest:.3g}, and with {number:,} tests about "
        f"{0.7 / max(number, 1):.2g} is usual.",
        f"Histogram of {number:,} p-values in {CLASSES} classes. The lowest class has {counts[0]}, "
        f"the highest {counts[-1]}, of which {above[-1]} are of counts and extremes; of the others "
        f"{len(smooth) * chance:.0f} are expected in each class.",
        drawn(3.2, draw),
    )


def _is_coarse(test: str) -> bool:
    """Return whether the test is of a count or of the most extreme of many, so that p has steps."""
    return any(fnmatchcase(test.split("@")[0], pattern) for pattern in _COARSE)


def prizes(parts: list[dict[str, Any]]) -> Picture:
    """Draw all prize tables in one picture, one row each."""
    tables = [_Strays.of(part) for part in parts]
    places = range(len(tables))[::-1]

    def draw(canvas: Figure) -> None:
        axes = canvas.subplots()
        axes.axvline(0, color=ORANGE, lw=1.2)
        for place, table in zip(places, tables, strict=True):
            axes.plot(table.low, [place] * len(table.low), "|", color=GREY, ms=7)
            axes.plot(table.high, [place] * len(table.high), "|", color=GREY, ms=7)
            axes.plot(table.observed, [place] * len(table.observed), "o", color=BLUE, ms=3.5)
        axes.set_yticks(list(places), [table.name for table in tables])
        axes.tick_params(axis="y", length=0, labelsize=7.5)
        axes.set_xlabel("deviation in standard deviations")
        axes.set_ylim(-0.7, len(tables) - 0.3)

    number, inside = sum(table.number for table in tables), sum(table.inside for table in tables)
    furthest = max(float(np.abs(table.observed).max()) for table in tables)
    return Picture(
        "prizes",
        "Selected prizes",
        "One row for each printed prize table, one dot for each prize: the deviation of "
        "its frequency from its share of the table. Strokes: the limits of each prize, "
        "within which all dots of a table of a fair selection are in 995 samples of "
        f"1,000; those of rare prizes are uneven. {inside} of {number} prizes are within "
        "their limits.",
        f"Dot plot of {number} prizes of {len(tables)} tables. {inside} are within their "
        f"limits; the largest deviation is {furthest:.2f} standard deviations.",
        drawn(1.0 + 0.24 * len(tables), draw),
    )


@dataclass(frozen=True)
class _Strays:
    """The deviations of the prizes of one table, with their limits, in standard deviations."""

    name: str
    observed: Floats
    low: Floats
    high: Floats

    @staticmethod
    def of(part: dict[str, Any]) -> _Strays:
        rows = part["figures"]["prizes"]["prizes"]
        drawn_numbers = sum(row["observed"] for row in rows)
        expected = np.array([row["expected"] for row in rows], dtype=float)
        spread = np.sqrt(expected * (1 - expected / drawn_numbers))
        observed, low, high = (
            (np.array([row[key] for row in rows], dtype=float) - expected) / spread
            for key in ("observed", "low", "high")
        )
        return _Strays(part["subject"], observed, low, high)

    @property
    def number(self) -> int:
        return len(self.observed)

    @property
    def inside(self) -> int:
        return int(((self.observed >= self.low) & (self.observed <= self.high)).sum())
