"""Laws of the draw tests against plain counting."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rng_certification.base.compiled import Draws
from rng_certification.base.repeats import REMEMBERED, Repeats
from rng_certification.draws.cells import Cells
from rng_certification.draws.coincidences import RepeatedStretches
from rng_certification.draws.draws_battery import CHUNK, DrawsBattery
from rng_certification.draws.groups import OrderStatistics, Permutations, chance_of_different
from rng_certification.draws.pairs import LaggedPairs
from rng_certification.draws.sequences import Gaps, Runs, collector_law


@given(st.integers(2, 1 << 32), st.integers(1, 70000))
def test_chances_of_cells_are_the_shares_of_their_values(span: int, most: int) -> None:
    cells = Cells.at_most(span, most)
    chances = cells.chances
    assert len(chances) == min(span, most)
    assert float(chances.sum()) == pytest.approx(1)
    last = np.array([0, span - 1], dtype=np.uint32)
    assert list(cells.of(last)) == [0, cells.number - 1]


@pytest.mark.parametrize(("span", "number"), [(10, 4), (7, 3), (100, 64)])
def test_every_value_is_in_the_cell_that_counts_its_chance(span: int, number: int) -> None:
    cells = Cells(span, number)
    counts = np.bincount(cells.of(np.arange(span, dtype=np.uint32)), minlength=number)
    assert list(counts / span) == pytest.approx(list(cells.chances))


def _all_sequences(span: int, length: int) -> list[Draws]:
    return [np.array(draws, dtype=np.uint32) for draws in product(range(span), repeat=length)]


def test_run_chances_equal_enumeration() -> None:
    """All sequences of 4 draws from 5, by the length of their first run."""
    begins = np.zeros(4)
    for draws in _all_sequences(5, 4):
        run = 1
        while run < 4 and draws[run] > draws[run - 1]:
            run += 1
        begins[run - 1] += 1
    test = Runs(5)
    test.counts[1][1:4] = begins[:3]
    test.counts[1][4] = begins[3]  # four or more: with 5 values a run of 5 is one of 3125
    chances = begins / begins.sum()
    assert chances[0] == pytest.approx(1 - 10 / 25)
    assert chances[1] == pytest.approx(10 / 25 - 10 / 125)
    finding = test.findings()[0]
    assert finding.statistic is not None
    assert finding.statistic < 0.7


def test_the_draw_that_ends_a_run_does_not_begin_the_next() -> None:
    test = Runs(10)
    test.feed(np.array([1, 2, 3, 3, 9, 8, 5, 6, 7, 1], dtype=np.uint32))
    assert list(test.counts[1][:5]) == [0, 1, 0, 2, 0]  # 123, (3) 9, (8) 567, (1)


def test_gaps_are_counted_across_chunks() -> None:
    whole, parts = Gaps(8), Gaps(8)
    draws = np.random.default_rng(1).integers(0, 8, 1000, dtype=np.uint32)
    whole.feed(draws)
    for piece in np.split(draws, [1, 7, 300, 999]):
        parts.feed(piece)
    assert {k: list(v) for k, v in whole.counts.items()} == {
        k: list(v) for k, v in parts.counts.items()
    }


def test_coupon_chances_follow_the_collectors_law() -> None:
    chances = collector_law(8, 256)
    assert float(chances.sum()) == pytest.approx(1)
    lengths = np.arange(1, len(chances) + 1)
    assert float(np.sum(lengths * chances)) == pytest.approx(8 * sum(1 / k for k in range(1, 9)))


def test_poker_chances_equal_enumeration() -> None:
    chances = [chance_of_different(k, 6) for k in range(1, 6)]
    hands = [len(set(hand)) for hand in product(range(6), repeat=5)]
    assert chances == pytest.approx([hands.count(k) / 6**5 for k in range(1, 6)])


def test_the_120_orders_of_five_draws_have_distinct_cells() -> None:
    test = Permutations(5)
    orders = [d for d in _all_sequences(5, 5) if len(set(d)) == 5]
    test.feed(np.concatenate(orders))
    assert list(test.counts) == [1] * 120


def test_order_statistics_of_all_hands_fit_exactly() -> None:
    test = OrderStatistics(4)
    test.feed(np.concatenate(_all_sequences(4, 5)))
    assert [finding.statistic for finding in test.findings()] == pytest.approx([0, 0, 0])


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 400), min_size=1, max_size=4),
    st.sampled_from((6, 100)),
)
def test_lags_are_counted_across_chunks(seed: int, sizes: list[int], span: int) -> None:
    """Below 65 values only by the tables of pairs, above by the draws."""
    draws = np.random.default_rng(seed).integers(0, span, sum(sizes), dtype=np.uint32)
    whole, parts = LaggedPairs(span), LaggedPairs(span)
    whole.feed(draws)
    for piece in np.split(draws, np.cumsum(sizes)[:-1]):
        parts.feed(piece)
    assert np.array_equal(whole.tables, parts.tables)
    for lag in (1, 3, 64):
        assert whole.equal_at(lag) == parts.equal_at(lag)
        assert whole.product_at(lag) == pytest.approx(parts.product_at(lag))
    if len(draws) > 3:
        assert whole.equal_at(3) == np.sum(draws[3:] == draws[:-3])
        centred = draws - (span - 1) / 2
        assert whole.product_at(3) == pytest.approx(np.sum(centred[3:] * centred[:-3]))


def test_a_repeated_stretch_is_found_in_a_file_of_any_length() -> None:
    random = np.random.default_rng(1)
    test = RepeatedStretches(256)
    stretch = random.integers(0, 256, 4000, dtype=np.uint32)
    test.feed(stretch)
    for _ in range(3):
        test.feed(random.integers(0, 256, 1_000_000, dtype=np.uint32))
    assert test.findings()[0].p == 1
    test.feed(stretch)
    p = test.findings()[0].p
    assert p is not None
    assert p < 1e-30


def test_memory_for_repeats_is_never_more_than_half_full() -> None:
    repeats = Repeats()
    random = np.random.default_rng(2)
    for _ in range(3):
        repeats.feed(random.integers(0, 1 << 32, 800_000, dtype=np.uint32), 3)
        assert np.count_nonzero(repeats._remembered) <= REMEMBERED // 2 + 1


def test_pieces_of_any_size_give_the_same_findings() -> None:
    draws = np.random.default_rng(3).integers(0, 38, 30_000, dtype=np.uint32)
    whole, again = DrawsBattery(38), DrawsBattery(38)
    whole.feed(draws)
    again.feed(draws[:25_200])  # a multiple of every group
    again.feed(draws[25_200:])
    for one, other in zip(whole.findings(), again.findings(), strict=True):
        if "duplicates" not in one.name and "birthday" not in one.name:
            assert one.p == pytest.approx(other.p), one.name


def test_a_chunk_has_complete_groups_of_two_to_ten_draws() -> None:
    assert all(CHUNK % size == 0 for size in range(2, 11))
