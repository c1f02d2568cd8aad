"""The counters themselves, on machines whose answer is known: a weak one would flatter."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.predictability import gauge
from rng_certification.predictability.measuring import Effort

SECONDS = 0.07


def run(part: Part, stream: str) -> Shard:
    """`sample` cards are learned from, of each machine."""
    seed = int.from_bytes(hashlib.sha256(stream.encode()).digest()[:4], "big")
    rows = tuple(row for row in gauge.ROWS if row.name in part.parameters["rows"])
    findings = [
        *gauge.reference_findings(rows, Effort.of(part.sample), seed),
        *gauge.exact_findings(Effort.of(part.sample // 4), seed),
    ]
    return Shard(part.sample, findings)


def merged(figures: Sequence[Figures]) -> Figures:
    return {}
