"""Draws from one rulebook's prize table: its numbers, and its prizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rng_certification.campaign.examined import examined
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.certification import subject_of
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.jackpot.prizes_battery import prize_figures_of

SECONDS = 0.0025


def run(part: Part, stream: str) -> Shard:
    subject = subject_of("draws", prizes=part.parameters["prizes"])
    what = CollectionRequest("prizes", part.subject, prizes=part.parameters["prizes"])
    findings, files = examined(part, stream, what, subject)
    return Shard(subject.sample(), findings, files, {"prizes": subject.details()["prizes"]})


def merged(figures: Sequence[Figures]) -> Figures:
    """Add the counts; their limits are for the complete sample."""
    prizes = find_prizes(figures[0]["prizes"]["table"])
    counts = np.sum(
        [[row["observed"] for row in shard["prizes"]["prizes"]] for shard in figures], axis=0
    )
    return prize_figures_of(prizes, counts)
