"""The first 32-bit words of a stream, in both byte orders, as draws below 2^32."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Bytes
from rng_certification.base.finding import Finding
from rng_certification.draws.lattice import Lattice
from rng_certification.draws.parities import Parities
from rng_certification.draws.sparse_lags import SparseLags

SPAN = 1 << 32
MOST_BYTES = 1 << 20
ORDERS = {"little-endian": "<u4", "big-endian": ">u4"}


class FirstWords:
    """Tests for relations between successive words: planes, parities and repeated words."""

    def __init__(self) -> None:
        self._kept: list[Bytes] = []
        self.bytes = 0

    def feed(self, data: Bytes) -> None:
        data = data[: MOST_BYTES - self.bytes]
        if len(data):
            self._kept.append(data.copy())
            self.bytes += len(data)

    def findings(self) -> list[Finding]:
        joined = np.concatenate(self._kept) if self._kept else np.empty(0, dtype=np.uint8)
        whole = joined[: len(joined) // 4 * 4]
        found = []
        for order, form in ORDERS.items():
            words = whole.view(form).astype(np.uint32)
            for test in (Lattice(SPAN), Parities(SPAN), SparseLags(SPAN)):
                test.feed(words)
                found += [each.named(f"words/{order}/{each.name}") for each in test.findings()]
        return found
