"""Late echoes, low bits, collisions, weights and successive packs, against plain counting."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from rng_certification.base.correlogram import Correlogram
from rng_certification.bits.far_lags import FarBitLags
from rng_certification.bits.weights import WeightGroups
from rng_certification.draws.collisions import BirthdaySquare, CollisionsOver
from rng_certification.draws.far_lags import FarLags
from rng_certification.draws.groups import Poker
from rng_certification.draws.planes import DrawPlanes
from rng_certification.draws.sequences import Coupons, collector_law
from rng_certification.draws.subsequences import Subsequences
from rng_certification.planted import bits, draws, hidden, shuffles
from rng_certification.shuffles.moves import CardMoves
from rng_certification.shuffles.tables import Tables


@pytest.mark.parametrize("cuts", [[], [100], [64, 128, 192], [7, 8, 150, 151]])
@pytest.mark.parametrize("turn", [1.0, 1j])
def test_products_at_every_lag_equal_plain_sums(cuts: list[int], turn: complex) -> None:
    random = np.random.default_rng(1)
    series = random.integers(-3, 4, 200) + turn * random.integers(-3, 4, 200)
    if turn == 1.0:
        series = series.real
    correlogram = Correlogram(200, longest=90)
    for piece in np.split(series, cuts):
        correlogram.feed(piece)
    plain = [np.sum(series[lag:] * np.conj(series[: 200 - lag])) for lag in range(91)]
    assert np.allclose(correlogram.products(), plain)


def test_lags_reach_half_of_a_short_sample() -> None:
    correlogram = Correlogram(1000)
    correlogram.feed(np.ones(50))
    assert list(np.round(correlogram.products())) == [50 - lag for lag in range(26)]


def test_an_echo_of_bits_is_named_by_its_lag() -> None:
    test = FarBitLags()
    test.feed(hidden.echoing_bits(np.random.default_rng(2), 200_000, lag=4321, share=0.03))
    (found,) = test.findings()
    assert found.statistic == 4321
    assert found.p is not None
    assert found.p < 1e-20


@pytest.mark.parametrize("span", [2, 3, 38, 3750, 1 << 32])
def test_the_largest_correlation_of_good_draws_keeps_its_alpha(span: int) -> None:
    """Its p-values come from the far tail of a normal law: with a wrong law many would be tiny."""
    random = np.random.default_rng(3)
    found: list[float] = []
    for _ in range(60):
        test = FarLags(span, 4000)
        test.feed(draws.good(random, 4000, span))
        found += [finding.p or 0.0 for finding in test.findings()]
    assert min(found) > 1e-4
    assert np.mean(np.array(found) < 0.1) == pytest.approx(0.1, abs=0.1)


def test_collisions_follow_their_law_also_for_runs_of_equal_groups() -> None:
    """With eight values, every eighth pair of equal groups is followed by another equal pair."""
    random = np.random.default_rng(4)
    seen, means = [], []
    for _ in range(40):
        test = CollisionsOver(8)
        test.feed(draws.good(random, 100_000, 8))
        seen.append(int(test.equal[0]))
        means.append(float(test.means[0]))
    mean = means[0]
    assert np.mean(seen) == pytest.approx(mean, abs=4 * np.sqrt(mean / 40))
    assert np.var(seen) == pytest.approx(mean, rel=0.75)


def test_collisions_equal_a_count_by_hand() -> None:
    """Groups of two draws of 32,768 cells: (5, 6) occurs three times, each after another draw."""
    test = CollisionsOver(1 << 15)
    stream = np.arange(1000, 1200, dtype=np.uint32)
    for place in (20, 90, 150):
        stream[place : place + 2] = (5, 6)
    test.feed(stream)
    assert list(test.equal[:1]) == [3]


@pytest.mark.parametrize("values", [2, 3, 4])
def test_collector_chances_of_all_values_equal_enumeration(values: int) -> None:
    """All sequences of some draws: the draw at which the last value occurred for the first time."""
    sequences = np.array(list(product(range(values), repeat=values + 2)))
    length = sequences.shape[1]
    counts = np.zeros(length + 1)
    for row in sequences:
        first = [
            int(np.argmax(row == value)) if value in row else length for value in range(values)
        ]
        counts[max(first)] += 1
    law = collector_law(values, length + 1)
    assert list(law[:length]) == pytest.approx(list(counts[:length] / len(sequences)))


def test_collections_continue_from_one_piece_to_the_next() -> None:
    stream = draws.good(np.random.default_rng(9), 50_000, 38)
    whole, parts = Coupons(38), Coupons(38)
    whole.feed(stream)
    for piece in np.split(stream, [10, 200, 30_000]):
        parts.feed(piece)
    assert whole.collections.sum() > 200
    assert np.array_equal(whole.collections, parts.collections)


def test_hands_of_values_that_never_repeat_are_found() -> None:
    """Five cards of a deck without replacement: every hand has five different values."""
    test = Poker(52)
    test.feed(shuffles.good(np.random.default_rng(10), 4000, 52)[:, :5].ravel().astype(np.uint32))
    by_name = {finding.name: finding.p for finding in test.findings()}
    assert (by_name["poker/values"] or 0) < 1e-20


def test_pairs_are_no_birthdays_in_a_range_with_uneven_cells() -> None:
    assert BirthdaySquare(3 << 23).cells is None
    assert BirthdaySquare(1 << 24).cells is not None


@pytest.mark.parametrize(("span", "planes"), [(37, 0), (38, 2), (52, 4), (256, 8)])
def test_the_number_of_planes_is_the_number_of_twos_that_divide_the_range(
    span: int, planes: int
) -> None:
    test = DrawPlanes(span)
    test.feed(draws.good(np.random.default_rng(5), 2000, span))
    assert len(test.findings()) == bool(planes)
    if planes:
        words, number = test._words()
        assert number == planes
        assert not np.any(words & np.uint64((1 << (64 - planes)) - 1))


def test_every_value_of_a_byte_is_tested_at_every_place() -> None:
    """One value of 256 at one place of 64, three times as often as expected."""
    random = np.random.default_rng(6)
    stream = draws.good(random, 640_000, 256)
    places = stream[17::64]
    places[random.random(len(places)) < 2 / 256] = 200
    test = Subsequences(256)
    test.feed(stream)
    found = {finding.name: finding.p for finding in test.findings()}
    assert (found["subsequences/every-64/extreme-value"] or 0) < 1e-4
    assert (found["subsequences/every-64/extreme"] or 0) > 1e-4


@pytest.mark.parametrize("size", [16, 32, 64])
def test_chances_of_weight_classes_equal_counting(size: int) -> None:
    groups = WeightGroups(size)
    ones = np.unpackbits(bits.good(np.random.default_rng(7), 500_000)).reshape(-1, size)
    weights = ones.sum(axis=1)
    share = float(np.mean(weights <= groups.low))
    assert share == pytest.approx(float(groups.chances[0]), abs=0.01)
    assert float(np.mean(weights >= groups.high)) == pytest.approx(share, abs=0.01)


def test_a_table_of_ranks_keeps_its_alpha() -> None:
    random = np.random.default_rng(8)
    found = []
    for _ in range(200):
        tables = Tables(52)
        tables.feed(shuffles.good(random, 200, 52))
        by_name = {finding.name: finding.p for finding in tables._ranks_and_suits()}
        found += [by_name["position-rank/chi-square"], by_name["position-suit/chi-square"]]
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.03)


def test_ranks_follow_from_the_numbers_of_the_cards() -> None:
    """Card 13 of a deck is an ace again; a pack of 312 has six decks, one after the other."""
    tables = Tables(312)
    deck = np.arange(312, dtype=np.uint16)
    tables.feed(np.tile(deck, (60, 1)))
    by_suit = tables.places.reshape(312, -1, 4, 13).sum(axis=1)
    assert by_suit.sum(axis=1)[[0, 13, 26, 52, 299], 0].tolist() == [60] * 5
    assert by_suit.sum(axis=2)[[0, 13, 51, 52], [0, 1, 3, 0]].tolist() == [60] * 4


def test_unseparated_neighbours_are_counted_by_both_places() -> None:
    """Cards 2 and 3 of five are first and second now; no other pair stays together."""
    moves = CardMoves(5)
    moves.feed(np.array([[2, 3, 0, 4, 1]], dtype=np.uint16))
    assert moves.kept.tolist() == [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0]]
    assert [int(moves.places[place, before]) for place, before in pairwise((0, 2))] == [1]
