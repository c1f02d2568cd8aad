"""A carousel at a table, round after round, against the law of this very mechanism.

From the twin by the million, with the bins that only its model knows; from the bench through
motors, sensors and mouth, as anybody at the table sees it.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.machines import find
from rng_certification.campaign.examined import examined
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.subject import ContinuousHistory

SECONDS = 0.0018  # where the law is known
PACK = 52


def run(part: Part, stream: str) -> Shard:
    decks = part.parameters["decks"]
    subject = ContinuousHistory(Settings.of(find(part.subject), PACK * decks))
    what = CollectionRequest("cards", part.subject, decks=decks)
    findings, files = examined(part, stream, what, subject)
    return Shard(subject.sample(), findings, files, subject.battery.figures())


def merged(figures: Sequence[Figures]) -> Figures:
    """The pictures of the first shard: each has a law of its own beside it."""
    return figures[0]
