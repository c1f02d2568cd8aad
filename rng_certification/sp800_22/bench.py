"""Measures the tests' speed for a megabit (`python -m rng_certification.sp800_22.bench`)."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from rng_certification.sp800_22 import (
    fifteen_tests,
    frequencies,
    linear_complexity,
    rank,
    spectral,
    universal,
    walks,
    windows,
)
from rng_certification.sp800_22.sequence import BitSequence

BITS = 1_000_000
REPEATS = 9


def _best(work: Callable[[], object]) -> float:
    """Milliseconds of processor time on one core, the best of several runs."""
    work()
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def measure() -> dict[str, float]:
    """Milliseconds for a megabit, the parts and the whole."""
    sequence = BitSequence.of(np.random.default_rng(1).bytes(BITS // 8))
    tally = windows.cyclic_windows(sequence)
    parts: dict[str, Callable[[], object]] = {
        "monobit": lambda: frequencies.monobit(sequence),
        "block frequency": lambda: frequencies.block_frequency(sequence),
        "runs": lambda: frequencies.runs(sequence),
        "longest run": lambda: frequencies.longest_run(sequence),
        "rank": lambda: rank.matrix_rank(sequence),
        "dft": lambda: spectral.spectral(sequence),
        "non-overlapping, 148": lambda: windows.non_overlapping_templates(sequence),
        "overlapping": lambda: windows.overlapping_templates(sequence),
        "universal": lambda: universal.universal(sequence),
        "linear complexity": lambda: linear_complexity.linear_complexity(sequence),
        "windows of 16 bits": lambda: windows.cyclic_windows(sequence),
        "serial, from windows": lambda: windows.serial(BITS, tally),
        "entropy, from windows": lambda: windows.approximate_entropy(BITS, tally),
        "walk: sums, excursions": lambda: walks.walk(sequence),
        "all": lambda: fifteen_tests.p_values(sequence),
    }
    return {name: _best(work) for name, work in parts.items()}


if __name__ == "__main__":
    for name, milliseconds in measure().items():
        print(f"{name:24} {milliseconds:8.3f} ms/Mbit")
