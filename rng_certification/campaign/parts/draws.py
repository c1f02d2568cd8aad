"""Draws of one range, as the machines take them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rng_certification.campaign.examined import examined
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.certification import ScaledDraws
from rng_certification.twin import streams

SECONDS = 0.001


def run(part: Part, stream: str) -> Shard:
    subject = ScaledDraws(part.parameters["range"])
    findings, file = examined(f"{part.id}.u32", _from_twin(part, stream), subject)
    return Shard(subject.sample(), findings, [file])


def merged(figures: Sequence[Figures]) -> Figures:
    return {}


def _from_twin(part: Part, stream: str) -> Iterator[bytes]:
    for piece in streams.draws(streams.start(stream), part.parameters["range"], part.sample):
        yield piece.astype("<u4").tobytes()
