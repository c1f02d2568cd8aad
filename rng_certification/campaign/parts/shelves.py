"""A shelf machine against its own exact law, and the distance of that law from a fair pack.

One pass over ten shelves is not a fair shuffle and is not certified as one. The tests show that the
machine follows the known law (Diaconis, Fulman, Holmes 2013): the peaks of its orders after a
number of passes, against the exact chances. k passes over m shelves are equivalent to one over
(2m)^k / 2.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cutcard.machines import find
from rng_certification.base.compiled import Decks
from rng_certification.base.laws import chi_square
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.shuffles import figures as order_figures
from rng_certification.shuffles.oracles import (
    distance_seen,
    orders_by_valleys,
    separation,
    shelf_law,
    total_variation,
)
from rng_certification.shuffles.shuffles_battery import aligned, law_of
from rng_certification.twin import streams
from rng_certification.twin.streams import Mechanism

SECONDS = 0.003
_PEAKS = order_figures.NAMES.index("peaks")


def run(part: Part, stream: str) -> Shard:
    cards, passes = part.parameters["deck"], part.parameters["passes"]
    mechanism = Mechanism.of(find(part.subject))
    shelves = (2 * mechanism.bins) ** passes // 2
    law = shelf_law(cards, shelves)
    peaks = np.zeros(cards + 2, dtype=np.int64)
    digest, size = hashlib.sha256(), 0
    for decks in _after_passes(part, stream, mechanism, passes):
        peaks += np.bincount(order_figures.figures_of(decks)[:, _PEAKS], minlength=cards + 2)
        data = decks.astype("<u2").tobytes()
        digest.update(data)
        size += len(data)
    counts, chances = aligned(peaks, np.array([float(chance) for chance in law]))
    finding = chi_square("shelf-law/turns-of-the-order", "shuffles", counts, chances)
    seen, by_chance = distance_seen(*aligned(peaks, law_of("peaks", cards)))
    orders = orders_by_valleys(cards)
    return Shard(
        part.sample,
        [finding],
        [{"name": f"{part.id}.u16", "bytes": size, "sha256": digest.hexdigest()}],
        {
            "distance": {
                "shelves": shelves,
                "total_variation": total_variation(law, orders),
                "separation": separation(law, orders),
                "seen": seen,
                "by_chance": by_chance,
            }
        },
        [
            "Tested against the exact law of shelves, not against a fair pack: section 4 "
            "has its distance from a fair pack, by the law and as observed."
        ],
    )


def merged(figures: Sequence[Figures]) -> Figures:
    distances: list[dict[str, Any]] = [shard["distance"] for shard in figures]
    mean = float(np.mean([each["seen"] for each in distances]))
    return {"distance": distances[0] | {"seen": mean}}


def _after_passes(part: Part, stream: str, mechanism: Mechanism, passes: int) -> Iterator[Decks]:
    """Return packs after several passes through the machine, each fed as it left."""
    cards = part.parameters["deck"]
    rounds = [
        streams.shuffles(streams.start(f"{stream}/{number}"), mechanism, cards, part.sample)
        for number in range(passes)
    ]
    for moves in zip(*rounds, strict=True):
        decks = moves[0]
        for move in moves[1:]:
            decks = np.take_along_axis(decks, move.astype(np.int64), axis=1)
        yield decks
