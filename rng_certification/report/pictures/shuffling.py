"""The pictures of shuffles: where cards land, and what a player who sees every card can guess."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.special import ndtri

from rng_certification.report.pictures.style import BLUE, GREY, ORANGE, Picture, drawn

LIMIT = 4.5  # standard deviations at the ends of the scale of colours
LEAST_A_CELL = 15  # cards


def fills_its_cells(part: dict[str, Any]) -> bool:
    """Whether counts are large enough for standard deviations to mean what they say."""
    figure = part["figures"]["position_by_card"]
    cells = len(figure["counts"]) ** 2
    return bool(figure["shuffles"] * figure["cards"] >= LEAST_A_CELL * cells)


def heat_map(part: dict[str, Any]) -> Picture:
    figure = part["figures"]["position_by_card"]
    counts = np.array(figure["counts"], dtype=float)
    cards, shuffles, rows = figure["cards"], figure["shuffles"], len(counts)
    block = cards // rows
    expected = shuffles * cards / rows / rows
    # of the cards of a block, those that land in a block of places: hypergeometric, each shuffle
    spread = np.sqrt(expected * (1 - 1 / rows) * (cards - block) / (cards - 1))
    strays = (counts - expected) / spread
    most = float(np.abs(strays).max())

    def draw(canvas: Figure) -> None:
        axes = canvas.subplots()
        edge = (0.5, cards + 0.5, cards + 0.5, 0.5)
        image = axes.imshow(
            strays, cmap="PuOr_r", vmin=-LIMIT, vmax=LIMIT, extent=edge, interpolation="nearest"
        )
        axes.set_xlabel("card, by its place before the shuffle")
        axes.set_ylabel("place after the shuffle")
        ticks = [1, *range(cards // 4, cards + 1, cards // 4)]
        axes.set_xticks(ticks)
        axes.set_yticks(ticks)
        bar = canvas.colorbar(image, ax=axes, location="bottom", shrink=0.85, pad=0.02)
        bar.set_label("standard deviations off")

    cell = "card and place" if block == 1 else f"block of {block} cards and {block} places"
    return Picture(
        f"heat-map-{part['id']}",
        f"Where each card lands: {part['title']}",
        f"Each cell is one {cell}. A fair machine puts every card at every place equally often: "
        f"{expected:,.1f} times a cell in {shuffles:,} shuffles. Colour says how far a count "
        "strays from that, in standard deviations. A fair machine shows an even speckle; a "
        "stripe, a diagonal or a corner of one colour would be a fault. The most extreme cell "
        f"strays by {most:.2f}; of {counts.size:,} cells chance alone makes one stray "
        f"by about {_usual_most(counts.size):.1f}.",
        f"Heat map of {rows} by {rows} cells, places after the shuffle against cards. The largest "
        f"deviation is {most:.2f} standard deviations; the mean of the squared deviations is "
        f"{float((strays**2).mean()):.3f}, where 1 is expected.",
        drawn(4.7, draw),
    )


def _usual_most(cells: int) -> float:
    """The median of the largest deviation among so many normal ones."""
    return float(ndtri(1 - (1 - 0.5 ** (1 / cells)) / 2))


def guessing(part: dict[str, Any]) -> Picture:
    figure = part["figures"]["guessing"]
    guesses = np.array(figure["guesses"])
    observed, law, ten = (np.array(figure[key]) for key in ("observed", "law", "ten_shelves"))

    def draw(canvas: Figure) -> None:
        axes = canvas.subplots()
        axes.plot(guesses, ten, "--", color=ORANGE, lw=1.6, label="ten shelves, one pass")
        axes.plot(guesses, law, "-", color=GREY, lw=1.6, label="fair pack, exact law")
        axes.plot(guesses, observed, "o", color=BLUE, ms=5, label="this machine")
        axes.set_xlabel("cards guessed right, of 52")
        axes.set_ylabel("share of shuffles")
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend()

    def mean(shares: Any) -> float:
        return float((guesses * shares).sum() / shares.sum())

    apart = float(np.abs(observed - law).max())
    return Picture(
        f"guessing-{part['id']}",
        f"What a player can guess: {part['title']}",
        "A player who sees every card dealt guesses the next one by the best rule known for "
        f"shelf machines. In {part['sample']:,} shuffles {mean(observed):.3f} cards of 52 are "
        f"guessed on average; in a fair pack {mean(law):.3f}; after one pass over ten shelves, "
        f"a machine that was once sold, {mean(ten):.1f}.",
        "Three curves of the share of shuffles by cards guessed right. This machine's points are "
        f"nowhere more than {apart:.4f} from the curve of a fair pack; the curve of ten shelves "
        f"has its mean at {mean(ten):.1f}.",
        drawn(2.9, draw),
    )
