"""Measure known generators with this suite, dieharder and TestU01, and record the results.

    python -m rng_certification.known.measuring --record

Our suite judges growing samples of raw bits and draws in looks, from 1 MiB on. dieharder runs five
short tests and TestU01 runs SmallCrush, both unchanged; their verdicts are recorded as printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from rng_certification.base.files import write_whole
from rng_certification.base.judgement import judge
from rng_certification.batteries import dieharder, testu01
from rng_certification.batteries.feeding import Stream
from rng_certification.batteries.outcome import Outcome
from rng_certification.certification import GivenSubject, subject_of
from rng_certification.known.sources import KNOWN, KnownGenerator
from rng_certification.repeated_looks import LookLimit, grow

MEASURED = Path(__file__).with_name("measured.json")
SEED = 20_261_117
UNTIL = "1MiB"
DIEHARDER = (
    "diehard_birthdays",
    "diehard_bitstream",
    "diehard_count_1s_str",
    "diehard_runs",
    "dab_dct",
)
# Slightly more than the most bytes that they read.
DIEHARDER_BYTES, SMALLCRUSH_BYTES = 400 << 20, 900 << 20


def by_ours(subject: GivenSubject, data: bytes) -> dict[str, Any]:
    """Return the look and the test that failed first, or a pass of all looks."""
    certificate = grow(BytesIO(data), subject, LookLimit.of(UNTIL))
    look = certificate.details["looks"][-1]
    failed = [test.finding.name for test in certificate.judgement.failures]
    return {
        "verdict": certificate.judgement.verdict,
        "bytes": look["bytes"],
        "records": certificate.sample,
        "failed": len(failed),
        "surest": failed[0] if failed else "",
    }


def by_battery(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the number of p-values that fail as one family, and the battery's own verdict."""
    judgement = judge(outcome.finding() for outcome in outcomes)
    ran = [outcome for outcome in outcomes if outcome.p is not None]
    return {
        "results": len(ran),
        "failed": len(judgement.failures),
        "void": len(outcomes) - len(ran),
        "says": sum(outcome.said in ("FAILED", "suspect") for outcome in ran),
    }


def by_cutcard(known: KnownGenerator) -> dict[str, Any]:
    size = LookLimit.of(UNTIL).bytes or 0
    draws, span = known.draws(SEED, size // 4)
    return {
        "bits": by_ours(subject_of("bits"), known.stream(SEED, size)),
        "draws": by_ours(subject_of("draws", span), draws.astype("<u4").tobytes()),
    }


def by_others(known: KnownGenerator) -> dict[str, Any]:
    """Return the results of the installed batteries."""
    found = {}
    chosen = [test for test in dieharder.TESTS if test.name in DIEHARDER]
    if dieharder.installed():
        stream = Stream(known.pieces(SEED, DIEHARDER_BYTES))
        found["dieharder"] = by_battery(dieharder.run(stream, chosen))
    program = testu01.program("small")
    if program is not None:
        stream = Stream(known.pieces(SEED, SMALLCRUSH_BYTES))
        found["testu01"] = by_battery(testu01.run(stream, program))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", action="append", help="a generator's name (default: all)")
    parser.add_argument(
        "--by", choices=("cutcard", "others"), help=("cutcard or the others (default: both)")
    )
    parser.add_argument("--record", action="store_true", help=f"rewrite {MEASURED.name}")
    asked = parser.parse_args()
    for known in KNOWN:
        if asked.only and known.name not in asked.only:
            continue
        for by in (by_cutcard, by_others):
            if asked.by in (None, by.__name__.removeprefix("by_")):
                found = by(known)
                print(known.name, json.dumps(found), flush=True)
                if asked.record:
                    record(known.name, found)
    return 0


def record(name: str, found: dict[str, Any]) -> None:
    """Add results to those of other batteries and generators."""
    rows = json.loads(MEASURED.read_text("utf-8")) if MEASURED.exists() else {}
    rows[name] = rows.get(name, {}) | found
    kept = {each.name: rows[each.name] for each in KNOWN if each.name in rows}
    write_whole(MEASURED, json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
