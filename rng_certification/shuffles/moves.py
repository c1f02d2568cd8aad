"""Moves of cards since an earlier pack: place before x place after, and unseparated neighbours."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Decks, compiled
from rng_certification.base.finding import Finding
from rng_certification.base.laws import extreme_cell
from rng_certification.shuffles.tables import square_of


@compiled
def _count_moves(moved: Decks, places: Counts, kept: Counts) -> None:
    """`kept`: neighbours that stay neighbours, by the place of the first, after and before."""
    size = moved.shape[1]
    for record in range(len(moved)):
        for i in range(size):
            before = moved[record, i]
            places[i, before] += 1
            if i + 1 < size and moved[record, i + 1] == before + 1:
                kept[0, i] += 1
                kept[1, before] += 1


class CardMoves:
    """Feed, for each pack, the position of its cards in an earlier pack."""

    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.places = np.zeros((cards, cards), dtype=np.int64)
        self.kept = np.zeros((2, cards), dtype=np.int64)
        self.shuffles = 0

    def feed(self, moved: Decks) -> None:
        _count_moves(moved, self.places, self.kept)
        self.shuffles += len(moved)

    def findings(self, prefix: str) -> list[Finding]:
        n, shuffles = self.cards, self.shuffles
        name = f"{prefix}place-place"
        kept = self.kept[:, : n - 1]
        return [
            square_of(f"{name}/chi-square", self.places, shuffles),
            extreme_cell(f"{name}/extreme", "shuffles", self.places, 1 / n, shuffles).of(shuffles),
            extreme_cell(f"{prefix}kept-pairs/extreme", "shuffles", kept, 1 / n, shuffles).of(
                shuffles
            ),
        ]
