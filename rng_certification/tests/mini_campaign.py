"""A campaign of seconds, run as a program so that a test can kill it.

    python -m rng_certification.tests.mini_campaign FOLDER

It prints the name of each finished shard.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rng_certification.campaign.folder import CampaignFolder
from rng_certification.campaign.judging import judged
from rng_certification.campaign.plan import CampaignPlan, Part
from rng_certification.campaign.product import Product
from rng_certification.campaign.running import run_all

TESTED = {"suite": {"all of it": "as it is"}}


def mini_plan() -> CampaignPlan:
    return CampaignPlan(
        "gli-19",
        "mini",
        (
            Part(
                id="draws-38",
                kind="draws",
                title="Bins",
                subject="drum-60",
                source="twin",
                sample=10_000,
                unit="draws",
                shards=3,
                parameters={"range": 38},
            ),
            Part(
                id="shuffles-slots-52",
                kind="shuffles",
                title="Decks",
                subject="drum-60",
                source="twin",
                sample=1_000,
                unit="shuffles",
                shards=1,
                parameters={"deck": 52},
            ),
        ),
        product=Product.of("drum-60"),
    )


def run(path: Path, scheduler: str | None = None, processes: int = 1) -> bytes:
    """Return the bytes of campaign.json."""
    plan, folder = mini_plan(), CampaignFolder(path)
    folder.declare(plan, TESTED)
    parts = run_all(
        plan,
        folder,
        processes=processes,
        scheduler=scheduler,
        finished=lambda task, _: print(task.part.id, task.shard, flush=True),
    )
    return folder.keep_campaign(judged(plan, parts, TESTED)).read_bytes()


if __name__ == "__main__":
    run(Path(sys.argv[1]), processes=2)
