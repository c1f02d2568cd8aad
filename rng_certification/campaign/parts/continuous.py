"""A carousel at a table, round after round, against the law of this mechanism.

The twin gives millions of cards, with the bins from its model. The bench gives cards through
motors, sensors and mouth, as a person at the table sees them.
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

SECONDS = 0.0018  # for machines with a known law
PACK = 52


def run(part: Part, stream: str) -> Shard:
    decks = part.parameters["decks"]
    subject = ContinuousHistory(Settings.of(find(part.subject), PACK * decks))
    what = CollectionRequest("cards", part.subject, decks=decks)
    findings, files = examined(part, stream, what, subject)
    return Shard(subject.sample(), findings, files, subject.battery.figures())


def merged(figures: Sequence[Figures]) -> Figures:
    """Return the pictures of the first shard: each has its own law."""
    return figures[0]
