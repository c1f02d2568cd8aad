"""Tests that count windows of bits: serial, approximate entropy, and templates.

SP 800-22, 2.7, 2.8, 2.11 and 2.12.

The 148 templates of 9 bits cannot overlap themselves, so all their occurrences are without overlap:
one histogram of all windows of 9 bits serves every template. One histogram of cyclic windows of 16
bits, folded, serves serial and approximate entropy.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log

import numpy as np
from scipy.special import gammaincc

from rng_certification.base.compiled import Counts, Floats, Words, compiled
from rng_certification.sp800_22.sequence import BitSequence, ones_between, window

SERIAL_BITS = 16
ENTROPY_BITS = 10
TEMPLATE_BITS = 9
TEMPLATE_BLOCKS = 8
OVERLAP_BLOCK = 1032
OVERLAP_CLASSES = 6
# exact_overlap_chances() to six digits, which SP 800-22 Rev. 1a also prints.
OVERLAP_CHANCES = (0.364091, 0.185659, 0.139381, 0.100571, 0.0704323, 0.139865)


@compiled
def _count_windows(words: Words, start: int, windows: int, width: int, tally: Counts) -> None:
    """Add `windows` windows of `width` bits (at most 32) from bit `start` on."""
    reach = 65 - width  # windows that are completely within 64 bits
    shift = np.uint64(64 - width)
    done = 0
    while done < windows:
        bits = window(words, start + done)
        for _ in range(min(reach, windows - done)):
            tally[bits >> shift] += 1
            bits <<= np.uint64(1)
        done += reach


@compiled
def _cyclic(words: Words, bits: int, width: int) -> Counts:
    """Count windows of `width` bits; those at the end continue at the beginning."""
    tally = np.zeros(1 << width, dtype=np.int64)
    _count_windows(words, 0, bits - width + 1, width, tally)
    seam = np.empty(3, dtype=np.uint64)
    seam[0] = window(words, bits - width + 1) & ~(
        np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(width - 1)
    )
    seam[0] |= words[0] >> np.uint64(width - 1)
    seam[1] = seam[2] = np.uint64(0)
    _count_windows(seam, 0, width - 1, width, tally)
    return tally


def _fold(tally: Counts) -> Counts:
    """Return the counts of windows one bit shorter."""
    folded: Counts = tally[::2] + tally[1::2]
    return folded


def cyclic_windows(sequence: BitSequence) -> Counts:
    return _cyclic(sequence.words, sequence.bits, SERIAL_BITS)


def serial(bits: int, tally: Counts) -> tuple[float, float]:
    """Return P1 and P2 from the cyclic windows of m bits."""
    width = len(tally).bit_length() - 1
    psi = []
    for _ in range(3):
        psi.append(len(tally) / bits * int(np.sum(tally * tally)) - bits)
        tally = _fold(tally)
    first, second = psi[0] - psi[1], psi[0] - 2 * psi[1] + psi[2]
    return (
        float(gammaincc(2.0 ** (width - 2), first / 2)),
        float(gammaincc(2.0 ** (width - 3), second / 2)),
    )


def approximate_entropy(bits: int, tally: Counts, width: int = ENTROPY_BITS) -> float:
    while len(tally) > 2 << width:
        tally = _fold(tally)

    def phi(counts: Counts) -> float:
        shares: Floats = counts[counts > 0] / bits
        return float(np.sum(shares * np.log(shares)))

    entropy = phi(_fold(tally)) - phi(tally)
    return float(gammaincc(2.0 ** (width - 1), bits * (log(2) - entropy)))


@lru_cache(maxsize=1)
def aperiodic_templates(width: int = TEMPLATE_BITS) -> tuple[int, ...]:
    """Return the patterns that cannot overlap themselves."""
    return tuple(
        pattern
        for pattern in range(1 << width)
        if all(pattern >> (width - k) != pattern & ((1 << k) - 1) for k in range(1, width))
    )


@compiled
def _windows_by_block(words: Words, blocks: int, size: int, width: int) -> Counts:
    tally = np.zeros((blocks, 1 << width), dtype=np.int64)
    for block in range(blocks):
        _count_windows(words, block * size, size - width + 1, width, tally[block])
    return tally


def non_overlapping_templates(sequence: BitSequence) -> Floats:
    """Return one p-value for each template, in the order of the patterns."""
    m, size = TEMPLATE_BITS, sequence.bits // TEMPLATE_BLOCKS
    tally = _windows_by_block(sequence.words, TEMPLATE_BLOCKS, size, m)
    seen = tally[:, list(aperiodic_templates())]
    mean = (size - m + 1) / 2**m
    variance = size * (2.0**-m - (2 * m - 1) * 4.0**-m)
    statistic = ((seen - mean) ** 2 / variance).sum(axis=0)
    p: Floats = gammaincc(TEMPLATE_BLOCKS / 2, statistic / 2)
    return p


@compiled
def _overlapping_hits(words: Words, bits: int, blocks: int, size: int) -> Counts:
    """Count the runs of nine ones that begin in each block and end within it."""
    hits = np.zeros((bits + 63) // 64 + 1, dtype=np.uint64)
    for place in range(len(hits) - 1):
        here, after = words[place], words[place + 1]
        # pairs, fours, eights and nines of ones, each from the shorter before it
        for step in (1, 2, 4, 1):
            reach = np.uint64(step)
            after_shifted = after << reach
            here &= (here << reach) | (after >> (np.uint64(64) - reach))
            after &= after_shifted
        hits[place] = here
    counts = np.empty(blocks, dtype=np.int64)
    for block in range(blocks):
        counts[block] = ones_between(hits, block * size, (block + 1) * size - 8)
    return counts


def nist_overlap_chances() -> tuple[float, ...]:
    """Return Pr(u, eta) as in NIST's tool, from the Poisson approximation of 3.8."""
    eta = (OVERLAP_BLOCK - TEMPLATE_BITS + 1) / 2**TEMPLATE_BITS / 2
    chances = [exp(-eta)]
    for u in range(1, OVERLAP_CLASSES - 1):
        chances.append(
            sum(
                exp(
                    -eta
                    - u * log(2)
                    + k * log(eta)
                    - lgamma(k + 1)
                    + lgamma(u)
                    - lgamma(k)
                    - lgamma(u - k + 1)
                )
                for k in range(1, u + 1)
            )
        )
    return (*chances, 1 - sum(chances))


