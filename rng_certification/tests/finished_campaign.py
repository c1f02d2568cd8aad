"""A small campaign with real numbers from the twin, finished and reported, for use in tests.

It has one part of every kind that runs quickly, so that every picture is drawn.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cutcard.keys import PublicKey
from rng_certification.base.fingerprints import fingerprints
from rng_certification.base.signing import ReportSigner
from rng_certification.campaign.folder import CampaignFolder
from rng_certification.campaign.judging import judged
from rng_certification.campaign.plan import CampaignPlan
from rng_certification.campaign.work import part_of, run_shard
from rng_certification.tests.mini_campaign import mini_plan


def small_plan() -> CampaignPlan:
    return replace(mini_plan(), profile="all")


def finish(path: Path, plan: CampaignPlan) -> Path:
    """Run a plan in this process and judge it; return its folder."""
    folder, tested = CampaignFolder(path), fingerprints()
    folder.declare(plan, tested)
    parts = []
    for part in plan.parts:
        machine = plan.product.machine_file if plan.product else ""
        shards = [
            run_shard(asdict(part), shard, plan.seed, machine) for shard in range(part.shards)
        ]
        parts.append(part_of(part, shards))
        folder.keep_part(part, parts[-1])
    folder.keep_campaign(judged(plan, parts, tested))
    return path


def signer(seed: int, development: bool = False) -> ReportSigner:
    private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
    raw = private.public_key().public_bytes_raw()
    return ReportSigner(PublicKey("house", "report", seed, development, raw), private)
