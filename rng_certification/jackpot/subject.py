"""Presses of a controller's buttons as a subject to certify."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rng_certification.base.finding import Finding
from rng_certification.base.reading import UnusableDataError
from rng_certification.base.text_records import NumberLines, TextForm
from rng_certification.jackpot.press_columns import BOXES, LATEST, RECORD, PressColumns
from rng_certification.jackpot.presses_battery import PressesBattery
from rng_certification.jackpot.prizes import Prizes

LEAST_PRESSES = 10_000


class Presses:
    """`prizes`: the prize table of each table, by its number on the controller."""

    kind, unit, record = "presses", "presses", RECORD.itemsize

    def __init__(self, prizes: Sequence[Prizes]) -> None:
        self.battery = PressesBattery(prizes)
        self._last = 0

    @property
    def text(self) -> TextForm:
        prizes = self.battery.prizes
        most = max(each.total for each in prizes)
        return NumberLines(
            "one press: table, box, time in milliseconds, prize",
            "<HHQI",
            least=(1, 1, 0, 0),
            most=(len(prizes), BOXES, LATEST, most - 1),
        )

    def feed(self, piece: bytes, offset: int) -> None:
        pressed = PressColumns.of_bytes(piece)
        self._require_possible(pressed, offset)
        self.battery.feed(pressed)

    def _require_possible(self, pressed: PressColumns, offset: int) -> None:
        tables, boxes, draws = pressed.tables, pressed.boxes, pressed.draws
        prizes = self.battery.prizes
        totals = np.array([each.total for each in prizes])
        wrong = (tables < 0) | (tables >= len(prizes)) | (boxes < 0) | (boxes >= BOXES)
        wrong |= draws >= totals[np.clip(tables, 0, len(prizes) - 1)]
        if wrong.any():
            first = int(np.argmax(wrong))
            where = offset + self.record * first
            raise UnusableDataError(
                f"press {where // self.record} is prize {draws[first]} at table "
                f"{tables[first] + 1}, box {boxes[first] + 1}: tables are 1 to {len(prizes)}, "
                f"boxes 1 to {BOXES}, prizes 0 to {int(totals.max()) - 1}",
                where,
            )
        back = np.diff(pressed.times, prepend=self._last) < 0
        if back.any():
            first = int(np.argmax(back))
            where = offset + self.record * first
            raise UnusableDataError(
                f"press {where // self.record} is earlier than the press before it", where
            )
        self._last = int(pressed.times[-1])

    def sample(self) -> int:
        return self.battery.presses

    def least(self) -> int:
        return LEAST_PRESSES

    def findings(self) -> list[Finding]:
        return self.battery.findings()

    def details(self) -> dict[str, Any]:
        return {"tables": self.battery.figures()}
