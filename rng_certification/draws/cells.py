"""Divide the values of a range into cells: one per value, or equal shares of many values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rng_certification.base.compiled import Counts, Draws, Floats


@dataclass(frozen=True)
class Cells:
    """`number` cells over the values 0 .. span-1, in order; chances are exact."""

    span: int
    number: int

    @staticmethod
    def at_most(span: int, most: int) -> Cells:
        return Cells(span, min(span, most))

    def of(self, draws: Draws) -> Counts:
        if self.number == self.span:
            return draws.astype(np.int64)
        return (draws.astype(np.uint64) * np.uint64(self.number) // np.uint64(self.span)).astype(
            np.int64
        )

    @property
    def chances(self) -> Floats:
        starts = -(-np.arange(self.number + 1, dtype=object) * self.span // self.number)
        return np.diff(starts).astype(np.float64) / self.span
