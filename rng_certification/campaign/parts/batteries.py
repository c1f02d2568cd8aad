"""dieharder unchanged, if installed: each of its quick tests on a fresh stream of the twin.

A battery reads a variable amount and leaves the rest in the pipe. So each test begins a separate
stream, and the same campaign gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from rng_certification.base.finding import Finding
from rng_certification.batteries import dieharder
from rng_certification.batteries.feeding import Stream
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.twin import streams

SECONDS = 4_000.0
MOST_BYTES = 1 << 40  # a stream never ends before a test does


def run(part: Part, stream: str) -> Shard:
    tests = [test for test in dieharder.TESTS if test.quick or not part.parameters["quick"]]
    if not dieharder.installed():
        reason = f"not installed: {dieharder.INSTALL}"
        missing = [Finding.skip(f"dieharder/{t.name}", 0, "streams", reason) for t in tests]
        return Shard(0, missing, notes=[f"dieharder is {reason}"])
    findings: list[Finding] = []
    for test in tests:
        source = streams.start(f"{stream}/{test.name}")
        pieces = (piece.tobytes() for piece in streams.raw_bytes(source, MOST_BYTES))
        outcomes = dieharder.run(Stream(pieces), [test])
        findings += [
            Finding(o.name, 1, "streams", f.p, f.statistic, f.skipped)
            for o, f in ((outcome, outcome.finding()) for outcome in outcomes)
        ]
    return Shard(len(tests), findings)


def merged(figures: Sequence[Figures]) -> Figures:
    return {}
