"""The style of all pictures, drawn to the same bytes every time."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Okabe and Ito's colours, distinguishable for colour-blind readers and in print.
BLUE, ORANGE, PALE, GREY, INK = "#0072B2", "#D55E00", "#9CCBE8", "#6b7280", "#1f2937"
WIDTH = 4.0  # inches: half of a page, or the full width of a phone, with legible letters

_LOOK: dict[str, Any] = {
    "svg.hashsalt": "cutcard",
    "svg.fonttype": "path",  # the same letters on every computer
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.borderaxespad": 0.2,
    "legend.handlelength": 1.6,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
}


@dataclass(frozen=True)
class Picture:
    """A drawing with its words; `alt` describes it for readers who do not see it."""

    name: str
    title: str
    caption: str
    alt: str
    svg: str


def drawn(height: float, draw: Callable[[Figure], None]) -> str:
    """Return the SVG of the drawing by `draw` on a figure of the common width."""
    # The defaults first, so that the user's own settings have no effect.
    settings: Any = {**mpl.rcParamsDefault, **_LOOK, "backend": "svg"}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue().decode()
