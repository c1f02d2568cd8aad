"""The model behind the default claim of entropy, and the figures of it in the documentation."""

from __future__ import annotations

import re
from math import lgamma, log
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

from cutcard.machines.entropy import WINDOW, lag_cutoff, noise_settings
from rng_certification.sp800_90b.health_laws import (
    mean_wait_for_repetition,
    proportion_alarm,
)
from rng_certification.sp800_90b.health_rates import bits_of
from rng_certification.sp800_90b.oscillator import (
    LIKELY_MEGAHERTZ,
    Oscillator,
    least_jitter,
)

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "random-source.md").read_text("utf-8")
CLAIM = 0.04


@pytest.mark.parametrize("megahertz", [1.0, 4.0, 6.5, 12.0])
def test_the_formula_is_the_exact_sum_while_the_jitter_is_small(megahertz: float) -> None:
    oscillator = Oscillator(megahertz)
    assert oscillator.exact_miss() == pytest.approx(oscillator.miss, rel=1e-4)


def test_much_jitter_makes_a_fair_coin() -> None:
    assert Oscillator(6.5, 10, 0.1).exact_miss() == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("fraction", [0.0, 0.37, 0.5])
def test_a_simulated_attacker_misses_as_often_as_the_formula(
    fraction: float,
) -> None:
    oscillator = Oscillator(6.5 + fraction / 10)
    phases = oscillator.phases(400_001, seed=3)
    bits = phases % 1 < 0.5
    guesses = (phases[:-1] + oscillator.cycles) % 1 < 0.5
    assert np.mean(guesses != bits[1:]) == pytest.approx(oscillator.miss, rel=0.05)


@pytest.mark.parametrize("fraction", [0.0, 0.001, 0.37])
def test_each_simulated_entropy_input_surprises_the_attacker_by_320_bits(fraction: float) -> None:
    oscillator = Oscillator(6.5 + fraction / 10)
    size = noise_settings(CLAIM).entropy_samples
    phases = oscillator.phases(50 * size + 1, seed=3)
    expected = (phases[:-1] + oscillator.cycles) % 1
    ends = [((n + 0.5 - expected), (n - expected)) for n in (-1, 0, 1)]
    ones = sum(
        ndtr(end / oscillator.deviation) - ndtr(begin / oscillator.deviation) for end, begin in ends
    )
    bits = -np.log2(np.maximum(ones, 1 - ones)).reshape(-1, size).sum(axis=1)
    assert bits.min() > 320


def test_the_default_claim_is_below_the_model_at_all_likely_frequencies() -> None:
    for megahertz in LIKELY_MEGAHERTZ:
        assert Oscillator(megahertz).entropy > CLAIM
    assert least_jitter(CLAIM, 6.5) < 0.003 * 0.75  # a margin of a quarter of the jitter


def test_the_table_of_the_model_in_the_documentation_is_computed() -> None:
    rows = re.findall(
        r"^\| ([\d.]+) \(.*\) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) % \|$",
        PAGE,
        re.MULTILINE,
    )
    assert len(rows) == 5
    for megahertz, cycles, deviation, miss, entropy, jitter in rows:
        model = Oscillator(float(megahertz))
        assert model.cycles == pytest.approx(float(cycles))
        assert f"{model.deviation:.4f}" == deviation
        assert f"{model.miss:.4f}" == miss
        assert f"{model.entropy:.3f}" == entropy
        assert f"{100 * least_jitter(CLAIM, model.megahertz):.2f}" == jitter


def test_the_false_alarms_of_a_year_in_the_documentation_are_computed() -> None:
    samples = 640 * 3600 * 20 * 365
    settings = noise_settings(CLAIM)
    chances = bits_of(CLAIM)
    repetitions = samples / mean_wait_for_repetition(chances, settings.repetition_cutoff)
    proportions = samples / WINDOW * proportion_alarm(chances, settings.proportion_cutoff, WINDOW)
    assert f"{repetitions:.2f} false alarms a year" in " ".join(PAGE.split())
    assert f"at most {proportions:.3f} by the adaptive proportion" in " ".join(PAGE.split())
    # The lag test's cutoff takes less than its share: the documentation has the sum of the tails.
    tail = sum(
        float(np.exp(_log_binomial(count))) for count in range(lag_cutoff(CLAIM, 30), WINDOW + 1)
    )
    assert f"and {64 * tail * samples / WINDOW:.3f} by the lag test" in " ".join(PAGE.split())


def _log_binomial(count: int) -> float:
    p = 2.0**-CLAIM
    ways = lgamma(WINDOW + 1) - lgamma(count + 1) - lgamma(WINDOW - count + 1)
    return ways + count * log(p) + (WINDOW - count) * log(1 - p)
