"""Tests of bits at a fixed distance, and of bits at one place of a period."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Bytes, Counts, Words, compiled, ones_in
from rng_certification.base.finding import Finding
from rng_certification.base.laws import binomial, extreme_cell, moment_matched
from rng_certification.sp800_22.sequence import window

LAGS = (*range(1, 65), *range(128, 2049, 64))
LONGEST_LAG_WORDS = 33
LONGEST_PERIOD = 19  # 2^19 bits, 64 KiB


@compiled
def _count_changes(words: Words, start: int, lags: Counts, counts: Counts) -> None:
    """Count the bits that differ from the bit `lag` before; the last word is padding."""
    for i in range(len(lags)):
        lag = lags[i]
        total = 0
        for place in range(start, len(words) - 1):
            total += ones_in(words[place] ^ window(words, 64 * place - lag))
        counts[i] += total


@compiled
def _count_places(data: Bytes, start: int, counts: Counts) -> None:
    """Count the ones at each bit of a period of len(counts) bits."""
    place = 8 * start % len(counts)
    for byte in data:
        for i in range(8):
            counts[place + i] += (byte >> (7 - i)) & 1
        place += 8
        if place == len(counts):
            place = 0


class BitLags:
    """Bits that differ at each lag from 1 to 64, then up to 2048 in steps of a word."""

    def __init__(self) -> None:
        self.lags = np.array(LAGS, dtype=np.int64)
        self.counts = np.zeros(len(LAGS), dtype=np.int64)
        self.history = np.empty(0, dtype=np.uint64)
        self.words = 0

    def feed(self, words: Words) -> None:
        joined = np.concatenate((self.history, words, np.zeros(1, dtype=np.uint64)))
        start = max(len(self.history), LONGEST_LAG_WORDS)
        if len(joined) > start + 1:
            _count_changes(joined, start, self.lags, self.counts)
            self.words += len(joined) - 1 - start
        self.history = joined[:-1][-LONGEST_LAG_WORDS:]

    def findings(self) -> list[Finding]:
        bits = 64 * self.words
        return [
            binomial(f"autocorrelation/lag-{lag}", "bits", int(count), bits, 0.5)
            for lag, count in zip(LAGS, self.counts, strict=True)
        ]


class BitPeriods:
    """Ones at each place of periods of 8 bits to 64 KiB: detects a bit that sticks periodically."""

    def __init__(self) -> None:
        self.counts = np.zeros(1 << LONGEST_PERIOD, dtype=np.int64)
        self.bytes = 0

    def feed(self, data: Bytes) -> None:
        _count_places(data, self.bytes, self.counts)
        self.bytes += len(data)

    def findings(self) -> list[Finding]:
        bits = 8 * self.bytes
        found = []
        for power in range(3, LONGEST_PERIOD + 1):
            period = 1 << power
            ones: Counts = self.counts.reshape(-1, period).sum(axis=0)
            here = bits // period + (np.arange(period) < bits % period)
            name = f"periods/{period}-bits"
            found.append(extreme_cell(f"{name}/extreme", "bits", ones, 0.5, here).of(bits))
            if bits // period >= 16:
                statistic = float(np.sum((2 * ones - here) ** 2 / here))
                variance = 2 * period * (1 - period / bits)
                found.append(
                    moment_matched(
                        f"{name}/chi-square", bits, "bits", statistic, period, variance, bits
                    )
                )
        return found
