"""The pictures of draws: p-values of all tests, and how often each prize was selected."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.special import bdtrik

from rng_certification.report.pictures.style import BLUE, GREY, ORANGE, Picture, drawn

CLASSES = 20


def p_value_histogram(tests: list[dict[str, Any]]) -> Picture:
    # a check that holds or does not has no p-value of its own
    chancy = (test for test in tests if test["unit"] != "checks")
    p_values = np.array([test["p"] for test in chancy if test["p"] is not None])
    counts, edges = np.histogram(p_values, bins=CLASSES, range=(0, 1))
    number, chance = len(p_values), 1 / CLASSES
    low, high = (float(bdtrik(level, number, chance)) for level in (0.005, 0.995))

    def draw(canvas: Figure) -> None:
        axes = canvas.subplots()
        axes.axhspan(
            low, high, color=GREY, alpha=0.18, lw=0, label="99 of 100 bars, if independent"
        )
        axes.bar(edges[:-1], counts, chance, align="edge", color=BLUE, edgecolor="white", lw=0.6)
        axes.axhline(number * chance, color=ORANGE, lw=1.4, label="uniform")
        axes.set_xlim(0, 1)
        axes.set_xlabel("p-value")
        axes.set_ylabel(f"tests, of {number:,}")
        axes.legend(loc="lower right", facecolor="white", frameon=True, framealpha=0.9)

    smallest = float(p_values.min()) if number else 1.0
    return Picture(
        "p-values",
        "The p-values of all tests",
        "If the source is good, p-values spread evenly from 0 to 1; a fault piles them up at the "
        "left. Tests that look at the same data depend on each other, and p-values of counts are "
        "coarse and pile up towards 1, so that bars may leave the band. The picture decides "
        f"nothing; the smallest p is {smallest:.3g}, and with {number:,} tests about "
        f"{0.7 / max(number, 1):.2g} is usual.",
        f"Histogram of {number:,} p-values in {CLASSES} classes. The lowest class has {counts[0]}, "
        f"the highest {counts[-1]}, and {number * chance:.0f} are expected in each.",
        drawn(2.9, draw),
    )


def prizes(part: dict[str, Any]) -> Picture:
    figure = part["figures"]["prizes"]
    rows = figure["prizes"]
    drawn_numbers = sum(row["observed"] for row in rows)
    expected = np.array([row["expected"] for row in rows], dtype=float)
    spread = np.sqrt(expected * (1 - expected / drawn_numbers))
    strays = {
        key: (np.array([row[key] for row in rows], dtype=float) - expected) / spread
        for key in ("observed", "low", "high")
    }
    places = np.arange(len(rows))[::-1]

    def draw(canvas: Figure) -> None:
        axes = canvas.subplots()
        axes.axvline(0, color=ORANGE, lw=1.2)
        axes.hlines(places, strays["low"], strays["high"], color=GREY, lw=5, alpha=0.35)
        axes.plot(strays["observed"], places, "o", color=BLUE, ms=5)
        axes.set_yticks(places, [_label(row) for row in rows])
        counts = axes.secondary_yaxis("right")
        counts.set_yticks(
            places, [f"{row['observed']:,} of {row['expected']:,.1f}" for row in rows]
        )
        for side in (axes, counts):
            side.tick_params(axis="y", length=0)
        counts.spines["right"].set_visible(False)
        axes.set_xlabel("observed less expected, in standard deviations")
        axes.set_ylim(-0.7, len(rows) - 0.3)

    within = (strays["observed"] >= strays["low"]) & (strays["observed"] <= strays["high"])
    inside = int(within.sum())
    return Picture(
        f"prizes-{part['id']}",
        f"Selected prizes: {part['title']}",
        f"{drawn_numbers:,} selections. Dots: how much more or less often a prize came than its "
        "numbers in the printed table say. Bars: all dots of a fair selection lie within theirs "
        f"in 995 samples of 1,000. {inside} of {len(rows)} do. At the right, how often it came and "
        "how often it was to be expected.",
        f"Dot plot of {len(rows)} prizes. {inside} lie within their interval; the largest "
        f"deviation is {float(np.abs(strays['observed']).max()):.2f} standard deviations.",
        drawn(1.0 + 0.27 * len(rows), draw),
    )


def _label(row: dict[str, Any]) -> str:
    numbers = row["numbers"]
    return f"${row['prize']:,}  ({numbers:,} number{'' if numbers == 1 else 's'})"
