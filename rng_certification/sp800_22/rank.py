"""The rank of 32 x 32 matrices over the field of two elements (SP 800-22, 2.5)."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Words, compiled
from rng_certification.sp800_22.sequence import BitSequence

SIDE = 32


@compiled
def _ranks(words: Words, matrices: int) -> Counts:
    """Count the matrices with full rank, with one less, and with a lower rank."""
    tally = np.zeros(3, dtype=np.int64)
    rows = np.empty(32, dtype=np.uint32)
    for matrix in range(matrices):
        for pair in range(16):
            word = words[16 * matrix + pair]
            rows[2 * pair] = np.uint32(word >> np.uint64(32))
            rows[2 * pair + 1] = np.uint32(word & np.uint64(0xFFFFFFFF))
        rank = 0
        for row in range(32):
            pivot = rows[row]
            if pivot == 0:
                continue
            rank += 1
            lowest = pivot & (~pivot + np.uint32(1))
            for other in range(row + 1, 32):
                if rows[other] & lowest:
                    rows[other] ^= pivot
        tally[min(32 - rank, 2)] += 1
    return tally


def _chance_of_rank(rank: int) -> float:
    chance = 2.0 ** (rank * (2 * SIDE - rank) - SIDE * SIDE)
    for i in range(rank):
        chance *= (1 - 2.0 ** (i - SIDE)) ** 2 / (1 - 2.0 ** (i - rank))
    return chance


def rank_chances() -> tuple[float, float, float]:
    full, one_less = _chance_of_rank(SIDE), _chance_of_rank(SIDE - 1)
    return full, one_less, 1 - full - one_less


def matrix_rank(sequence: BitSequence) -> float:
    matrices = sequence.bits // (SIDE * SIDE)
    expected = matrices * np.array(rank_chances())
    seen = _ranks(sequence.words, matrices)
    return float(np.exp(-np.sum((seen - expected) ** 2 / expected) / 2))
