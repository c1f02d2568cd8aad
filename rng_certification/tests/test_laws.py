"""p-values against enumeration and simulation, on both sides."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from rng_certification.base import laws
from rng_certification.base.finding import Finding


def _p(finding: Finding) -> float:
    assert finding.p is not None
    return finding.p


def test_a_perfect_fit_of_many_cells_is_as_suspicious_as_a_bad_one() -> None:
    perfect = laws.chi_square("", "", np.full(100, 1000), 1 / 100)
    assert _p(perfect) < 1e-12


def test_a_perfect_fit_of_two_cells_is_not_suspicious() -> None:
    assert _p(laws.chi_square("", "", [5000, 5000], 0.5)) > 0.01


def test_chi_square_tails_are_right_for_small_expected_counts() -> None:
    random = np.random.default_rng(1)
    chances = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    tables = random.multinomial(200, chances, 20_000)
    p = np.array([_p(laws.chi_square("", "", table, chances)) for table in tables])
    assert np.mean(p < 0.01) == pytest.approx(0.01, abs=0.003)
    assert np.mean(p < 0.001) < 0.002


def test_cells_with_too_little_expected_are_joined_with_their_neighbours() -> None:
    finding = laws.chi_square("", "", [50, 3, 3, 4, 40], [0.5, 0.03, 0.03, 0.04, 0.4])
    assert finding.statistic == pytest.approx(0.0)


def test_too_few_events_for_two_cells_are_skipped() -> None:
    assert laws.chi_square("", "", [3, 4], 0.5).skipped


def test_rows_of_fixed_size_lose_one_degree_each() -> None:
    random = np.random.default_rng(3)
    chances = np.full(4, 0.25)
    p = [
        _p(laws.chi_square_by_row("", "", random.multinomial(100, chances, 50), chances))
        for _ in range(2000)
    ]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.015)


def test_the_extreme_cell_is_found_if_chi_square_misses_it() -> None:
    counts = np.random.default_rng(4).multinomial(1_000_000, np.full(1000, 1e-3))
    counts[7] += 250
    trials = int(counts.sum())
    assert _p(laws.extreme_cell("", "", counts, 1e-3, trials)) < 1e-9
    assert _p(laws.chi_square("", "", counts, 1e-3)) > 1e-4


def test_the_extreme_cell_has_the_exact_binomial_tail() -> None:
    finding = laws.extreme_cell("", "", [0, 12], 0.5, 12)
    assert _p(finding) == pytest.approx(1 - (1 - 2 * 0.5**12) ** 2)


@pytest.mark.parametrize(("count", "tail"), [(0, 1), (2, 56), (17, 172), (20, 1)])
def test_binomial_is_twice_the_smaller_exact_tail(count: int, tail: int) -> None:
    smaller = range(count + 1) if count < 10 else range(count, 21)
    exact = 2 * sum(comb(20, k) for k in smaller) / 2**20
    assert _p(laws.binomial("", "", count, 20, 0.5)) == pytest.approx(exact)


def test_too_few_coincidences_are_as_bad_as_too_many() -> None:
    assert _p(laws.poisson("", 1, "", 0, 100.0, "")) < 1e-40
    assert _p(laws.poisson("", 1, "", 200, 100.0, "")) < 1e-15


def test_the_smallest_of_many_p_values_has_its_exact_law() -> None:
    assert laws.of_many(0.01, 100) == pytest.approx(1 - 0.99**100)
    assert laws.of_many(1e-18, 1000) == pytest.approx(1e-15)
    assert laws.of_many(1.0, 3) == 1.0
