"""The folder of a campaign on disk, which keeps all finished work.

    plan.json          written before the campaign runs
    fingerprints.json  of firmware, machines and suite, also written before
    machine.toml       the machine file of the product
    shards/            one file for each finished shard
    parts/             one file for each finished part
    campaign.json      the complete judged campaign

Every file is written atomically. A campaign that is started again in the same folder runs only the
missing shards.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cutcard import untrusted
from rng_certification.base.canonical import canonical
from rng_certification.base.files import write_whole
from rng_certification.campaign.plan import CampaignPlan, Part
from rng_certification.campaign.product import MACHINE


class OtherCampaignError(Exception):
    """The folder has a campaign with another plan, or of other software."""


class DamagedShardError(Exception):
    """A file in the folder is not a valid finished shard."""


class CampaignFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._shards, self._parts = path / "shards", path / "parts"

    def declare(self, plan: CampaignPlan, fingerprints: dict[str, Any]) -> None:
        """Write the plan, or check that the folder has the same plan."""
        for folder in (self.path, self._shards, self._parts):
            folder.mkdir(parents=True, exist_ok=True)
        self._same_or_new("plan.json", canonical(plan.as_json()), "has another plan")
        self._same_or_new(
            "fingerprints.json",
            canonical(fingerprints),
            "was begun with other firmware, machines or suite",
        )
        if plan.product:
            self._same_or_new(MACHINE, plan.product.machine_file, "has another machine file")

    def _same_or_new(self, name: str, content: str, otherwise: str) -> None:
        path = self.path / name
        text = content.encode()
        if not path.exists():
            write_whole(path, text)
        elif not path.is_file() or untrusted.content(path, untrusted.MOST_JSON) != text:
            raise OtherCampaignError(
                f"the campaign in {self.path} {otherwise}: use another --out, or remove the folder"
            )

    def has_shard(self, part: Part, shard: int) -> bool:
        return self._shard(part, shard).exists()

    def keep_shard(self, part: Part, shard: int, data: dict[str, Any]) -> None:
        write_whole(self._shard(part, shard), canonical(data))

    def shards_of(self, part: Part) -> list[dict[str, Any]]:
        return [_read(self._shard(part, shard)) for shard in range(part.shards)]

    def keep_part(self, part: Part, data: dict[str, Any]) -> None:
        write_whole(self._parts / f"{part.id}.json", canonical(data))

    def keep_campaign(self, data: dict[str, Any]) -> Path:
        path = self.path / "campaign.json"
        write_whole(path, canonical(data))
        return path

    def _shard(self, part: Part, shard: int) -> Path:
        return self._shards / f"{part.id}.{shard}.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = untrusted.read_json(path)
    except (OSError, untrusted.BadContentError) as error:
        raise DamagedShardError(
            f"{path} cannot be read: {untrusted.why_unreadable(error)}. Remove it to run it again."
        ) from None
    return data
