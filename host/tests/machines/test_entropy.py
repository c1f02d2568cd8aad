"""The cutoffs of the health tests match the formulas of SP 800-90B."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutcard.machines import load, shipped
from cutcard.machines.entropy import (
    WINDOW,
    NoiseSettings,
    entropy_samples,
    lag_cutoff,
    noise_settings,
    proportion_cutoff,
    repetition_cutoff,
)


@pytest.mark.parametrize(("claim", "cutoff"), [(0.5, 41), (1, 21), (8, 4)])
def test_repetition_cutoffs_of_the_standard(claim: float, cutoff: int) -> None:
    assert repetition_cutoff(claim, 20) == cutoff


@pytest.mark.parametrize(
    ("window", "claim", "cutoff"), [(1024, 1, 589), (1024, 0.8, 664), (512, 8, 13), (512, 4, 62)]
)
def test_proportion_cutoffs_of_the_standard(window: int, claim: float, cutoff: int) -> None:
    assert proportion_cutoff(claim, 20, window) == cutoff


@settings(max_examples=15, deadline=None)
@given(claim=st.floats(0.1, 1.0), alarm_bits=st.integers(20, 40))
def test_the_proportion_cutoff_is_the_exact_binomials(claim: float, alarm_bits: int) -> None:
    window = 512
    one, whole = (2.0**-claim).as_integer_ratio()

    def tail(cutoff: int) -> int:
        return sum(
            comb(window, k) * one**k * (whole - one) ** (window - k)
            for k in range(cutoff, window + 1)
        )

    cutoff = proportion_cutoff(claim, alarm_bits, window)
    assert tail(cutoff) << alarm_bits <= whole**window < tail(cutoff - 1) << alarm_bits


def exact_tail(count: int, claim: float) -> Fraction:
    """The probability of at least `count` right predictions in a window of 1,024."""
    p = Fraction(2.0**-claim)
    terms = (comb(WINDOW, k) * p**k * (1 - p) ** (WINDOW - k) for k in range(count, WINDOW + 1))
    return sum(terms, Fraction(0))


@pytest.mark.parametrize("claim", [0.036, 0.04, 0.05, 0.1, 0.5, 1.0])
def test_the_lag_cutoff_is_the_least_count_rarer_than_a_predictors_share(claim: float) -> None:
    cutoff = lag_cutoff(claim, 30)
    share = Fraction(1, 2**30 * 64)
    assert exact_tail(cutoff, claim) <= share < exact_tail(cutoff - 1, claim)


def test_decimal_claim_is_used_exactly() -> None:
    # 0.3 is a little less in binary: 30 / 0.3 must still be 100, and 320 / 0.1 still 3200.
    assert repetition_cutoff(0.3, 30) == 101
    assert entropy_samples(0.1) == 3200


def test_shipped_machines_have_the_expected_settings() -> None:
    assert noise_settings(0.04) == NoiseSettings(751, 1022, 1023, 8000)
    for machine in map(load, shipped()):
        assert machine.values["noise.entropy"] == 0.04


@pytest.mark.parametrize("claim", [0, -0.5, 1.01, 0.035, float("nan")])
def test_claims_that_samples_or_tests_cannot_support_are_refused(claim: float) -> None:
    with pytest.raises(ValueError, match=r"entropy|could never fail"):
        noise_settings(claim)


@pytest.mark.parametrize("alarm_bits", [19, 41])
def test_false_alarms_outside_the_standards_range_are_refused(alarm_bits: int) -> None:
    with pytest.raises(ValueError, match=r"2\^-20 to 2\^-40"):
        noise_settings(0.5, alarm_bits=alarm_bits)


def test_table_in_the_documentation_matches_the_formulas() -> None:
    page = (Path(__file__).parents[3] / "docs" / "explanation" / "random-source.md").read_text()
    rows = [
        [float(cell) for cell in line.replace("*", "").strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith(("| 20 |", "| 30 |", "| **30** |", "| 40 |"))
    ]
    assert len(rows) == 14
    for alarm_bits, claim, repetition, proportion, lag, samples in rows:
        expected = (repetition, proportion, lag, samples)
        assert noise_settings(claim, alarm_bits=int(alarm_bits)) == expected
