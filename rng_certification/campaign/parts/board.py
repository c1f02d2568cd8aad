"""A device at a port: its raw noise, raw output and draws, in laboratory mode.

A bench or an emulated board at that port is named as simulated, and does not close layer B.

This part cannot be repeated, because a board's noise is unique. Its data is named by hash, and the
rest of the campaign remains reproducible.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from rng_certification.campaign.examined import examined, taken
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.certification import RawBits, ScaledDraws
from rng_certification.collect.collection_request import DIFFERENCES, CollectionRequest
from rng_certification.collect.sources import AtPort
from rng_certification.sp800_90b.examination import examine
from rng_certification.sp800_90b.samples import Samples

SECONDS = 0.1


def run(part: Part, stream: str) -> Shard:
    """Run the part. `sample` is the bytes of raw output; draws and samples are parameters."""
    machine = part.subject
    bits = RawBits()
    findings, files = examined(part, stream, CollectionRequest("bits", machine), bits)
    span = part.parameters["range"]
    of_draws = replace(part, sample=part.parameters["draws"])
    drawn, draw_files = examined(
        of_draws, stream, CollectionRequest("draws", machine, span), ScaledDraws(span)
    )
    findings += [finding.named(f"draws-{span}/{finding.name}") for finding in drawn]
    of_noise = replace(part, sample=part.parameters["samples"])
    noise = b"".join(taken(of_noise, stream, CollectionRequest("noise", machine)))
    done = examine(Samples.of(noise, 1), part.parameters["claim"])
    findings += [finding.named(f"noise/{finding.name}") for finding in done.findings]
    sha256 = hashlib.sha256(noise).hexdigest()
    files += [*draw_files, {"name": f"{part.id}.u8", "bytes": len(noise), "sha256": sha256}]
    notes = [*done.notes, *DIFFERENCES[AtPort(part.parameters["port"]).name]]
    return Shard(bits.sample(), findings, files, done.figures, notes)


def merged(figures: Sequence[Figures]) -> Figures:
    return figures[0]
