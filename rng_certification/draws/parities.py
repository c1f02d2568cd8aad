"""Parities of a few bits of three successive draws, if the range is a power of two.

Shift registers relate bits of successive words. If a generator adds such words before output,
carries hide the relation; but the bit below predicts a carry three times out of four. So the same
test also runs on each draw's Gray code, in which each bit is a sum of two neighbours.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

from rng_certification.base.compiled import Draws
from rng_certification.base.finding import AnyLagPower, Finding
from rng_certification.base.laws import of_many

LEAST_BITS = 8
TOGETHER = 3  # successive draws
MOST_DRAWS = 3 << 15
LEAST_DRAWS = 10_000
# The draws of the three over which a bit is summed. The last is always included, so that sums do
# not repeat.
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
        """Return the finding; groups of three never overlap, so each sum is that of fair tosses."""
        signs = self._signs(words)
        single = signs.reshape(TOGETHER * self.bits, -1)
        groups = single.shape[1]
        worst, cells = 0, 0
        for which in SUMS:
            rows: Signs = np.prod(signs[list(which)], axis=0, dtype=np.float32)
            agree = np.rint(rows @ single.T).astype(np.int64)
            if len(which) == 1:  # a bit always agrees with itself
                np.fill_diagonal(agree[:, which[0] * self.bits :], 0)
            cells += agree.size
            worst = max(worst, int(np.abs(agree).max()))
        rarer = (groups - worst) // 2
        p = of_many(min(1.0, 2 * float(bdtr(rarer, groups, 0.5))), cells)
        power = AnyLagPower(cells, groups**-0.5, "correlation of a parity")
        return Finding(name, self.draws, "draws", p, worst / groups, power=power)

    def _signs(self, words: Draws) -> Signs:
        """Return 1 or -1 by draw of the group, bit and group."""
        grouped = words.reshape(-1, TOGETHER).T
        places = np.arange(self.bits, dtype=np.uint32)[None, :, None]
        bits = (grouped[:, None, :] >> places) & np.uint32(1)
        return 1 - 2 * bits.astype(np.float32)
