"""Shards that depend only on the machine file and the suite, computed once on each computer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from rng_certification.base.finding_rows import as_row, from_row, rounded_throughout
from rng_certification.campaign.parts import Shard
from rng_certification.campaign.plan import Part
from rng_certification.continuous.kept_laws import kept_json

SEED = "cutcard certify"  # seed of a cached result; the same for every campaign


def measured_once(
    part: Part, stream: str, about: object, measure: Callable[[Part, int], Shard]
) -> Shard:
    """Return the shard of `measure(part, seed)`.

    If the plan allows a cached result, the seed is fixed and the shard is cached under a hash of
    `about`, the part and the suite. Otherwise the seed follows from the campaign's stream.
    """
    if not part.parameters.get("cached"):
        return measure(part, seed_of(stream))

    def compute() -> dict[str, Any]:
        shard = measure(part, seed_of(SEED))
        return {
            "sample": shard.sample,
            "findings": [as_row(finding) for finding in shard.findings],
            "figures": rounded_throughout(shard.figures),
            "notes": shard.notes,
        }

    named = (part.kind, part.sample, sorted(part.parameters.items()), about)
    found = kept_json("shard", named, compute)
    findings = [from_row(row) for row in found["findings"]]
    return Shard(found["sample"], findings, figures=found["figures"], notes=found["notes"])


def seed_of(stream: str) -> int:
    return int.from_bytes(hashlib.sha256(stream.encode()).digest()[:4], "big")
