"""The result of one test, and the smallest defect that the test would have found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.special import chdtri, chndtrinc, ndtri, pdtrc

POWER = 0.99


class Power(Protocol):
    """The smallest effect that a test at level alpha finds in 99 of 100 samples."""

    @property
    def meaning(self) -> str: ...

    def detectable(self, alpha: float) -> float: ...


@dataclass(frozen=True)
class Finding:
    """The result of one test: a p-value, or the reason for its absence.

    `p` is the two-sided chance that a good source deviates at least this far: a fit that is too
    good has a small p, just as a bad fit has.
    """

    name: str
    sample: int
    unit: str
    p: float | None = None
    statistic: float | None = None
    skipped: str = ""
    power: Power | None = None

    @staticmethod
    def skip(name: str, sample: int, unit: str, reason: str) -> Finding:
        return Finding(name, sample, unit, skipped=reason)

    def of(self, sample: int) -> Finding:
        return replace(self, sample=sample)

    def named(self, name: str) -> Finding:
        return replace(self, name=name)


@dataclass(frozen=True)
class ChiSquarePower:
    """Cohen's w: the root of the mean squared relative deviation of the cells."""

    degrees: float
    sample: int
    meaning: str = "w, the root mean square by which cells stray from their chances"

    def detectable(self, alpha: float) -> float:
        limit = float(chdtri(self.degrees, alpha / 2))
        if self.degrees <= 1000:
            surplus = float(chndtrinc(limit, self.degrees, 1 - POWER))
        else:  # both are normal: limit = df + x - z sqrt(2 (df + 2 x))
            surplus = limit - self.degrees
            for _ in range(50):
                spread = np.sqrt(2 * (self.degrees + 2 * surplus))
                surplus = limit - self.degrees + float(ndtri(POWER)) * spread
        return float(np.sqrt(surplus / self.sample))


@dataclass(frozen=True)
class NormalPower:
    """An effect in units of one standard deviation of the statistic, times `scale`."""

    scale: float
    meaning: str

    def detectable(self, alpha: float) -> float:
        return float(ndtri(1 - alpha / 2) + ndtri(POWER)) * self.scale


@dataclass(frozen=True)
class AnyLagPower:
    """An effect at one lag, if the largest of several lags is judged."""

    lags: int
    scale: float
    meaning: str

    def detectable(self, alpha: float) -> float:
        return float(-ndtri(alpha / (2 * self.lags)) + ndtri(POWER)) * self.scale


@dataclass(frozen=True)
class AnyCountPower:
    """An excess of events in the fullest of many cells, over Poisson's law."""

    mean: float
    cells: int
    meaning: str

    def detectable(self, alpha: float) -> float:
        return CountPower(self.mean, self.meaning).detectable(alpha / self.cells)


@dataclass(frozen=True)
class RegisterPower:
    """The longest shift register that the test detects in planes of this length."""

    length: int
    planes: int
    meaning: str = "bits of the longest shift register that is found"

    def detectable(self, alpha: float) -> float:
        return float((self.length - np.log2(2 * self.planes / (3 * alpha))) / 2)


@dataclass(frozen=True)
class CellPower:
    """One cell of many whose chance is higher than it should be."""

    sample: int
    chance: float
    cells: int
    meaning: str = "relative change of one cell's chance"

    def detectable(self, alpha: float) -> float:
        z = float(ndtri(1 - alpha / (2 * self.cells)) + ndtri(POWER))
        return z * float(np.sqrt((1 - self.chance) / (self.sample * self.chance)))


@dataclass(frozen=True)
class CountPower:
    """More events than the Poisson law with this mean."""

    mean: float
    meaning: str

    def detectable(self, alpha: float) -> float:
        limit = float(np.floor(self.mean))
        while (
            float(pdtrc(limit, self.mean)) > alpha / 2
        ):  # in floating point, 1 minus a tiny alpha would be 1
            limit += 1
        events = max(limit, 1.0)
        while float(pdtrc(limit, events)) < POWER:
            events *= 1.02
        return events - self.mean