def exact_overlap_chances() -> tuple[float, ...]:
    """Return the law of the count in a block, by following the run of ones bit by bit."""
    m, classes = TEMPLATE_BITS, OVERLAP_CLASSES
    law = np.zeros((m + 1, classes))  # length of the open run (m: m or more) x hits so far
    law[0, 0] = 1
    for _ in range(OVERLAP_BLOCK):
        after = np.zeros_like(law)
        after[0] = law.sum(axis=0) / 2
        after[1:m] = law[: m - 1] / 2
        hit = (law[m - 1] + law[m]) / 2
        after[m, 1:] = hit[:-1]
        after[m, -1] += hit[-1]
        law = after
    return tuple(float(chance) for chance in law.sum(axis=0))


def overlapping_templates(
    sequence: BitSequence, chances: tuple[float, ...] = OVERLAP_CHANCES
) -> float:
    blocks = sequence.bits // OVERLAP_BLOCK
    counts = _overlapping_hits(sequence.words, sequence.bits, blocks, OVERLAP_BLOCK)
    seen = np.bincount(np.minimum(counts, OVERLAP_CLASSES - 1), minlength=OVERLAP_CLASSES)
    expected = blocks * np.array(chances)
    statistic = float(np.sum((seen - expected) ** 2 / expected))
    return float(gammaincc((OVERLAP_CLASSES - 1) / 2, statistic / 2))
