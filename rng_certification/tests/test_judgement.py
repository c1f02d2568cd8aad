"""One family and one alpha: failures, skipped tests, and the smallest faults found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng_certification.base.finding import (
    CellPower,
    ChiSquarePower,
    CountPower,
    Finding,
    NormalPower,
)
from rng_certification.base.judgement import FAMILY_ALPHA, holm, judge


def _found(*p_values: float | None) -> list[Finding]:
    return [
        Finding.skip(f"test {i}", 10, "draws", "too few")
        if p is None
        else Finding(f"test {i}", 10, "draws", p)
        for i, p in enumerate(p_values)
    ]


def test_the_declared_family_alpha_is_one_half_percent() -> None:
    assert FAMILY_ALPHA == judge(_found(0.5)).alpha == 0.005


def test_one_of_a_hundred_p_values_below_one_percent_is_not_a_failure() -> None:
    assert judge(_found(0.004, *np.linspace(0.01, 0.99, 99))).passed


def test_a_p_value_that_survives_the_correction_fails_and_is_named() -> None:
    judgement = judge(_found(*np.linspace(0.01, 0.99, 99), 1e-6))
    assert judgement.verdict == "fail"
    assert [test.finding.name for test in judgement.failures] == ["test 99"]
    assert judgement.failures[0].adjusted == pytest.approx(1e-4)


def test_a_skipped_test_does_not_pass_or_fail_and_loses_its_share_of_alpha() -> None:
    judgement = judge(_found(None, 0.001, None))
    assert [test.verdict for test in judgement.tests] == ["skipped", "fail", "skipped"]
    assert judgement.tests[1].adjusted == pytest.approx(0.003)


def test_a_test_with_a_larger_weight_fails_at_a_larger_p() -> None:
    """A late echo with half of alpha, and a hundred templates that share the other half."""
    others = [Finding(f"sp800-22/non-overlapping/{i}", 10, "bits", 0.5) for i in range(100)]
    weights = (("sp800-22/*", 0.1), ("far-lags/*", 10.0))
    late = [*others, Finding("far-lags/ranks", 10, "bits", 0.002)]
    assert judge(late, 0.005, weights).verdict == "fail"
    assert judge(late, 0.005, ()).verdict == "pass"
    assert judge(late, 0.005, weights).tests[-1].adjusted == pytest.approx(0.004)


@given(
    st.lists(st.tuples(st.floats(1e-6, 1), st.sampled_from([0.1, 0.5, 1.0, 8.0])), min_size=1),
    st.floats(0.001, 0.2),
)
def test_weighted_steps_reject_while_p_is_below_its_share_of_the_rest(
    tests: list[tuple[float, float]], alpha: float
) -> None:
    rejected, left = set(), sum(weight for _, weight in tests)
    for i in sorted(range(len(tests)), key=lambda i: tests[i][0] / tests[i][1]):
        p, weight = tests[i]
        if left / weight * p > alpha:
            break
        rejected.add(i)
        left -= weight
    adjusted = holm([p for p, _ in tests], [weight for _, weight in tests])
    assert {i for i, p in enumerate(adjusted) if p <= alpha} == rejected


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.001, 0.2))
def test_adjusted_p_is_at_most_alpha_exactly_where_holms_steps_reject(
    p_values: list[float], alpha: float
) -> None:
    rejected = set()
    ranked = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for rank, i in enumerate(ranked):
        if (len(p_values) - rank) * p_values[i] > alpha:
            break
        rejected.add(i)
    assert {i for i, p in enumerate(holm(p_values)) if p <= alpha} == rejected


def test_normal_power_equals_simulation() -> None:
    effect = NormalPower(1.0, "").detectable(1e-3)
    z = np.random.default_rng(1).normal(effect, 1, 100_000)
    assert np.mean(z > 3.2905) == pytest.approx(0.99, abs=0.002)


def test_chi_square_power_equals_simulation() -> None:
    cells, sample = 20, 10_000
    w = ChiSquarePower(cells - 1, sample).detectable(1e-3)
    chances = (1 + w * np.tile([1.0, -1.0], cells // 2)) / cells
    counts = np.random.default_rng(2).multinomial(sample, chances, 20_000)
    statistic = ((counts - sample / cells) ** 2).sum(axis=1) * cells / sample
    assert np.mean(statistic > 45.97) == pytest.approx(0.99, abs=0.005)  # 19 degrees, 0.0005


def test_power_for_many_degrees_continues_the_power_for_few() -> None:
    few, many = ChiSquarePower(1000, 10**6), ChiSquarePower(1001, 10**6)
    assert many.detectable(1e-5) == pytest.approx(few.detectable(1e-5), rel=0.02)


def test_more_data_finds_smaller_faults() -> None:
    assert CellPower(10**6, 0.02, 50).detectable(1e-5) == pytest.approx(
        CellPower(10**4, 0.02, 50).detectable(1e-5) / 10
    )


def test_a_count_without_chance_hits_needs_five_repeats_for_99_of_100() -> None:
    assert CountPower(0.0, "").detectable(1e-6) == pytest.approx(4.6, abs=0.1)
