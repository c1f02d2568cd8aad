"""The firmware's checks of its random source, in MicroPython."""

from __future__ import annotations

from collections.abc import Sequence

from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.unpredictability.construction import checks

SECONDS = 1_800.0


def run(part: Part, stream: str) -> Shard:
    findings, said = checks()
    return Shard(len(findings), findings, notes=said)


def merged(figures: Sequence[Figures]) -> Figures:
    return {}
