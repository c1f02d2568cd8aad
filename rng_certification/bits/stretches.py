"""Tests for one bad stretch in a long file: the longest run of equal bits, and the worst block."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr

from rng_certification.base.compiled import Bytes, Counts, Words, compiled, ones_in
from rng_certification.base.finding import Finding, NormalPower
from rng_certification.base.laws import of_many, two_sided

BLOCK_BITS = (512, 4096, 32768, 262144)


@compiled
def _longest(data: Bytes, state: Counts) -> None:
    """`state`: the last bit, the length of the open run, and the longest length."""
    for byte in data:
        if (byte == 255 and state[0] == 1) or (byte == 0 and state[0] == 0):
            state[1] += 8
            continue
        for i in range(8):
            bit = (byte >> (7 - i)) & 1
            if bit == state[0]:
                state[1] += 1
            else:
                state[2] = max(state[2], state[1])
                state[0] = bit
                state[1] = 1


@compiled
def _extremes(words: Words, size: int, state: Counts) -> None:
    """Return the fewest and most ones in blocks of `size` words, and the number of blocks."""
    for start in range(0, len(words) - size + 1, size):
        ones = 0
        for place in range(start, start + size):
            ones += ones_in(words[place])
        state[0] = min(state[0], ones)
        state[1] = max(state[1], ones)
        state[2] += 1


class LongestRun:
    def __init__(self) -> None:
        self.state = np.array([-1, 0, 0], dtype=np.int64)
        self.bits = 0

    def feed(self, data: Bytes) -> None:
        _longest(data, self.state)
        self.bits += 8 * len(data)

    def findings(self) -> list[Finding]:
        longest = int(max(self.state[1], self.state[2]))
        # a run of at least k bits begins at each bit with chance 2^-k, almost independently
        longer = float(-np.expm1(-self.bits * 0.5**longest))
        shorter = float(np.exp(-self.bits * 0.5 ** (longest + 1)))
        p = two_sided(shorter, longer)
        return [Finding("longest-run-of-all", self.bits, "bits", p, float(longest))]


class Blocks:
    """The block with the fewest or the most ones, by its exact binomial tail."""

    def __init__(self) -> None:
        self.states = {size: np.array([size, 0, 0], dtype=np.int64) for size in BLOCK_BITS}

    def feed(self, words: Words) -> None:
        for size, state in self.states.items():
            _extremes(words, size // 64, state)

    def findings(self) -> list[Finding]:
        found = []
        for size, (fewest, most, blocks) in self.states.items():
            name = f"worst-block/{size}-bits"
            if not blocks:
                found.append(Finding.skip(name, 0, "blocks", f"needs {size} bits"))
                continue
            tail = min(float(bdtr(fewest, size, 0.5)), float(bdtr(size - most, size, 0.5)))
            power = NormalPower(0.5 / size**0.5, "share of ones in one block of the file")
            worst = float(max(size / 2 - fewest, most - size / 2))
            p = of_many(min(1.0, 2 * tail), int(blocks))
            found.append(Finding(name, int(blocks), "blocks", p, worst, power=power))
        return found
