"""The first draws after power cuts and between devices, by the firmware in MicroPython."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rng_certification.base.interpreter import in_micropython
from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.unpredictability import first_draws

SECONDS = 6.5
SCRIPTS = Path(first_draws.__file__).parent / "scripts"
# Each case, with the call of scripts/starts.py that produces it.
CASES = {
    "power-cuts/good-noise": "starts({name!r}, {number}, True, True)",
    "power-cuts/equal-noise": "starts({name!r}, {number}, False, True)",
    "power-cuts/equal-noise-seed-lost": "starts({name!r}, {number}, False, False)",
    "devices/good-noise": "devices({name!r}, {number}, True)",
    "devices/equal-noise": "devices({name!r}, {number}, False)",
}


def run(part: Part, stream: str) -> Shard:
    findings, files, tables = [], [], []
    for about, call in CASES.items():
        program = "import starts\nstarts." + call.format(
            name=f"{stream}/{about}", number=part.sample
        )
        data = in_micropython(program, str(SCRIPTS))
        table = np.frombuffer(data, dtype=np.uint8).reshape(part.sample, first_draws.DRAWN)
        tables.append(table)
        findings += first_draws.findings(about, table)
        files.append(
            {
                "name": about.replace("/", "-") + ".u8",
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
        )
    everything = np.concatenate(tables)
    findings.append(first_draws.shared_beginnings("devices/all-together", everything))
    return Shard(part.sample, findings, files)


def merged(figures: Sequence[Figures]) -> Figures:
    return {}
