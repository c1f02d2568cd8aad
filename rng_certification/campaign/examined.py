"""A stream of records through a battery, hashed on its way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from rng_certification.certification import Subject
from rng_certification.finding import Finding


def examined(
    name: str, pieces: Iterable[bytes], subject: Subject
) -> tuple[list[Finding], dict[str, Any]]:
    """The findings, and the row that says which file this would be."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        subject.feed(piece, size)
        digest.update(piece)
        size += len(piece)
    return subject.findings(), {"name": name, "bytes": size, "sha256": digest.hexdigest()}
