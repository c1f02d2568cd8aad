"""Measure the tests' speed for a megabit (`python -m rng_certification.sp800_22.speed`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib import import_module

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


def _best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the milliseconds of processor time on one core, the best of several runs."""
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def measure() -> dict[str, float]:
    """Return the milliseconds for a megabit, for each part and in total."""
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


# The tests of NIST's program, by the names of its Python extension; templates need its files.
NIST = {
    "frequency": (),
    "block_frequency": (128,),
    "runs": (),
    "longest_run_of_ones": (),
    "rank": (),
    "discrete_fourier_transform": (),
    "overlapping_template_matchings": (9,),
    "universal": (),
    "linear_complexity": (500,),
    "serial": (16,),
    "approximate_entropy": (10,),
    "cumulative_sums": (),
    "random_excursions": (),
    "random_excursions_variant": (),
}


def by_nist() -> float | None:
    """Return the milliseconds of NIST's C code for a megabit, for all but the non-overlapping
    templates.

    None if its extension is not installed.
    """
    try:
        nist = import_module("sp80022suite")
    except ImportError:
        return None
    bits = np.unpackbits(np.frombuffer(np.random.default_rng(1).bytes(BITS // 8), np.uint8))
    data = bits.tobytes()
    total = 0.0
    for name, settings in NIST.items():
        total += _best(partial(getattr(nist, name), *settings, data), repeats=2)
    return total


def main() -> None:
    figures = measure()
    for name, milliseconds in figures.items():
        print(f"{name:24} {milliseconds:8.3f} ms/Mbit")
    nist = by_nist()
    if nist is None:
        print("NIST's C                 not installed: pip install sp80022suite")
    else:
        print(
            f"NIST's C, 14 of 15 tests {nist:8.1f} ms/Mbit: all fifteen take "
            f"{figures['all'] / nist:.3f} of it here"
        )


if __name__ == "__main__":
    main()
