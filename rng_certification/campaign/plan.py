"""The plan of a campaign, written before any other work.

The plan is data: the parts, the number of records in each, their seeds, alpha, and the rules that
combine many p-values into one verdict. Its SHA-256 is in the report. A part is a pure function of
the plan, so that the same plan gives the same bytes on every computer.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

from rng_certification.base.canonical import canonical
from rng_certification.base.judgement import FAMILY_ALPHA
from rng_certification.base.weights import WEIGHTS, Weights
from rng_certification.campaign.evidence import (
    LEAST_OUTCOMES,
    SIDE_CHANNEL_BITS,
    WRONG_BIN_RATE,
    Evidence,
)
from rng_certification.campaign.product import Product
from rng_certification.continuous.counter import SPREAD
from rng_certification.predictability.money import SAFETY, SHARE

FORMAT = 4

# Declared before the run and before any measurement. docs/explanation/certification.md states when
# and why each was chosen.
LIMITS = {
    "wrong_bin_rate": WRONG_BIN_RATE,
    "mechanical_outcomes": LEAST_OUTCOMES,
    "side_channel_bits": SIDE_CHANNEL_BITS,
    "money_share_of_house_edge": SHARE,
    "money_safety": SAFETY,
    "money_spread": SPREAD,
}
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


# Sources of a device at a port. A bench or an emulated board is simulated.
AT_PORT = ("board", "simulated")


@dataclass(frozen=True, kw_only=True)
class Part:
    """One question about one source. `sample` is the number of records in each shard."""

    id: str
    kind: str
    title: str
    subject: str
    source: str  # "twin", "micropython", "bench", or one of AT_PORT
    sample: int
    unit: str
    shards: int
    parameters: dict[str, Any]

    def stream(self, seed: str, shard: int) -> str:
        """Return the name of a shard's random stream, which determines everything random in it."""
        return f"{seed}/{self.id}/{shard}"


@dataclass(frozen=True)
class CampaignPlan:
    profile: str
    seed: str
    parts: tuple[Part, ...]
    alpha: float = FAMILY_ALPHA
    weights: Weights = WEIGHTS
    nonces: tuple[str, str] | None = None  # the laboratory's and the applicant's
    product: Product | None = None  # None for given data
    profile_file: str = ""  # the text of a custom profile
    evidence: tuple[Evidence, ...] = ()  # measurements made elsewhere

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "profile": self.profile,
            "profile_file": self.profile_file,
            "product": self.product.as_json() if self.product else None,
            "evidence": [each.as_json() for each in self.evidence],
            "limits": LIMITS,
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
    """Return the seed of a fresh campaign, from both nonces, so that neither side can choose it."""
    return hashlib.sha256(f"{len(laboratory)}:{laboratory}{applicant}".encode()).hexdigest()[:32]
