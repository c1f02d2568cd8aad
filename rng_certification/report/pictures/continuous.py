"""After how many cards a card that was put back is dealt again."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rng_certification.report.pictures.style import BLUE, GREY, INK, ORANGE, Picture, drawn


def gap_profile(part: dict[str, Any]) -> Picture:
    figure = part["figures"]["gap_profile"]
    gap = np.array(figure["gap"], dtype=float)
    observed, law, ideal = (
        np.array(figure[key], dtype=float) for key in ("observed", "law", "ideal")
    )
    total = observed.sum()
    if total > 1.5:  # counts, not shares
        observed = observed / total
    apart_law = float(np.abs(observed - law).sum()) / 2
    apart_ideal = float(np.abs(law - ideal).sum()) / 2

    def draw(canvas: Figure) -> None:
        upper, lower = canvas.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [2.4, 1]})
        upper.plot(gap, 100 * observed, ".", color=BLUE, ms=3, label="this machine")
        upper.plot(gap, 100 * law, "-", color=INK, lw=1.3, label="law of this mechanism")
        upper.plot(gap, 100 * ideal, "--", color=ORANGE, lw=1.3, label="ideal single-card machine")
        upper.set_ylabel("chance, in percent")
        upper.set_ylim(bottom=0)
        upper.legend()
        lower.axhline(0, color=INK, lw=1)
        lower.plot(gap, 100 * (observed - law), ".", color=BLUE, ms=2.5)
        lower.set_ylabel("machine less law")
        lower.set_xlabel("cards dealt between two appearances of one card")
        lower.yaxis.label.set_color(GREY)

    return Picture(
        f"gap-profile-{part['id']}",
        f"When a card comes back: {part['title']}",
        "How many cards are dealt until a card that was put back is dealt again. The line is the "
        "law of this very mechanism and its settings, from a model that was written independently "
        "of the firmware. The broken line is an ideal machine that returns single cards. A "
        "carousel that ejects groups is not ideal: the two laws are apart by a total variation "
        f"of {apart_ideal:.3f}. The machine is {apart_law:.4f} from its own law, of which chance "
        "makes a part.",
        "Two panels over the cards between two appearances. Above, the share of each gap, of "
        f"the machine and of two laws: total variation {apart_law:.4f} from the law of the "
        f"mechanism, which is {apart_ideal:.3f} from the ideal law. Below, machine less law.",
        drawn(4.0, draw),
    )
