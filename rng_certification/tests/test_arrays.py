"""The library judges arrays in memory exactly as `cutcard certify --input` judges a file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rng_certification.arrays import UnusableDataError, judge_bits, judge_draws, judge_shuffles


def test_draws_of_a_good_generator_pass() -> None:
    draws = np.random.default_rng(20).integers(0, 52, 60_000)
    assert judge_draws(draws, 52).judgement.verdict == "pass"


def test_draws_that_favour_a_card_fail_and_name_the_test() -> None:
    draws = np.random.default_rng(20).integers(0, 52, 60_000)
    draws[::20] = 7
    failures = judge_draws(draws, 52).judgement.failures
    assert "frequency" in failures[0].finding.name


def test_judge_shuffles_reads_one_pack_per_row() -> None:
    generator = np.random.default_rng(3)
    decks = np.array([generator.permutation(52) for _ in range(2_000)])
    certificate = judge_shuffles(decks)
    assert (certificate.sample, certificate.judgement.verdict) == (2_000, "pass")


def test_bytes_and_an_array_of_the_same_bytes_give_the_same_data() -> None:
    data = np.random.default_rng(5).integers(0, 256, 1 << 18, dtype=np.uint8)
    assert judge_bits(data).as_json() == judge_bits(data.tobytes()).as_json()


@pytest.mark.parametrize("value", [-1, 52, 1 << 40])
def test_a_value_out_of_range_is_rejected_and_not_wrapped(value: int) -> None:
    draws = np.zeros(20_000, dtype=np.int64)
    draws[17] = value
    with pytest.raises(UnusableDataError, match=rf"value {value} at index 17 is not below 52"):
        judge_draws(draws, 52)


def test_too_little_data_gives_no_verdict() -> None:
    with pytest.raises(UnusableDataError, match="too little data"):
        judge_draws(np.zeros(10, dtype=np.int64), 52)


def test_any_sequence_of_numbers_is_judged_like_an_array() -> None:
    draws = np.random.default_rng(20).integers(0, 52, 20_000)
    expected = judge_draws(draws, 52).as_json()
    assert judge_draws(draws.tolist(), 52).as_json() == expected
    assert judge_draws(tuple(draws.tolist()), 52).as_json() == expected


@pytest.mark.parametrize(
    ("decks", "expected"),
    [([0, 1, 2], "one pack per row"), ([[0, 1], [0]], "the rows have different lengths")],
)
def test_shuffles_without_equal_rows_are_rejected(decks: list[Any], expected: str) -> None:
    with pytest.raises(UnusableDataError, match=expected):
        judge_shuffles(decks)


def test_values_that_are_not_integers_are_rejected() -> None:
    with pytest.raises(UnusableDataError, match="float64, not integers"):
        judge_draws([0.5, 1.0], 52)  # type: ignore[list-item]
