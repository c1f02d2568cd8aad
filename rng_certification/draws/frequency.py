"""Frequencies of the values: chi-square, the extreme value, Kolmogorov-Smirnov, and folds."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Draws
from rng_certification.base.finding import Finding
from rng_certification.base.laws import binomial, chi_square, extreme_cell, kolmogorov_smirnov
from rng_certification.draws.cells import Cells

MOST_CELLS = 1 << 16
# Word sizes that a careless scaling reduces with the remainder.
WORD_BITS = (7, 8, 15, 16, 24, 31, 32, 53, 63, 64)


class Frequency:
    """Every value, or 65,536 even cells of them; remainders modulo powers of two."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.cells = Cells.at_most(span, MOST_CELLS)
        self.counts = np.zeros(self.cells.number, dtype=np.int64)
        self.low_bits = np.zeros(MOST_CELLS if span > MOST_CELLS else 0, dtype=np.int64)
        self.limits = sorted({(1 << bits) % span for bits in WORD_BITS if 1 << bits > span} - {0})
        self.below = np.zeros(len(self.limits), dtype=np.int64)

    def feed(self, draws: Draws) -> None:
        self.counts += np.bincount(self.cells.of(draws), minlength=self.cells.number)
        if len(self.low_bits):
            self.low_bits += np.bincount(draws & np.uint32(0xFFFF), minlength=MOST_CELLS)
            for i, limit in enumerate(self.limits):
                self.below[i] += np.count_nonzero(draws < limit)

    def findings(self) -> list[Finding]:
        trials = int(self.counts.sum())
        chances = self.cells.chances
        return [
            chi_square("frequency/chi-square", "draws", self.counts, chances),
            extreme_cell("frequency/extreme-value", "draws", self.counts, chances, trials),
            kolmogorov_smirnov("frequency/kolmogorov-smirnov", "draws", self.counts, chances),
            *self._folds(),
            *self._remainders(trials),
        ]

    def _folds(self) -> list[Finding]:
        """Values modulo 2, 4, 8 ...: detects a generator with weak low bits."""
        found = []
        table: Counts = self.low_bits if len(self.low_bits) else self.counts
        width = 1
        while (1 << width) < min(self.span, MOST_CELLS + 1):
            size = 1 << width
            padded = np.zeros(-(-len(table) // size) * size, dtype=np.int64)
            padded[: len(table)] = table
            folded = padded.reshape(-1, size).sum(axis=0)
            values = np.arange(size)
            chances = ((self.span - values + size - 1) // size) / self.span
            found.append(chi_square(f"folding/modulo-{size}", "draws", folded, chances))
            width += 1
        return found

    def _remainders(self, trials: int) -> list[Finding]:
        """Values below 2^k mod N are more likely if a k-bit word was scaled by its remainder."""
        if not len(self.low_bits):
            running = np.concatenate(([0], np.cumsum(self.counts)))
            self.below = running[self.limits] if self.limits else self.below
        return [
            binomial(f"folding/below-{limit}", "draws", int(count), trials, limit / self.span)
            for limit, count in zip(self.limits, self.below, strict=True)
        ]
