"""Presses of a controller's buttons as records of sixteen bytes, little-endian.

uint16  table, from 1, as the controller counts them
uint16  box, from 1, as printed on the table
uint64  time in milliseconds from any starting point, never less than in the record before
uint32  number of the prize, from 0, as in `--kind draws --prizes`
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rng_certification.base.compiled import Counts, Draws

RECORD = np.dtype([("table", "<u2"), ("box", "<u2"), ("time", "<u8"), ("prize", "<u4")])
MOST_TABLES = 4  # New Zealand 3.5
BOXES = 7
LATEST = 1 << 53  # milliseconds: later than any real clock
PAUSE = 8_000  # milliseconds between two presses of the model, on average


@dataclass(frozen=True)
class PressColumns:
    """Presses in their order, with a column for each field of the records.

    Tables and boxes count from 0 here.
    """

    tables: Counts
    boxes: Counts
    times: Counts
    draws: Draws

    def __len__(self) -> int:
        return len(self.draws)

    def as_bytes(self) -> bytes:
        records = np.empty(len(self.draws), dtype=RECORD)
        records["table"], records["box"] = self.tables + 1, self.boxes + 1
        records["time"], records["prize"] = self.times, self.draws
        return records.tobytes()

    @staticmethod
    def of_bytes(data: bytes) -> PressColumns:
        """Parse records; a table or box of 0 becomes -1."""
        records = np.frombuffer(data, dtype=RECORD)
        return PressColumns(
            records["table"].astype(np.int64) - 1,
            records["box"].astype(np.int64) - 1,
            np.minimum(records["time"], LATEST).astype(np.int64),
            records["prize"].astype(np.uint32),
        )


def press_places(first: int, number: int, tables: int) -> tuple[Counts, Counts, Counts]:
    """Return table, box and time of presses by their number; they do not depend on the source."""
    mixed = np.arange(first + 1, first + number + 1, dtype=np.uint64)
    for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9):
        mixed = mixed * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    table = (mixed >> np.uint64(40)) % np.uint64(tables)
    box = (mixed >> np.uint64(20)) % np.uint64(BOXES)
    late = (mixed & np.uint64(0xFFFFF)) % np.uint64(PAUSE)
    time = PAUSE * np.arange(first, first + number, dtype=np.int64) + late.astype(np.int64)
    return table.astype(np.int64), box.astype(np.int64), time
