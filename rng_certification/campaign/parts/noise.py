"""The bench's model of a noise source against the claim of the machine files (SP 800-90B).

It is a model: the results show that the assessment works and that a claim has a margin. They do not
describe any board's oscillator. `cutcard certify noise` assesses samples of a board.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from cutcard.bench.noise import BenchNoise
from rng_certification.base.finding_rows import rounded_throughout
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.sp800_90b.examination import examine
from rng_certification.sp800_90b.restart import EACH, STARTS
from rng_certification.sp800_90b.samples import Samples

SECONDS = 0.013
OF_A_MODEL = (
    "Simulated: the noise is the bench's model. The assessment of a board's own noise is not part "
    "of this test."
)


def run(part: Part, stream: str) -> Shard:
    running = BenchNoise(stream).take(part.sample)
    starts = b"".join(BenchNoise(f"{stream}/start/{n}").take(EACH) for n in range(STARTS))
    # A ring oscillator's samples depend on each other: the track without that assumption.
    done = examine(Samples.of(running, 1), part.parameters["claim"], restarts=Samples.of(starts, 1))
    files = [_file(f"{part.id}.bin", running), _file(f"{part.id}-starts.bin", starts)]
    return Shard(
        done.sample,
        done.findings,
        files,
        rounded_throughout(done.figures),
        [*done.notes, OF_A_MODEL],
    )


def merged(figures: Sequence[Figures]) -> Figures:
    """Return the figures of the only shard: one long sample is better than several."""
    return figures[0]


def _file(name: str, data: bytes) -> dict[str, object]:
    return {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
