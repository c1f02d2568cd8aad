"""Ones, ones in blocks, runs, and the longest run in a block (SP 800-22, 2.1 to 2.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erfc, gammaincc

from rng_certification.base.compiled import Bytes, Counts, Words, compiled, ones_in, whole
from rng_certification.sp800_22.sequence import BitSequence, ones_between


@compiled
def _ones_and_changes(words: Words, bits: int) -> tuple[int, int]:
    """Return the number of ones, and of bits that differ from the bit before."""
    ones = 0
    changes = 0
    before = words[0] >> np.uint64(63)
    for place in range((bits + 63) // 64):
        word = words[place]
        ones += ones_in(word)
        changed = word ^ ((word >> np.uint64(1)) | (before << np.uint64(63)))
        rest = bits - 64 * place
        if rest < 64:
            changed &= ~(np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(rest))
        changes += ones_in(changed)
        before = word & np.uint64(1)
    return ones, changes


@compiled
def _ones_by_block(words: Words, blocks: int, size: int) -> Counts:
    ones = np.empty(blocks, dtype=np.int64)
    for block in range(blocks):
        ones[block] = ones_between(words, block * size, (block + 1) * size)
    return ones


def monobit(sequence: BitSequence) -> float:
    ones, _ = _ones_and_changes(sequence.words, sequence.bits)
    surplus = abs(2 * ones - sequence.bits)
    return float(erfc(surplus / np.sqrt(2 * sequence.bits)))


def block_frequency(sequence: BitSequence, size: int = 128) -> float:
    blocks = sequence.bits // size
    ones = _ones_by_block(sequence.words, blocks, size)
    statistic = 4 * size * float(np.sum((ones / size - 0.5) ** 2))
    return float(gammaincc(blocks / 2, statistic / 2))


def runs(sequence: BitSequence) -> float:
    ones, changes = _ones_and_changes(sequence.words, sequence.bits)
    n, share = sequence.bits, ones / sequence.bits
    if abs(share - 0.5) >= 2 / np.sqrt(n):
        return 0.0  # the monobit test has failed so badly that runs have no meaning
    product = share * (1 - share)
    return float(erfc(abs(changes + 1 - 2 * n * product) / (2 * np.sqrt(2 * n) * product)))


@dataclass(frozen=True)
class LongestRunPlan:
    """Block size, the lowest class of longest runs, and the chance of each class."""

    size: int
    lowest: int
    chances: tuple[float, ...]


_PLANS = (
    (750_000, LongestRunPlan(10_000, 10, (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727))),
    (6_272, LongestRunPlan(128, 4, (0.1174, 0.2430, 0.2493, 0.1752, 0.1027, 0.1124))),
    (128, LongestRunPlan(8, 1, (0.2148, 0.3672, 0.2305, 0.1875))),
)


def longest_run_plan(bits: int) -> LongestRunPlan:
    return next(plan for least, plan in _PLANS if bits >= least)


def _runs_of_a_byte() -> Bytes:
    """For each byte: ones at its start, ones at its end, and the longest run inside."""
    table = np.zeros((256, 3), dtype=np.uint8)
    for value in range(256):
        text = f"{value:08b}"
        pieces = text.split("0")
        table[value] = len(pieces[0]), len(pieces[-1]), max(map(len, pieces))
    return table


_RUNS_OF_A_BYTE = _runs_of_a_byte()


@compiled
def _longest_by_block(data: Bytes, table: Bytes, blocks: int, size: int) -> Counts:
    longest = np.zeros(blocks, dtype=np.int64)
    for block in range(blocks):
        best = 0
        open_run = 0
        for place in range(block * size, (block + 1) * size):
            value = data[place]
            if value == 255:
                open_run += 8
                continue
            best = max(best, open_run + whole(table[value, 0]), whole(table[value, 2]))
            open_run = whole(table[value, 1])
        longest[block] = max(best, open_run)
    return longest


def longest_run(sequence: BitSequence) -> float:
    plan = longest_run_plan(sequence.bits)
    blocks = sequence.bits // plan.size
    longest = _longest_by_block(sequence.packed, _RUNS_OF_A_BYTE, blocks, plan.size // 8)
    classes = len(plan.chances)
    seen = np.bincount(np.clip(longest - plan.lowest, 0, classes - 1), minlength=classes)
    expected = blocks * np.array(plan.chances)
    statistic = float(np.sum((seen - expected) ** 2 / expected))
    return float(gammaincc((classes - 1) / 2, statistic / 2))
