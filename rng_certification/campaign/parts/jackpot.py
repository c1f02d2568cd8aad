"""Draws from one rulebook's prize table: its numbers, and its prizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rng_certification.campaign.examined import examined
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.certification import subject_of
from rng_certification.jackpot.battery import prize_figures_of
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.twin import streams

SECONDS = 0.0012


def run(part: Part, stream: str) -> Shard:
    subject = subject_of("draws", prizes=part.parameters["prizes"])
    findings, file = examined(f"{part.id}.u32", _from_twin(part, stream), subject)
    return Shard(subject.sample(), findings, [file], {"prizes": subject.details()["prizes"]})


def merged(figures: Sequence[Figures]) -> Figures:
    """Counts add up; their limits are those of the whole sample."""
    prizes = find_prizes(figures[0]["prizes"]["table"])
    counts = np.sum(
        [[row["observed"] for row in shard["prizes"]["prizes"]] for shard in figures], axis=0
    )
    return prize_figures_of(prizes, counts)


def _from_twin(part: Part, stream: str) -> Iterator[bytes]:
    span = find_prizes(part.parameters["prizes"]).total
    for piece in streams.draws(streams.start(stream), span, part.sample):
        yield piece.astype("<u4").tobytes()
