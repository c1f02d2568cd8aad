"""Raw output of the generator: SP 800-22, the whole stream, and its bytes as draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rng_certification.campaign.examined import examined
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.certification import RawBits
from rng_certification.twin import streams

SECONDS = 0.0014


def run(part: Part, stream: str) -> Shard:
    subject = RawBits()
    pieces = _from_twin(part, stream)
    findings, file = examined(f"{part.id}.bin", pieces, subject)
    return Shard(subject.sample(), findings, [file], {"nist_limits": subject.details()})


def merged(figures: Sequence[Figures]) -> Figures:
    """NIST's own limits are shown for each shard: they are not ours to combine."""
    return {"nist_limits": [shard["nist_limits"]["nist_limits"] for shard in figures]}


def _from_twin(part: Part, stream: str) -> Iterator[bytes]:
    for piece in streams.raw_bytes(streams.start(stream), part.sample):
        yield piece.tobytes()
