"""Linear complexity (SP 800-22, 2.10): the shortest shift register that generates a block.

The Berlekamp-Massey algorithm, bit-sliced: bit j of every word belongs to block j, so that 64
blocks are processed together. The usual discrepancy, a product of connection polynomial and
sequence, is not computed at each step. Both polynomials are kept multiplied by the sequence: the
discrepancy is then simply the next coefficient, and each step is one pass of exclusive-ors over the
rest of the block.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc

from rng_certification.base.compiled import Counts, Words, compiled, whole
from rng_certification.sp800_22.sequence import BitSequence, window

NIST_CHANCES = (0.01047, 0.03125, 0.125, 0.5, 0.25, 0.0625, 0.020833)
# NIST misprints the first: T <= -2.5 is a geometric tail, 1/96, just as T > 2.5 is 1/48.
CHANCES = (0.010417, 0.03125, 0.125, 0.5, 0.25, 0.0625, 0.020833)


@compiled
def _transpose(square: Words) -> None:
    """Rows become columns of 64 x 64 bits, in place (Warren, Hacker's Delight, 7-3)."""
    step = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while step:
        row = 0
        while row < 64:
            swap = (square[row] ^ (square[row + step] >> np.uint64(step))) & mask
            square[row] ^= swap
            square[row + step] ^= swap << np.uint64(step)
            row = (row + step + 1) & ~step
        step >>= 1
        mask ^= mask << np.uint64(max(step, 1))


@compiled
def _slice(words: Words, first: int, lanes: int, size: int, out: Words) -> None:
    """Put bit i of block first + j at bit 63 - j of out[i], for 64 blocks."""
    square = np.zeros(64, dtype=np.uint64)
    for start in range(0, size, 64):
        for lane in range(64):
            square[lane] = np.uint64(0)
            if lane < lanes:
                square[lane] = window(words, (first + lane) * size + start)
        _transpose(square)
        for i in range(min(64, size - start)):
            out[start + i] = square[i]


@compiled
def complexities_of_lanes(sliced: Words) -> Counts:
    """The linear complexities of 64 sequences; the first is the highest bit of every word."""
    size = len(sliced)
    result = np.empty(64, dtype=np.int64)
    ahead = np.zeros(size + 1, dtype=np.uint64)  # connection polynomial times sequence
    for i in range(size):
        ahead[i] = sliced[i]
    behind = np.zeros(size + 1, dtype=np.uint64)  # the same before the last change of length
    full = np.uint64(0xFFFFFFFFFFFFFFFF)
    behind[0] = full
    width = 2  # binary digits of the surplus k + 1 - 2 L of each block, two's complement
    while (1 << (width - 1)) <= size + 1:
        width += 1
    surplus = np.zeros(width, dtype=np.uint64)
    surplus[0] = full
    for k in range(size):
        differs = ahead[0]
        positive = np.uint64(0)
        for place in range(width - 1):
            positive |= surplus[place]
        longer = differs & positive & ~surplus[width - 1]
        for i in range(size - k):
            was, other = ahead[i], behind[i]
            ahead[i] = ahead[i + 1] ^ (differs & behind[i + 1])
            behind[i] = other ^ (longer & (was ^ other))
        # surplus + 1, or 1 - surplus where the register grew
        carry, second = full, longer
        for place in range(width):
            digit = surplus[place] ^ longer
            surplus[place] = digit ^ carry ^ second
            carry = (digit & carry) | (second & (digit ^ carry))
            second = np.uint64(0)
    for lane in range(64):
        value = 0
        for place in range(width):
            value |= whole((surplus[place] >> np.uint64(63 - lane)) & np.uint64(1)) << place
        if value >> (width - 1):
            value -= 1 << width
        result[lane] = (size + 1 - value) // 2
    return result


@compiled
def complexities(words: Words, blocks: int, size: int) -> Counts:
    """Return the linear complexity of each block of `size` bits."""
    result = np.empty(blocks, dtype=np.int64)
    sliced = np.empty(size, dtype=np.uint64)
    for first in range(0, blocks, 64):
        lanes = min(64, blocks - first)
        _slice(words, first, lanes, size, sliced)
        found = complexities_of_lanes(sliced)
        for lane in range(lanes):
            result[first + lane] = found[lane]
    return result


def linear_complexity(
    sequence: BitSequence, size: int = 500, chances: tuple[float, ...] = CHANCES
) -> float:
    blocks = sequence.bits // size
    found = complexities(sequence.words, blocks, size)
    sign = -1 if size % 2 else 1
    mean = size / 2 + (9 - sign) / 36 - (size / 3 + 2 / 9) / 2.0**size
    deviation = sign * (found - mean) + 2 / 9
    seen = np.bincount(np.searchsorted(np.arange(-2.5, 3), deviation), minlength=7)
    expected = blocks * np.array(chances)
    statistic = float(np.sum((seen - expected) ** 2 / expected))
    return float(gammaincc(3, statistic / 2))
