"""One controller for several tables: draws must be the same at every table and box."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from rng_certification.campaign.parts import Figures, Shard
from rng_certification.campaign.plan import Part
from rng_certification.jackpot.press_columns import RECORD, PressColumns, press_places
from rng_certification.jackpot.presses_battery import PressesBattery, press
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.twin import streams

SECONDS = 0.0033
PIECE = 100_000


def run(part: Part, stream: str) -> Shard:
    prizes = [find_prizes(name) for name in part.parameters["prizes"]]
    battery, source = PressesBattery(prizes), streams.start(stream)
    digest = hashlib.sha256()
    for first in range(0, part.sample, PIECE):
        places = press_places(first, min(PIECE, part.sample - first), len(prizes))
        pressed = PressColumns(*places, press(source, prizes, places[0]))
        battery.feed(pressed)
        digest.update(pressed.as_bytes())
    size = RECORD.itemsize * part.sample
    file = {"name": f"{part.id}.presses", "bytes": size, "sha256": digest.hexdigest()}
    return Shard(battery.presses, battery.findings(), [file], {"tables": battery.figures()})


def merged(figures: Sequence[Figures]) -> Figures:
    """Join the lists of tables of all shards."""
    return {"tables": [table for shard in figures for table in shard["tables"]]}
