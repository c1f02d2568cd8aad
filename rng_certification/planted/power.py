"""Measure how reliably each planted defect is caught, and by which test, as a Markdown table.

    python -m rng_certification.planted.power --seeds 10

With `--record` it also rewrites `measured.json`, from which reports print the table.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from rng_certification.certification import certify
from rng_certification.planted.table import DEFECTS, LARGE_DEFECTS, UNSEEN, Planted

MEASURED = Path(__file__).with_name("measured.json")
FIRST_SEED = 7_000_000  # seeds that were not used to choose the samples


@dataclass(frozen=True)
class DetectionRate:
    """The number of failed samples, and of those that failed by the test for the defect."""

    defect: Planted
    samples: int
    failed: int
    by_its_test: int
    first: str  # the test that is most often the surest

    def row(self) -> str:
        defect = self.defect
        what = f"{defect.kind} {defect.size}" if defect.size else defect.kind
        return (
            f"| {defect.name} | {what} | {defect.sample:,} | {self.failed} of {self.samples} "
            f"| `{defect.caught_by}` {self.by_its_test} of {self.samples} | `{self.first}` |"
        )

    def as_json(self) -> dict[str, Any]:
        defect = self.defect
        return {
            "defect": defect.name,
            "kind": defect.kind,
            "size": defect.size,
            "sample": defect.sample,
            "caught_by": defect.caught_by,
            "samples": self.samples,
            "failed": self.failed,
            "by_its_test": self.by_its_test,
            "surest": self.first,
        }


def measure(defect: Planted, seeds: range) -> DetectionRate:
    failed = by_its_test = 0
    first: Counter[str] = Counter()
    for seed in seeds:
        failures = certify(BytesIO(defect.data(seed)), defect.subject()).judgement.failures
        names = [test.finding.name for test in failures]
        failed += bool(names)
        by_its_test += any(name.startswith(defect.caught_by) for name in names)
        first.update(names[:1])
    surest = first.most_common(1)[0][0] if first else ""
    return DetectionRate(defect, len(seeds), failed, by_its_test, surest)


def record(power: DetectionRate) -> None:
    """Update a row of the table; remove rows of removed defects."""
    rows = {row["defect"]: row for row in json.loads(MEASURED.read_text(encoding="utf-8"))}
    rows[power.defect.name] = power.as_json()
    known = [rows[defect.name] for defect in (*DEFECTS, *LARGE_DEFECTS) if defect.name in rows]
    MEASURED.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--kind", action="append", help="only these kinds (default: all)")
    parser.add_argument("--only", action="append", help="a defect's name (default: all)")
    parser.add_argument(
        "--unseen", action="store_true", help=("The defects invented afterwards instead.")
    )
    parser.add_argument("--record", action="store_true", help=f"Rewrite {MEASURED.name}.")
    asked = parser.parse_args()
    print(
        "| defect | data | sample | caught | by its test | surest test |\n|---|---|---|---|---|---|"
    )
    missed = 0
    for defect in UNSEEN if asked.unseen else (*DEFECTS, *LARGE_DEFECTS):
        if asked.kind and defect.kind not in asked.kind:
            continue
        if asked.only and defect.name not in asked.only:
            continue
        number = 1 if defect in LARGE_DEFECTS else asked.seeds
        power = measure(defect, range(FIRST_SEED, FIRST_SEED + number))
        missed += power.samples - power.failed
        if asked.record and not asked.unseen:
            record(power)
        print(power.row(), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
