"""The pictures of shuffles: positions of cards, and guesses by an observant player."""

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
    """Return whether counts are large enough for standard deviations to be meaningful."""
    figure = part["figures"]["position_by_card"]
    cells = len(figure["counts"]) ** 2
    return bool(figure["shuffles"] * figure["cards"] >= LEAST_A_CELL * cells)


def heat_map(part: dict[str, Any]) -> Picture:
    figure = part["figures"]["position_by_card"]
    counts = np.array(figure["counts"], dtype=float)
    cards, shuffles, rows = figure["cards"], figure["shuffles"], len(counts)
    block = cards // rows
    expected = shuffles * cards / rows / rows
    # of the cards of a block, those that land in a block of places: hypergeometric, per shuffle
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
        bar.set_label("deviation in standard deviations")

    cell = "card and place" if block == 1 else f"block of {block} cards and {block} places"
    return Picture(
        f"heat-map-{part['id']}",
        f"Position of each card: {part['title']}",
        f"Each cell is one {cell}. A fair machine puts every card at every place equally "
        f"often: {expected:,.1f} times per cell in {shuffles:,} shuffles. The colour "
        "shows the deviation of a count from that, in standard deviations. A fair "
        "machine shows an even speckle; a stripe, a diagonal or a corner of one colour "
        f"would be a fault. The most extreme cell deviates by {most:.2f}; of "
        f"{counts.size:,} cells chance alone makes one deviate by about "
        f"{_usual_most(counts.size):.1f}.",
        f"Heat map of {rows} by {rows} cells, places after the shuffle against cards. The largest "
        f"deviation is {most:.2f} standard deviations; the mean of the squared deviations is "
        f"{float((strays**2).mean()):.3f}, where 1 is expected.",
        drawn(4.7, draw),
    )


def _usual_most(cells: int) -> float:
    """Return the median of the largest deviation among `cells` normal ones."""
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
        f"Guesses by a player: {part['title']}",
        "A player with a view of every dealt card guesses the next one by the best rule "
        f"known for shelf machines. In {part['sample']:,} shuffles {mean(observed):.3f} "
        f"cards of 52 are guessed on average; in a fair pack {mean(law):.3f}; after one "
        f"pass over ten shelves, a machine that was once sold, {mean(ten):.1f}.",
        "Three curves of the share of shuffles by cards guessed right. This machine's points are "
        f"nowhere more than {apart:.4f} from the curve of a fair pack; the curve of ten shelves "
        f"has its mean at {mean(ten):.1f}.",
        drawn(2.9, draw),
    )
