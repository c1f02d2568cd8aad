"""Draws of one range, as the machines use them."""

from __future__ import annotations

from collections.abc import Sequence

from rng_certification.campaign.examined import examined
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.certification import ScaledDraws
from rng_certification.collect.collection_request import CollectionRequest

SECONDS = 0.0014


def run(part: Part, stream: str) -> Shard:
    span = part.parameters["range"]
    subject = ScaledDraws(span)
    findings, files = examined(
        part, stream, CollectionRequest("draws", part.subject, span), subject
    )
    return Shard(subject.sample(), findings, files)


def merged(figures: Sequence[Figures]) -> Figures:
    return {}
