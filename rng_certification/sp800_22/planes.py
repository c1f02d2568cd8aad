"""Linear complexity of the 64 bit planes of 64-bit words.

A plane detects a shift register, Mersenne Twister or xorshift generator once it is twice as long as
the generator's state. It also detects the low bit of a linear congruential generator. Generators of
8, 16 or 32-bit words need no other planes: every second or fourth term of such a sequence has the
same complexity.
"""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Words
from rng_certification.base.finding import Finding, RegisterPower
from rng_certification.base.laws import of_many
from rng_certification.sp800_22.linear_complexity import complexities_of_lanes

WORDS = 40_960  # slightly more than twice the 19,937 bits of MT19937
LEAST_WORDS = 1024


class Planes:
    """Tests only the beginning of the file: the work grows with the square of the length."""

    def __init__(self) -> None:
        self.words = np.empty(0, dtype=np.uint64)

    def feed(self, words: Words) -> None:
        missing = WORDS - len(self.words)
        if missing > 0:
            self.words = np.concatenate((self.words, words[:missing]))

    def findings(self) -> list[Finding]:
        name, length = "bit-planes/linear-complexity", len(self.words)
        if length < LEAST_WORDS:
            return [Finding.skip(name, length, "words", f"needs {8 * LEAST_WORDS} bytes")]
        return [worst_plane(name, self.words, 64, "words")]


def worst_plane(name: str, words: Words, planes: int, unit: str) -> Finding:
    """Return the most deviating plane among the `planes` highest bits of each word."""
    length = len(words)
    found = complexities_of_lanes(words)[:planes]
    tails = [_tail(length, int(complexity)) for complexity in found]
    worst = int(np.argmin(tails))
    p = of_many(min(1.0, 2 * tails[worst]), len(tails))
    power = RegisterPower(length, planes)
    return Finding(name, length, unit, p, float(found[worst]), power=power)


def _tail(length: int, complexity: int) -> float:
    """Return the chance of this complexity or one farther from the middle.

    2^min(2n-2L, 2L-1) of the 2^n sequences have complexity L.
    """
    if 2 * complexity <= length:
        return float(min(1.0, 2.0 ** max(2 * complexity + 1 - length, -1000) / 3))
    return float(min(1.0, 2.0 ** max(length - 2 * complexity, -1000) * 4 / 3))
