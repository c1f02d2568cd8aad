"""Parities of a few bits of three draws in a row, where the range is a power of two.

Shift registers tie bits of successive words together. Where their words are added before they are
given out, carries hide it; but whether a carry came into a bit is told, three times of four, by the
bit below. So the same is looked for in each draw's Gray code, whose bits are sums of neighbours.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

from rng_certification.base.compiled import Draws
from rng_certification.base.finding import AnyLagPower, Finding
from rng_certification.base.laws import of_many

LEAST_BITS = 8
TOGETHER = 3  # draws in a row
MOST_DRAWS = 3 << 15
LEAST_DRAWS = 10_000
# Which of the three draws a bit is summed over; the last always, so that no sum comes twice.
SUMS = ((2,), (1, 2), (0, 2), (0, 1, 2))

Signs = npt.NDArray[np.float32]


class Parities:
    """The bit at one place of some of three draws, against every single bit of the three."""

    def __init__(self, span: int) -> None:
        self.bits = span.bit_length() - 1 if span & (span - 1) == 0 else 0
        self._kept: list[Draws] = []
        self.draws = 0

    def feed(self, draws: Draws) -> None:
        draws = draws[: MOST_DRAWS - self.draws]
        if self.bits >= LEAST_BITS and len(draws):
            self._kept.append(draws.copy())
            self.draws += len(draws)

    def findings(self) -> list[Finding]:
        if self.bits < LEAST_BITS:
            return []
        names = "parities/bits", "parities/gray"
        if self.draws < LEAST_DRAWS:
            reason = f"needs {LEAST_DRAWS} draws"
            return [Finding.skip(name, self.draws, "draws", reason) for name in names]
        draws = np.concatenate(self._kept)
        draws = draws[: len(draws) // TOGETHER * TOGETHER]
        gray = draws ^ (draws >> np.uint32(1))
        return [self._finding(names[0], draws), self._finding(names[1], gray)]

    def _finding(self, name: str, words: Draws) -> Finding:
        """Groups of three never overlap, so that each sum is so many tosses of a fair coin."""
        signs = self._signs(words)
        single = signs.reshape(TOGETHER * self.bits, -1)
        groups = single.shape[1]
        worst, cells = 0, 0
        for which in SUMS:
            rows: Signs = np.prod(signs[list(which)], axis=0, dtype=np.float32)
            agree = np.rint(rows @ single.T).astype(np.int64)
            if len(which) == 1:  # a bit agrees with itself
                np.fill_diagonal(agree[:, which[0] * self.bits :], 0)
            cells += agree.size
            worst = max(worst, int(np.abs(agree).max()))
        rarer = (groups - worst) // 2
        p = of_many(min(1.0, 2 * float(bdtr(rarer, groups, 0.5))), cells)
        power = AnyLagPower(cells, groups**-0.5, "correlation of a parity")
        return Finding(name, self.draws, "draws", p, worst / groups, power=power)

    def _signs(self, words: Draws) -> Signs:
        """By draw of the group, bit and group: 1 or -1."""
        grouped = words.reshape(-1, TOGETHER).T
        places = np.arange(self.bits, dtype=np.uint32)[None, :, None]
        bits = (grouped[:, None, :] >> places) & np.uint32(1)
        return 1 - 2 * bits.astype(np.float32)
