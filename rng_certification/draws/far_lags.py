"""Correlation of draws at every lag up to a million: detects a late echo."""

from __future__ import annotations

import numpy as np
from scipy.special import erfc

from rng_certification.base.compiled import Draws, Floats
from rng_certification.base.correlogram import Correlogram, Series
from rng_certification.base.finding import AnyLagPower, Finding
from rng_certification.base.laws import of_many

LEAST_TERMS = 1000
MOST_DRAWS = 3_024_000  # three chunks: more would take long, and increase memory

_MEANING = "correlation coefficient at one of all lags"


class FarLags:
    """The largest correlation at any lag: of ranks, of low bits, and of characters modulo N.

    A character is the draw as an angle, with N as a full turn. It also detects a draw that recurs
    with a constant added. All three are bounded and never sparse, so a sum of thousands of products
    is normal far into its tail; the indicator of one rare value would not be.
    """

    def __init__(self, span: int, piece: int, of_bits: bool = False) -> None:
        self.span = span
        self.draws = 0
        self.series = {"ranks": Correlogram(piece)}
        if span > 2:
            if not of_bits:
                self.series["low-bits"] = Correlogram(piece)
            self.series["characters"] = Correlogram(piece)

    def feed(self, draws: Draws) -> None:
        draws = draws[: MOST_DRAWS - self.draws]
        if not len(draws):
            return
        self.draws += len(draws)
        for name, correlogram in self.series.items():
            correlogram.feed(self._standardised(name, draws))

    def _standardised(self, name: str, draws: Draws) -> Series:
        """Scale to mean 0 and variance 1."""
        made: Series
        if name == "ranks":
            made = (draws - (self.span - 1) / 2) / np.sqrt((self.span**2 - 1) / 12)
        elif name == "low-bits":
            odd = (self.span // 2) / self.span
            made = ((draws & np.uint32(1)) - odd) / np.sqrt(odd * (1 - odd))
        else:
            angle = draws * (2 * np.pi / self.span)
            made = np.cos(angle) + 1j * np.sin(angle)
        return made

    def findings(self) -> list[Finding]:
        return [self._finding(name, found) for name, found in self.series.items()]

    def _finding(self, name: str, correlogram: Correlogram) -> Finding:
        title = f"far-lags/{name}"
        if self.draws < LEAST_TERMS:
            return Finding.skip(title, self.draws, "draws", f"needs {LEAST_TERMS} draws")
        products = correlogram.products()[1:]
        terms = self.draws - np.arange(1, len(products) + 1)
        z: Floats = np.abs(products) / np.sqrt(terms)
        worst = int(np.argmax(z))
        most = float(z[worst])
        tail = np.exp(-most * most) if np.iscomplexobj(products) else erfc(most / np.sqrt(2))
        power = AnyLagPower(len(products), float(terms[worst]) ** -0.5, _MEANING)
        p = of_many(float(tail), len(products))
        return Finding(title, self.draws, "draws", p, float(worst + 1), power=power)
