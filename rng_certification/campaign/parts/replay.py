"""The same noise with other wagers, players, tables and questions must give the same draws."""

from __future__ import annotations

from collections.abc import Sequence

from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.unpredictability.replay import findings

SECONDS = 10_000.0


def run(part: Part, stream: str) -> Shard:
    found = findings(stream)
    return Shard(len(found), found)


def merged(figures: Sequence[Figures]) -> Figures:
    return {}
