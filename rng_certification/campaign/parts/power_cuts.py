"""The first draws of a device on the bench after power cuts and restarts on the same flash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import closing
from itertools import islice

import numpy as np

from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.collect import benches
from rng_certification.unpredictability import first_draws

SECONDS = 60.0


def run(part: Part, stream: str) -> Shard:
    starts = benches.first_draws(part.subject, stream, first_draws.CARDS, first_draws.DRAWN)
    with closing(starts):  # type: ignore[type-var]
        data = b"".join(islice(starts, part.sample))
    table = np.frombuffer(data, dtype=np.uint8).reshape(part.sample, first_draws.DRAWN)
    file = {
        "name": f"{part.id}.u8",
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    return Shard(part.sample, first_draws.findings("power-cuts/bench", table), [file])


def merged(figures: Sequence[Figures]) -> Figures:
    return {}
