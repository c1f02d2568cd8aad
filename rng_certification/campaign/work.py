"""The work of one shard in a process or a cluster's worker, and the merging of shards."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from cutcard.untrusted import toml_from
from rng_certification.base.finding_rows import as_row, from_row, rounded_throughout
from rng_certification.base.second_level import second_level
from rng_certification.campaign.parts import kind_of
from rng_certification.campaign.plan import Part
from rng_certification.campaign.product import machine_on_disk

# Seconds for a thousand records through firmware, mechanics and wire.
ON_BENCH = {"cards": 5.3, "shuffles": 120.0, "bytes": 0.012, "draws": 0.011}


class ShardFailedError(Exception):
    """A shard failed: for example a bench that did not start, or a device that did not answer."""


@dataclass(frozen=True)
class Task:
    part: Part
    shard: int
    seed: str
    machine_file: str = ""  # the machine file's text; empty if no part needs it

    @property
    def seconds(self) -> float:
        """Return an estimate of a task's time, for the order of work and the remaining time."""
        a_thousand = kind_of(self.part).SECONDS
        if self.part.source == "bench":
            a_thousand = ON_BENCH.get(self.part.unit, a_thousand)
        return a_thousand * self.part.sample / 1000


def run_shard(
    part: dict[str, Any], shard: int, seed: str, machine_file: str = ""
) -> dict[str, Any]:
    """Run one shard, with plain arguments and results, so that any worker can do it.

    A part of the product's machine runs with `machine_file`, from a temporary file. Raises only
    ShardFailedError: other errors may not survive the transfer between processes.
    """
    chosen = Part(**part)
    try:
        with _machine_at_hand(chosen, machine_file) as ready:
            done = kind_of(ready).run(ready, ready.stream(seed, shard))
    except Exception as error:
        raise ShardFailedError(
            f"{chosen.id}, shard {shard}: {type(error).__name__}: {error}"
        ) from error
    return {
        "shard": shard,
        "sample": done.sample,
        "findings": [as_row(finding) for finding in done.findings],
        "files": done.files,
        "figures": rounded_throughout(done.figures),
        "notes": done.notes,
    }


def timed_shard(
    part: dict[str, Any], shard: int, seed: str, machine_file: str = ""
) -> tuple[dict[str, Any], float]:
    """Run one shard; also return its duration in seconds, which is not part of its result."""
    began = time.monotonic()
    return run_shard(part, shard, seed, machine_file), time.monotonic() - began


@contextmanager
def _machine_at_hand(part: Part, machine_file: str) -> Iterator[Part]:
    if not machine_file or toml_from(machine_file).get("name") != part.subject:
        yield part
        return
    with machine_on_disk(machine_file, part.subject) as path:
        yield replace(part, subject=path)


def part_of(part: Part, shards: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a part's result from the results of its shards, in order."""
    findings = second_level([[from_row(row) for row in shard["findings"]] for shard in shards])
    notes = dict.fromkeys(note for shard in shards for note in shard["notes"])
    return {
        **{key: value for key, value in asdict(part).items() if key not in ("kind", "shards")},
        "sample": sum(shard["sample"] for shard in shards),
        "shards": len(shards),
        "files": [
            file | {"name": f"{shard['shard']}/{file['name']}" if len(shards) > 1 else file["name"]}
            for shard in shards
            for file in shard["files"]
        ],
        "findings": [as_row(finding) for finding in findings],
        "figures": rounded_throughout(kind_of(part).merged([shard["figures"] for shard in shards])),
        "notes": list(notes),
    }
