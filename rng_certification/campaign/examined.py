"""Run a part's records from their source through its tests, and hash them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from rng_certification.base.finding import Finding
from rng_certification.campaign.plan import Part
from rng_certification.certification import Subject
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.collect.sources import counted, source_of


def taken(part: Part, stream: str, what: CollectionRequest) -> Iterator[bytes]:
    """Yield as many records as the part's sample; a history continues to the end of its round."""
    left = part.sample
    chunks = source_of(part.parameters.get("port", part.source)).chunks(what, stream)
    while left > 0:
        chunk = next(chunks)
        if what.kind != "cards":
            chunk = chunk[: left * what.record]
        left -= counted(what, chunk)
        yield chunk
    if hasattr(chunks, "close"):
        chunks.close()


def examined(
    part: Part, stream: str, what: CollectionRequest, subject: Subject
) -> tuple[list[Finding], list[dict[str, Any]]]:
    """Return the findings of a part, and the row that describes its data as a file."""
    digest, size = hashlib.sha256(), 0
    for piece in taken(part, stream, what):
        subject.feed(piece, size)
        digest.update(piece)
        size += len(piece)
    file = {"name": f"{part.id}.{what.suffix}", "bytes": size, "sha256": digest.hexdigest()}
    return subject.findings(), [file]
