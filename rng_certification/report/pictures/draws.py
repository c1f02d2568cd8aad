"""p-values of all tests, and how often each prize was selected."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.special import bdtrik

from rng_certification.report.pictures.style import BLUE, GREY, ORANGE, Picture, drawn

CLASSES = 20


def p_value_histogram(tests: list[dict[str, Any]]) -> Picture:
    p_values = np.array([test["p"] for test in tests if test["p"] is not None])
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
    rows = part["figures"]["prizes"]["prizes"]
    expected = np.array([row["expected"] for row in rows], dtype=float)
    percent = {
        key: 100 * (np.array([row[key] for row in rows], dtype=float) / expected - 1)
        for key in ("observed", "low", "high")
    }
    places = np.arange(len(rows))[::-1]

    def draw(canvas: Figure) -> None:
        axes = canvas.subplots()
        axes.axvline(0, color=ORANGE, lw=1.2)
        axes.hlines(places, percent["low"], percent["high"], color=GREY, lw=5, alpha=0.35)
        axes.plot(percent["observed"], places, "o", color=BLUE, ms=5)
        axes.set_yticks(places, [_label(row) for row in rows])
        axes.set_xlabel("observed against expected, in percent")
        axes.set_ylim(-0.7, len(rows) - 0.3)
        axes.tick_params(axis="y", length=0)

    inside = int(
        ((percent["observed"] >= percent["low"]) & (percent["observed"] <= percent["high"])).sum()
    )
    return Picture(
        f"prizes-{part['id']}",
        f"How often each prize was selected: {part['title']}",
        "Dots: how much more or less often than its numbers in the printed table say. Bars: "
        "where 99 of 100 dots of a fair selection lie, each prize by itself. "
        f"{inside} of {len(rows)} dots lie within their bars.",
        f"Dot plot of {len(rows)} prizes. {inside} lie within their interval; the largest "
        f"deviation is {float(np.abs(percent['observed']).max()):.2f} percent.",
        drawn(0.9 + 0.27 * len(rows), draw),
    )


def _label(row: dict[str, Any]) -> str:
    numbers = row["numbers"]
    return f"{row['prize']}  ({numbers} number{'' if numbers == 1 else 's'})"
