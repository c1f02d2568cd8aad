"""The pictures of a report, drawn from the figures of a campaign's parts."""

from __future__ import annotations

from typing import Any

from rng_certification.report.pictures.continuous import gap_profile, latency
from rng_certification.report.pictures.draws import p_value_histogram, prizes
from rng_certification.report.pictures.shuffling import fills_its_cells, guessing, heat_map
from rng_certification.report.pictures.style import Picture

# By the name of the figure, in reading order.
_DRAWN_FROM = {
    "guessing": guessing,
    "chute": latency,
    "position_by_card": heat_map,
    "gap_profile": gap_profile,
}

# Pictures that would show only chance are not drawn; their tests are in the tables.
LEAST = {"shuffles": 500, "cards": 100_000}
WORTH = {"position_by_card": fills_its_cells}

__all__ = ["Picture", "pictures_of"]


def pictures_of(campaign: dict[str, Any]) -> list[Picture]:
    drawn = [p_value_histogram(campaign["judgement"]["tests"])]
    for figure, draw in _DRAWN_FROM.items():
        having = (
            part
            for part in campaign["parts"]
            if figure in part["figures"] and part["sample"] >= LEAST.get(part["unit"], 0)
        )
        drawn += [draw(part) for part in having if figure not in WORTH or WORTH[figure](part)]
    if of_prizes := [part for part in campaign["parts"] if "prizes" in part["figures"]]:
        drawn.append(prizes(of_prizes))
    return drawn
