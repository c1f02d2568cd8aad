"""The counters on machines with known answers: a weak counter would make results too good.

The result depends only on the suite. An ordinary campaign uses a fixed seed and caches it; a
laboratory's campaign measures it with its own seed.
"""

from __future__ import annotations

from collections.abc import Sequence

from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.parts.once import measured_once
from rng_certification.campaign.plan import Part
from rng_certification.predictability import gauge
from rng_certification.predictability.figures import Effort

SECONDS = 0.07


def run(part: Part, stream: str) -> Shard:
    """Learn from `sample` cards of each machine."""
    return measured_once(part, stream, part.parameters["rows"], _measure)


def _measure(part: Part, seed: int) -> Shard:
    rows = tuple(row for row in gauge.ROWS if row.name in part.parameters["rows"])
    findings = [
        *gauge.reference_findings(rows, Effort.of(part.sample), seed),
        *gauge.exact_findings(Effort.of(part.sample // 4), seed),
    ]
    return Shard(part.sample, findings)


def merged(figures: Sequence[Figures]) -> Figures:
    return {}
