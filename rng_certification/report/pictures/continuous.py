"""The picture of a continuous shuffler: cards until a returned card is dealt again."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rng_certification.report.pictures.style import BLUE, GREY, INK, ORANGE, Picture, drawn


def gap_profile(part: dict[str, Any]) -> Picture:
    figure = part["figures"]["gap_profile"]
    edges = np.array(figure["gap"], dtype=float)
    # The last cell is open: it has no width, and is omitted from the picture.
    widths = np.diff(edges)
    observed, law, ideal = (
        np.array(figure[key], dtype=float)[:-1] for key in ("observed", "law", "ideal")
    )
    shown = law > 0
    middles = (edges[:-1] + (widths - 1) / 2)[shown]

    def draw(canvas: Figure) -> None:
        upper, lower = canvas.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [2.4, 1]})
        for shares, style in (
            (ideal, {"color": ORANGE, "ls": "--", "label": "ideal machine"}),
            (law, {"color": INK, "ls": "-", "label": "its law"}),
        ):
            upper.plot(middles, (100 * shares / widths)[shown], lw=1.3, **style)
        upper.plot(
            middles, (100 * observed / widths)[shown], "o", color=BLUE, ms=3.5, label="this machine"
        )
        upper.set_ylabel("chance, in percent")
        upper.set_ylim(bottom=0)
        upper.legend()
        lower.axhline(0, color=INK, lw=1)
        lower.plot(middles, 100 * (observed[shown] / law[shown] - 1), "o", color=BLUE, ms=3)
        lower.set_ylabel("off the law,\nin percent")
        lower.set_xlabel("cards dealt until a card is dealt again")

    apart = figure["distance_to_law"]
    return Picture(
        f"gap-profile-{part['id']}",
        f"Return of a card: {part['title']}",
        "The number of cards dealt until a returned card is dealt again, in cells of "
        "about equal chance. Its law: from a model that was written independently of the "
        "firmware. An ideal machine returns single cards, with the same mean; the total "
        f"variation between the two laws is {figure['distance_to_ideal']:.4f}. The "
        f"machine is {apart:.4f} from its own law; chance alone gives "
        f"{figure['distance_to_law_by_chance']:.4f}. Mean gap {figure['mean']:.1f} cards, "
        f"by law {figure['mean_law']:.1f}; {figure['cards']:,} cards.",
        "Two panels over the cards between two deals of a card. Above, the chance of "
        f"each gap, of the machine and of two laws: total variation {apart:.4f} from the "
        f"law of the mechanism, which is {figure['distance_to_ideal']:.4f} from the ideal "
        "law. Below, machine against law.",
        drawn(3.6, draw),
    )


def latency(part: dict[str, Any]) -> Picture:
    figure = part["figures"]["chute"]
    between = np.array(figure["cards_between"])
    observed, law = (100 * np.array(figure[key], dtype=float) for key in ("observed", "law"))

    def draw(canvas: Figure) -> None:
        axes = canvas.subplots()
        axes.axvspan(-0.5, figure["bound"] - 0.5, color=GREY, alpha=0.18, lw=0)
        middle = (figure["bound"] / 2 - 0.5, law.max() / 2)
        axes.text(*middle, "not possible", ha="center", va="center", rotation=90)
        axes.plot(between, law, "-", color=INK, lw=1.3, label="its law")
        axes.plot(between, observed, "o", color=BLUE, ms=3.5, label="this machine")
        axes.set_xlim(-0.5, between[-1] + 0.5)
        axes.set_xlabel("cards dealt until a card is dealt again")
        axes.set_ylabel("chance, in percent")
        axes.legend(loc="lower right")

    return Picture(
        f"chute-{part['id']}",
        f"Latency of the chute: {part['title']}",
        "Cards wait in the chute, so a card that was just returned cannot be dealt "
        f"immediately. By its settings at least {figure['bound']} other cards are dealt "
        f"first; the earliest observed deal was after {figure['least']}.",
        "Chance that a card is dealt again, by the number of cards dealt before it. The "
        f"chance is zero below {figure['bound']} cards; the earliest observed deal was "
        f"after {figure['least']}. The largest difference from the law is "
        f"{float(np.abs(observed - law).max()):.4f} percent.",
        drawn(2.7, draw),
    )
