"""Complete packs of a batch machine that claims to be fair: all tests of shuffles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rng_certification.base.compiled import Counts
from rng_certification.campaign.examined import examined
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.certification import Shuffles
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.planted.shuffles import shelves
from rng_certification.shuffles import figures as order_figures
from rng_certification.shuffles.shuffles_battery import ShufflesBattery, law_of

SECONDS = 0.0125  # packs of 52
PICTURE = 52  # largest number of rows and columns of a heat map: larger packs are shown in blocks
TEN_SHELVES = 20_000


def run(part: Part, stream: str) -> Shard:
    cards = part.parameters["deck"]
    subject = Shuffles(cards)
    what = CollectionRequest("shuffles", part.subject, deck=cards)
    findings, files = examined(part, stream, what, subject)
    return Shard(subject.sample(), findings, files, pictures(subject.battery))


def merged(figures: Sequence[Figures]) -> Figures:
    whole: Figures = {}
    places = [shard["position_by_card"] for shard in figures]
    whole["position_by_card"] = {
        "cards": places[0]["cards"],
        "shuffles": sum(each["shuffles"] for each in places),
        "counts": np.sum([each["counts"] for each in places], axis=0).tolist(),
    }
    if "guessing" in figures[0]:
        observed = np.mean([shard["guessing"]["observed"] for shard in figures], axis=0)
        whole["guessing"] = {
            **figures[0]["guessing"],
            "observed": observed.tolist(),
        }
    whole["distance_to_uniform"] = [shard["distance_to_uniform"] for shard in figures]
    return whole


def pictures(battery: ShufflesBattery) -> Figures:
    cards = battery.cards
    made: Figures = {
        "position_by_card": {
            "cards": cards,
            "shuffles": battery.shuffles,
            "counts": in_blocks(battery.tables.places).tolist(),
        },
        "distance_to_uniform": battery.distances(),
    }
    if cards == PICTURE:
        made["guessing"] = guessing(battery)
    return made


def in_blocks(places: Counts) -> Counts:
    """Join the table of positions and cards to blocks if it is larger than a picture."""
    size = len(places)
    side = -(-size // PICTURE)
    if size % side:
        return places
    blocks: Counts = places.reshape(size // side, side, size // side, side).sum(axis=(1, 3))
    return blocks


def guessing(battery: ShufflesBattery) -> dict[str, Any]:
    """Return the cards guessed by a player with a view of every card.

    For this machine, for a fair pack, and after one pass over ten shelves.
    """
    cards = battery.cards
    counts = battery.figures.counts["guesses"][: cards + 1]
    most = 24
    random = np.random.Generator(np.random.SFC64(10))
    column = order_figures.NAMES.index("guesses")
    after_shelves = order_figures.figures_of(shelves(random, TEN_SHELVES, cards, 10))[:, column]
    return {
        "guesses": list(range(most)),
        "observed": _shares(counts[:most], battery.shuffles),
        "law": law_of("guesses", cards)[:most].tolist(),
        "ten_shelves": _shares(
            np.bincount(after_shelves, minlength=most)[:most].astype(np.int64), TEN_SHELVES
        ),
    }


def _shares(counts: Counts, whole: int) -> list[float]:
    return [float(count) / whole for count in counts]
