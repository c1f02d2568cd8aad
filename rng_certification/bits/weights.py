"""Hamming weights: the number of ones in a word must not depend on the words around it.

Generators with few taps or sparse states pass tests of single bits, and yet words with many ones
follow each other.
"""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, erfc

from rng_certification.base.chunks import Rechunked
from rng_certification.base.compiled import Counts, Floats, Words, compiled, ones_in
from rng_certification.base.correlogram import Correlogram
from rng_certification.base.finding import AnyLagPower, Finding
from rng_certification.base.laws import chi_square, extreme_cell, of_many

WORD_BITS = (16, 32, 64)
TOGETHER = 5  # words per group: 243 kinds of groups, by three classes of weight
PIECE = 1 << 20  # words per group for the transforms
MOST_WORDS = 1 << 25


@compiled
def _weights(words: Words, size: int) -> Counts:
    """Return the ones in each part of `size` bits, the highest part first."""
    parts = 64 // size
    mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - size)
    out = np.empty(len(words) * parts, dtype=np.int64)
    for i in range(len(words)):
        for part in range(parts):
            shift = np.uint64(64 - size * (part + 1))
            out[i * parts + part] = ones_in((words[i] >> shift) & mask)
    return out


class WeightGroups:
    """Groups of five words by their weights: few ones, medium, many."""

    def __init__(self, size: int) -> None:
        self.size = size
        middle, reach = size // 2, max(1, round(0.22 * size**0.5))
        self.low, self.high = middle - reach, middle + reach
        few = float(bdtr(self.low, size, 0.5))
        self.chances = np.array([few, 1 - 2 * few, few])
        self.counts = np.zeros(3**TOGETHER, dtype=np.int64)

    def feed(self, weights: Counts) -> None:
        classes = (weights > self.low).astype(np.int64) + (weights >= self.high)
        groups = classes[: len(classes) // TOGETHER * TOGETHER].reshape(-1, TOGETHER)
        codes = groups @ (3 ** np.arange(TOGETHER))
        self.counts += np.bincount(codes, minlength=len(self.counts))

    def findings(self) -> list[Finding]:
        chances: Floats = np.ones(1)
        for _ in range(TOGETHER):
            chances = np.outer(self.chances, chances).ravel()
        trials = int(self.counts.sum())
        name = f"weights/{self.size}-bits"
        return [
            chi_square(f"{name}/groups", "groups", self.counts, chances),
            extreme_cell(f"{name}/extreme-group", "groups", self.counts, chances, trials),
        ]


class Weights:
    """Groups of words of 16, 32 and 64 bits, and the weights of 64 bits at every lag."""

    def __init__(self) -> None:
        self.groups = [WeightGroups(size) for size in WORD_BITS]
        self.correlogram = Correlogram(PIECE)
        self.words = 0
        self._pieces = Rechunked(PIECE)

    def feed(self, words: Words) -> None:
        words = words[: MOST_WORDS - self.words]
        self.words += len(words)
        for piece in self._pieces.feed(words):
            self._add(piece)

    def _add(self, words: Words) -> None:
        for group in self.groups:
            group.feed(_weights(words, group.size))
        self.correlogram.feed((_weights(words, 64) - 32) / 4.0)

    def findings(self) -> list[Finding]:
        rest = self._pieces.rest()
        if len(rest):
            self._add(rest)
        found = [finding for group in self.groups for finding in group.findings()]
        return [*found, self._far()]

    def _far(self) -> Finding:
        name = "weights/far-lags"
        products = self.correlogram.products()[1:]
        if len(products) < 500:
            return Finding.skip(name, self.words, "words", "needs 1000 words")
        terms = self.words - np.arange(1, len(products) + 1)
        z = np.abs(products) / np.sqrt(terms)
        worst = int(np.argmax(z))
        p = of_many(float(erfc(float(z[worst]) / np.sqrt(2))), len(products))
        meaning = "correlation coefficient at one of all lags"
        power = AnyLagPower(len(products), float(terms[worst]) ** -0.5, meaning)
        return Finding(name, self.words, "words", p, float(worst + 1), power=power)
