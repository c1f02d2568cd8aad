"""Raw output of the generator: SP 800-22, tests of the stream, and its bytes as draws."""

from __future__ import annotations

from collections.abc import Sequence

from rng_certification.campaign.examined import examined
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.certification import RawBits
from rng_certification.collect.collection_request import CollectionRequest

SECONDS = 0.0012


def run(part: Part, stream: str) -> Shard:
    subject = RawBits()
    findings, files = examined(part, stream, CollectionRequest("bits", part.subject), subject)
    return Shard(subject.sample(), findings, files, {"nist_limits": subject.details()})


def merged(figures: Sequence[Figures]) -> Figures:
    """Keep NIST's own limits for each shard, because they cannot be combined."""
    return {"nist_limits": [shard["nist_limits"]["nist_limits"] for shard in figures]}
