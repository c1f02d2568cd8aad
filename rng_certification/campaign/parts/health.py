"""The firmware's own health tests on simulated noise: false alarms, and the time to detection."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from rng_certification.base.finding_rows import rounded_throughout
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.sp800_90b.examination import examine_health_tests

SECONDS = 0.6


def run(part: Part, stream: str) -> Shard:
    claim, alarm_bits = part.parameters["claim"], part.parameters["alarm_bits"]
    seed = int.from_bytes(hashlib.sha256(stream.encode()).digest()[:8], "big")
    done = examine_health_tests(claim, alarm_bits, part.sample, seed)
    return Shard(
        done.sample, done.findings, figures=rounded_throughout(done.figures), notes=done.notes
    )


def merged(figures: Sequence[Figures]) -> Figures:
    return figures[0]
