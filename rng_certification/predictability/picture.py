"""The assessment as a picture: bits of each pack for counter and listener, and helpful changes."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing

from rng_certification.predictability.assessment import LIMIT, MachineAssessment


def draw(found: MachineAssessment, file: Path) -> None:
    """Write an SVG or a PNG, by the extension of the file's name."""
    drawing = Drawing(figsize=(9, 3.2 + 0.35 * (len(found.packs) + len(found.changes))))
    FigureCanvasAgg(drawing)
    parts = drawing.subplots(2 if found.changes else 1, 1, squeeze=False)[:, 0]
    _bars(
        parts[0],
        [f"{pack.pack} cards" for pack in found.packs],
        [pack.counter.bits for pack in found.packs],
        [pack.ear.bits for pack in found.packs],
    )
    _limit(parts[0], [pack.ideal + LIMIT for pack in found.packs])
    parts[0].set_title(f"{found.machine.name}: leaked bits of the next card", loc="left")
    parts[0].legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    if found.changes:
        _bars(
            parts[1],
            [change.name for change in found.changes],
            [change.counter for change in found.changes],
            [change.ear for change in found.changes],
        )
        _limit(parts[1], [found.worst.ideal + LIMIT] * len(found.changes))
        parts[1].set_title("Helpful changes, best first", loc="left")
    drawing.tight_layout()
    drawing.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)


def _bars(part: Axes, names: list[str], counter: list[float], ear: list[float]) -> None:
    places = range(len(names))
    part.barh([p - 0.2 for p in places], counter, 0.38, color="#1d4ed8", label="counter")
    part.barh([p + 0.2 for p in places], ear, 0.38, color="#92400e", label="ear")
    part.set_yticks(list(places), names)
    part.invert_yaxis()
    part.set_xlabel("bits")
    for place, bits in zip(places, zip(counter, ear, strict=True), strict=True):
        for side, leaked in zip((-0.2, 0.2), bits, strict=True):
            part.annotate(f"{leaked:.2f}", (leaked, place + side), (3, 0), va="center", fontsize=8,
                          textcoords="offset points")  # fmt: skip
    part.set_xlim(0, 1.1 * max(*counter, *ear, LIMIT))


def _limit(part: Axes, limits: list[float]) -> None:
    """A line next to each pair of bars, because the limit depends on the pack."""
    starts = [place - 0.5 for place in range(len(limits))]
    ends = [place + 0.5 for place in range(len(limits))]
    part.vlines(limits, starts, ends, color="#b91c1c", label="limit")
