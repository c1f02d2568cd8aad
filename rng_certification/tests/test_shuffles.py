"""Figures of orders against plain definitions, and the laws of tables of many shuffles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rng_certification.base.compiled import Counts, Decks
from rng_certification.base.reading import first_invalid_permutation
from rng_certification.planted import shuffles as machines
from rng_certification.shuffles import exact_laws, figures, oracles
from rng_certification.shuffles.shuffles_battery import ShufflesBattery, aligned
from rng_certification.shuffles.tables import Tables


def _figure(decks: Decks, name: str) -> Counts:
    column: Counts = figures.figures_of(decks)[:, figures.NAMES.index(name)]
    return column


@settings(max_examples=50, deadline=None)
@given(st.permutations(range(12)))
def test_figures_of_an_order_follow_their_definitions(order: list[int]) -> None:
    deck = np.array([order], dtype=np.uint16)
    place = [order.index(card) for card in range(12)]
    pairs = list(pairwise(order))
    triples = list(zip(order, order[1:], order[2:], strict=False))
    found = dict(zip(figures.NAMES, figures.figures_of(deck)[0].tolist(), strict=True))
    assert found["descents"] == sum(a > b for a, b in pairs)
    assert found["rising-sequences"] == 1 + sum(place[c] > place[c + 1] for c in range(11))
    assert found["valleys"] == sum(a > b < c for a, b, c in triples)
    assert found["peaks"] == sum(a < b > c for a, b, c in triples)
    assert found["fixed-points"] == sum(card == i for i, card in enumerate(order))
    assert found["successions"] == sum(b == a + 1 for a, b in pairs)
    assert found["reversed-successions"] == sum(b == a - 1 for a, b in pairs)
    assert found["colour-changes"] == sum((a < 6) != (b < 6) for a, b in pairs)
    assert found["parity-changes"] == sum(a % 2 != b % 2 for a, b in pairs)
    inversions = sum(order[i] > order[j] for i in range(12) for j in range(i + 1, 12))
    assert found["odd"] == inversions % 2


@pytest.mark.parametrize(
    ("shelves", "mean"), [(1, 39.0), (2, 27.0), (4, 17.6), (10, 9.3), (64, 4.7)]
)
def test_right_guesses_after_one_pass_over_shelves_have_the_published_mean(
    shelves: int, mean: float
) -> None:
    decks = machines.shelves(np.random.default_rng(shelves), 20_000, 52, shelves)
    assert float(_figure(decks, "guesses").mean()) == pytest.approx(mean, abs=0.1)


def test_colour_changes_after_ten_shelves_have_the_published_mean() -> None:
    changes = _figure(machines.shelves(np.random.default_rng(1), 20_000, 52, 10), "colour-changes")
    assert float(changes.mean()) == pytest.approx(17, abs=0.5)
    assert float(changes.std()) == pytest.approx(1.83, abs=0.03)


@pytest.mark.parametrize("shelves", [10, 20, 38, 100])
def test_simulated_shelves_fed_from_the_top_follow_the_exact_law_by_peaks(shelves: int) -> None:
    decks = machines.shelves(np.random.default_rng(2), 20_000, 52, shelves)
    law = np.array([float(p) for p in oracles.shelf_law(52, shelves)])
    counts = np.bincount(_figure(decks, "peaks"), minlength=len(law))
    seen, by_chance = oracles.distance_seen(counts, law)
    assert seen < 2.5 * by_chance


@pytest.mark.parametrize("riffles", [4, 6, 8])
def test_simulated_riffles_follow_the_exact_law_of_rising_sequences(riffles: int) -> None:
    decks = machines.riffles(np.random.default_rng(3), 20_000, 52, riffles)
    law = np.array([0.0] + [float(p) for p in oracles.riffle_law(52, riffles)])
    counts = np.bincount(_figure(decks, "rising-sequences"), minlength=len(law))
    seen, by_chance = oracles.distance_seen(counts, law)
    assert seen < 2.5 * by_chance


def test_distance_to_uniform_of_a_machine_equals_the_oracles() -> None:
    battery = ShufflesBattery(52)
    battery.feed(machines.shelves(np.random.default_rng(4), 20_000, 52, 30))
    assert battery.distances()["peaks"]["seen"] == pytest.approx(0.391, abs=0.01)


def test_position_card_table_keeps_its_alpha() -> None:
    """Without the correction, Pearson's sum would alarm four times as often at one percent."""
    random = np.random.default_rng(5)
    p, follow = [], []
    for _ in range(600):
        tables = Tables(13)
        tables.feed(machines.good(random, 400, 13))
        p.append(tables._at_places("position-card", tables.places)[0].p or 0.0)
        follow.append(tables._neighbours()[0].p or 0.0)
    for found in (p, follow):
        assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.03)


def test_composition_gives_the_earlier_positions_of_cards() -> None:
    earlier = np.array([[2, 0, 1, 3]], dtype=np.uint16)
    later = np.array([[0, 1, 3, 2]], dtype=np.uint16)
    assert figures.compose(earlier, later).tolist() == [[1, 2, 3, 0]]


def test_successive_shuffles_are_compared_across_pieces() -> None:
    decks = machines.good(np.random.default_rng(6), 500, 20)
    whole, parts = ShufflesBattery(20), ShufflesBattery(20)
    whole.feed(decks)
    for piece in np.split(decks, [1, 2, 5, 250]):
        parts.feed(piece)
    for lag in whole.moves:
        one, other = whole.moves[lag], parts.moves[lag]
        assert one.orders == other.orders == 500 - lag
        assert all(np.array_equal(one.counts[name], other.counts[name]) for name in one.counts)


def test_repeated_orders_of_small_packs_are_accepted() -> None:
    battery = ShufflesBattery(6)
    battery.feed(machines.good(np.random.default_rng(7), 5_000, 6))
    duplicates = next(f for f in battery.findings() if f.name == "duplicates")
    assert duplicates.statistic is not None
    assert duplicates.statistic > 4_000
    assert duplicates.p == pytest.approx(1)


def test_counts_beyond_a_law_are_added_to_its_last_cell() -> None:
    law = exact_laws.fixed_points(20)
    counts = np.zeros(22, dtype=np.int64)
    counts[[0, 12, 15, 20]] = 1
    together, _ = aligned(counts, law)
    assert together[-1] == 3
    assert together.sum() == 4


@pytest.mark.parametrize(
    ("record", "bad"), [([0, 1, 2, 2], 1), ([0, 1, 2, 4], 1), ([3, 2, 1, 0], -1)]
)
def test_a_record_that_is_not_a_permutation_is_found(record: list[int], bad: int) -> None:
    decks = np.array([[0, 1, 2, 3], record], dtype=np.uint16)
    assert first_invalid_permutation(decks) == bad
