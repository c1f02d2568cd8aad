"""The laws of random permutations and of two machines against printed tables and enumeration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, permutations

import numpy as np
import pytest

from rng_certification.base.compiled import Floats
from rng_certification.shuffles import exact_laws, oracles

SHELVES = (10, 15, 20, 25, 30, 35, 50, 100, 150, 200, 250, 300)
TOTAL_VARIATION = (1.0, 0.943, 0.720, 0.544, 0.391, 0.299, 0.159, 0.041, 0.018, 0.010, 0.007, 0.005)
SEPARATION = (1.0, 1.0, 1.0, 1.0, 1.0, 0.996, 0.910, 0.431, 0.219, 0.130, 0.085, 0.060)
RIFFLES = (1.0, 1.0, 1.0, 1.0, 0.924, 0.614, 0.334, 0.167, 0.085, 0.043)


@pytest.mark.parametrize(
    ("shelves", "distance", "least"), [*zip(SHELVES, TOTAL_VARIATION, SEPARATION, strict=True)]
)
def test_shelf_shuffler_of_52_cards(shelves: int, distance: float, least: float) -> None:
    law, orders = oracles.shelf_law(52, shelves), oracles.orders_by_valleys(52)
    assert oracles.total_variation(law, orders) == pytest.approx(distance, abs=5.1e-4)
    assert oracles.separation(law, orders) == pytest.approx(least, abs=5.1e-4)
    assert sum(law) == 1


@pytest.mark.parametrize(("riffles", "distance"), [*enumerate(RIFFLES, 1)])
def test_riffles_of_52_cards(riffles: int, distance: float) -> None:
    law, orders = oracles.riffle_law(52, riffles), oracles.orders_by_rising(52)
    assert oracles.total_variation(law, orders) == pytest.approx(distance, abs=5.1e-4)
    assert sum(law) == 1


def test_two_passes_over_ten_shelves_are_one_over_two_hundred() -> None:
    law, orders = oracles.shelf_law(52, 20**2 // 2), oracles.orders_by_valleys(52)
    assert oracles.total_variation(law, orders) == pytest.approx(0.010, abs=5e-4)


def _descents(order: tuple[int, ...]) -> int:
    return sum(a > b for a, b in pairwise(order))


def _valleys(order: tuple[int, ...]) -> int:
    return sum(a > b < c for a, b, c in zip(order, order[1:], order[2:], strict=False))


def _cycles(order: tuple[int, ...]) -> int:
    left, count = set(order), 0
    while left:
        card = left.pop()
        count += 1
        while (card := order[card]) in left:
            left.remove(card)
    return count


def _fixed(order: tuple[int, ...]) -> int:
    return sum(card == place for place, card in enumerate(order))


def _successions(order: tuple[int, ...]) -> int:
    return sum(b == a + 1 for a, b in pairwise(order))


def _colour_changes(order: tuple[int, ...]) -> int:
    return sum((a < 3) != (b < 3) for a, b in pairwise(order))


@pytest.mark.parametrize(
    ("law", "statistic"),
    [
        (exact_laws.descents(7), _descents),
        (exact_laws.valleys(7), _valleys),
        (exact_laws.cycles(7), _cycles),
        (exact_laws.fixed_points(7), _fixed),
        (exact_laws.successions(7), _successions),
        (exact_laws.colour_changes(7, 3), _colour_changes),
        (exact_laws.smallest_of(7, 3), lambda order: min(order[:3])),
    ],
)
def test_law_equals_enumeration_of_seven_cards(
    law: Floats, statistic: Callable[[tuple[int, ...]], int]
) -> None:
    counts = np.bincount([statistic(order) for order in permutations(range(7))], minlength=len(law))
    assert list(counts / 5040) == pytest.approx(list(law), abs=1e-12)


def test_guesses_and_colours_of_a_uniform_deck_have_the_known_means() -> None:
    guesses, changes = exact_laws.cycles(52), exact_laws.colour_changes(52, 26)
    k = np.arange(53)
    mean = float(np.sum(k * guesses))
    assert mean == pytest.approx(4.538, abs=5e-4)
    assert float(np.sum((k - mean) ** 2 * guesses)) == pytest.approx(2.912, abs=1e-3)
    k = np.arange(52)
    mean = float(np.sum(k * changes))
    assert mean == pytest.approx(26)
    assert float(np.sum((k - mean) ** 2 * changes)) ** 0.5 == pytest.approx(3.6, abs=0.05)


@pytest.mark.parametrize("cards", [52, 104, 312, 416])
def test_laws_of_large_packs_sum_to_one(cards: int) -> None:
    for law in (
        exact_laws.descents(cards),
        exact_laws.valleys(cards),
        exact_laws.cycles(cards),
        exact_laws.fixed_points(cards),
        exact_laws.successions(cards),
        exact_laws.colour_changes(cards, cards // 2),
    ):
        assert float(law.sum()) == pytest.approx(1, abs=1e-9)
