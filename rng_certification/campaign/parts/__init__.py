"""The kinds of parts of a campaign, one module for each.

Each has

- `run(part, stream) -> Shard`: generate and test the data of one shard, only from the plan;
- `merged(figures) -> dict`: the figures of several shards as one;
- `SECONDS`: about how long a thousand records take on one core, for the remaining time.

A module is imported only if a part of its kind is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

from rng_certification.base.finding import Finding
from rng_certification.campaign.plan import Part

Figures = dict[str, Any]


@dataclass(frozen=True)
class Shard:
    """The result of one shard of a part."""

    sample: int
    findings: list[Finding]
    files: list[dict[str, Any]] = field(default_factory=list)
    figures: Figures = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class PartKind(Protocol):
    SECONDS: float

    def run(self, part: Part, stream: str) -> Shard: ...

    def merged(self, figures: Sequence[Figures]) -> Figures: ...


KINDS = (
    "bits",
    "draws",
    "shuffles",
    "shelves",
    "jackpot",
    "presses",
    "construction",
    "first_draws",
    "noise",
    "health",
    "continuous",
    "replay",
    "batteries",
    "board",
    "power_cuts",
    "predictability",
    "counters",
)


def kind_of(part: Part) -> PartKind:
    if part.kind not in KINDS:
        raise ValueError(f"unknown kind of part {part.kind!r}: use one of {', '.join(KINDS)}")
    return cast(PartKind, import_module(f"{__name__}.{part.kind}"))
