"""The plan of a campaign, written down before anything is done.

The plan is data: which parts, how many records of each, from which seeds, at which alpha, and by
which rules many p-values become one verdict. Its SHA-256 stands in the report. A part is a pure
function of the plan, so that the same plan gives the same bytes wherever it is run.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from rng_certification.base.judgement import FAMILY_ALPHA
from rng_certification.base.weights import WEIGHTS, Weights

FORMAT = 2

RULES = {
    "family": "Every test of every part, second-level rules included, is a member of one family; "
    "Holm's step-down method holds the chance that a good source fails any of them at alpha.",
    "weights": "A test has alpha times its weight over the weights of all tests, skipped ones too, "
    "whose share is lost. The first pattern that matches its name gives its weight; 1 otherwise.",
    "seed": "Of a fresh campaign: the SHA-256 of the laboratory's nonce and the applicant's, drawn "
    "or given before anything runs. Whoever names a seed repeats a campaign.",
    "sides": "p is twice the smaller tail: a fit too good is as suspicious as a bad one.",
    "second_level": "A part of several shards is judged by two rules a test: `@extreme`, the "
    "smallest p of all shards by Sidak's law, and `@together`, Fisher's sum of their logarithms "
    "by the chi-square law with twice as many degrees of freedom as there are shards.",
    "minimum": "A test with too little data is SKIPPED with its reason and never fails.",
    "power": "Beside each test stands the smallest effect that it finds in 99 samples of 100 "
    "at its share of alpha.",
    "repeated": "Nothing. Each part is run once; a part that was cut off is run again from its "
    "own seed and gives the same bytes.",
}


@dataclass(frozen=True, kw_only=True)
class Part:
    """One question put to one source. `sample` is what each shard takes."""

    id: str
    kind: str
    title: str
    subject: str
    source: str  # "twin", "bench" or "board"
    sample: int
    unit: str
    shards: int
    parameters: dict[str, Any]

    def stream(self, seed: str, shard: int) -> str:
        """The name of a shard's random stream: everything random in it follows from this."""
        return f"{seed}/{self.id}/{shard}"


@dataclass(frozen=True)
class Plan:
    profile: str
    seed: str
    parts: tuple[Part, ...]
    alpha: float = FAMILY_ALPHA
    weights: Weights = WEIGHTS
    nonces: tuple[str, str] | None = None  # the laboratory's and the applicant's

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "profile": self.profile,
            "seed": self.seed,
            "nonces": None
            if self.nonces is None
            else {"laboratory": self.nonces[0], "applicant": self.nonces[1]},
            "alpha": self.alpha,
            "weights": [list(row) for row in self.weights],
            "rules": RULES,
            "parts": [asdict(part) for part in self.parts],
        }

    @property
    def sha256(self) -> str:
        return hashlib.sha256(canonical(self.as_json()).encode()).hexdigest()


def seed_from(laboratory: str, applicant: str) -> str:
    """The seed of a fresh campaign: neither of the two can choose it alone."""
    return hashlib.sha256(f"{len(laboratory)}:{laboratory}{applicant}".encode()).hexdigest()[:32]


def canonical(data: Any) -> str:
    """The one way in which a campaign writes JSON: sorted keys, always the same bytes."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
