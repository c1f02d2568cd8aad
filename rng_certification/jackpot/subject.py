"""Presses of a controller's buttons as a subject to certify: two uint32 for each press.

The first is table * 256 + box, both from 0; the second the number of the prize from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rng_certification.base.compiled import Counts, Draws
from rng_certification.base.finding import Finding
from rng_certification.base.reading import UnusableData
from rng_certification.jackpot.presses_battery import BOXES, PressesBattery
from rng_certification.jackpot.prizes import Prizes

LEAST_PRESSES = 10_000


def as_records(tables: Counts, boxes: Counts, draws: Draws) -> bytes:
    """Presses as bytes."""
    records = np.empty((len(draws), 2), dtype="<u4")
    records[:, 0] = tables * 256 + boxes
    records[:, 1] = draws
    return records.tobytes()


class Presses:
    kind, unit, record = "presses", "presses", 8

    def __init__(self, prizes: Sequence[Prizes]) -> None:
        self.battery = PressesBattery(prizes)

    def feed(self, piece: bytes, offset: int) -> None:
        records = np.frombuffer(piece, dtype="<u4").reshape(-1, 2)
        tables = (records[:, 0] >> 8).astype(np.int64)
        boxes = (records[:, 0] & 255).astype(np.int64)
        draws = records[:, 1].astype(np.uint32)
        prizes = self.battery.prizes
        totals = np.array([each.total for each in prizes])
        wrong = (tables >= len(prizes)) | (boxes >= BOXES)
        wrong |= draws >= totals[np.minimum(tables, len(prizes) - 1)]
        if wrong.any():
            first = int(np.argmax(wrong))
            where = offset + 8 * first
            raise UnusableData(
                f"press {where // 8} is prize {draws[first]} at table {tables[first]}, box "
                f"{boxes[first]}, and there is no such table, box or prize",
                where,
            )
        self.battery.feed(tables, boxes, draws)

    def sample(self) -> int:
        return self.battery.presses

    def least(self) -> int:
        return LEAST_PRESSES

    def findings(self) -> list[Finding]:
        return self.battery.findings()

    def details(self) -> dict[str, Any]:
        return {"tables": self.battery.figures()}
