"""Correlation of bits at every lag up to a million."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr

from rng_certification.base.chunks import Rechunked
from rng_certification.base.compiled import Bytes
from rng_certification.base.correlogram import Correlogram
from rng_certification.base.finding import AnyLagPower, Finding
from rng_certification.base.laws import of_many

PIECE = 3 << 17  # bytes: with a million lags a transform of four million terms
MOST_BYTES = 1 << 25


class FarBitLags:
    """The lag up to a million at which the bits agree or differ most.

    With bits as -1 and 1, sums of products are integers. The error of a transform in single
    precision is far below one, so the rounded sums are exact counts with an exact binomial tail.
    """

    def __init__(self) -> None:
        self.correlogram = Correlogram(8 * PIECE)
        self.bytes = 0
        self._pieces = Rechunked(PIECE)

    def feed(self, data: Bytes) -> None:
        data = data[: MOST_BYTES - self.bytes]
        self.bytes += len(data)
        for piece in self._pieces.feed(data):
            self._add(piece)

    def _add(self, piece: Bytes) -> None:
        self.correlogram.feed(np.unpackbits(piece).astype(np.float32) * 2 - 1)

    def findings(self) -> list[Finding]:
        rest = self._pieces.rest()
        if len(rest):
            self._add(rest)
        bits = self.correlogram.terms
        products = self.correlogram.products()[1:]
        if not len(products):
            return [Finding.skip("autocorrelation/far-lags", bits, "bits", "no data")]
        terms = bits - np.arange(1, len(products) + 1)
        z = np.abs(products) / np.sqrt(terms)
        worst = int(np.argmax(z))
        compared = int(terms[worst])
        rarer = int((compared - abs(round(float(products[worst])))) // 2)
        p = of_many(min(1.0, 2 * float(bdtr(rarer, compared, 0.5))), len(products))
        meaning = "correlation coefficient at one of all lags"
        power = AnyLagPower(len(products), compared**-0.5, meaning)
        return [Finding("autocorrelation/far-lags", bits, "bits", p, float(worst + 1), power=power)]
