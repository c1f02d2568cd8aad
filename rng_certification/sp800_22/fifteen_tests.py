"""All fifteen tests of SP 800-22, with all their sub-tests, on one sequence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rng_certification.base.compiled import Floats
from rng_certification.sp800_22 import (
    frequencies,
    linear_complexity,
    rank,
    spectral,
    universal,
    walks,
    windows,
)
from rng_certification.sp800_22.sequence import BitSequence

LEAST_BITS = 1_000_000  # the smallest sequence for which every test is defined, by NIST's advice


@dataclass(frozen=True)
class Constants:
    """The exact laws for which NIST prints approximations."""

    overlapping: tuple[float, ...]
    linear_complexity: tuple[float, ...]


NIST = Constants(windows.nist_overlap_chances(), linear_complexity.NIST_CHANCES)
CORRECTED = Constants(windows.OVERLAP_CHANCES, linear_complexity.CHANCES)


def _names() -> tuple[str, ...]:
    templates = (
        f"non-overlapping/{pattern:0{windows.TEMPLATE_BITS}b}"
        for pattern in windows.aperiodic_templates()
    )
    return (
        "monobit",
        "block-frequency",
        "runs",
        "longest-run",
        "rank",
        "dft",
        *templates,
        "overlapping",
        "universal",
        "linear-complexity",
        "serial/1",
        "serial/2",
        "approximate-entropy",
        "cumulative-sums/forward",
        "cumulative-sums/backward",
        *(f"random-excursions/{state:+d}" for state in walks.STATES),
        *(f"random-excursions-variant/{state:+d}" for state in walks.VARIANT_STATES),
    )


NAMES = _names()


def p_values(sequence: BitSequence, constants: Constants = CORRECTED) -> Floats:
    """Return one p-value for each of NAMES; NaN if a test does not apply to this sequence."""
    tally = windows.cyclic_windows(sequence)
    path = walks.walk(sequence)
    if path.cycles >= walks.least_cycles(sequence.bits):
        excursions = walks.random_excursions(path)
        variant = walks.random_excursions_variant(path)
    else:
        excursions = np.full(len(walks.STATES), np.nan)
        variant = np.full(len(walks.VARIANT_STATES), np.nan)
    return np.concatenate(
        (
            [
                frequencies.monobit(sequence),
                frequencies.block_frequency(sequence),
                frequencies.runs(sequence),
                frequencies.longest_run(sequence),
                rank.matrix_rank(sequence),
                spectral.spectral(sequence),
            ],
            windows.non_overlapping_templates(sequence),
            [
                windows.overlapping_templates(sequence, constants.overlapping),
                universal.universal(sequence),
                linear_complexity.linear_complexity(sequence, chances=constants.linear_complexity),
                *windows.serial(sequence.bits, tally),
                windows.approximate_entropy(sequence.bits, tally),
                *walks.cumulative_sums(path),
            ],
            excursions,
            variant,
        )
    )
