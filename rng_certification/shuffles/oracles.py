"""Two machines whose shuffles have exact laws, as yardsticks for the distance to uniform.

The shelf shuffler (Diaconis, Fulman, Holmes 2013): each card goes to one of m shelves, on top of
what lies there or underneath. How likely an order is depends on its valleys alone where the pack
is fed from the bottom, on its peaks where it is fed from the top. The riffle (Bayer, Diaconis
1992): on its rising sequences alone. So the distance of either from uniform
is the distance between two laws of one small number, and that number, counted in shuffles of
any machine, gives a lower bound of how far that machine is.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

import numpy as np

from rng_certification.base.compiled import Counts, Floats


def shelf_order_chance(n: int, shelves: int, valleys: int) -> Fraction:
    """The chance of one order with this many valleys, from a shelf machine."""
    ways = sum(
        comb(n + shelves - a - 1, n) * comb(n - 1 - 2 * valleys, a - valleys)
        for a in range(valleys, min(shelves - 1, n - 1 - valleys) + 1)
    )
    return Fraction(4 ** (valleys + 1) * ways, 2 * (2 * shelves) ** n)


def riffle_order_chance(n: int, riffles: int, rising: int) -> Fraction:
    """The chance of one order with this many rising sequences, from riffles."""
    piles = 2**riffles
    return Fraction(comb(piles + n - rising, n), piles**n)


@lru_cache
def orders_by_valleys(n: int) -> tuple[int, ...]:
    counts = [1] + [0] * (n // 2)
    for size in range(2, n + 1):
        counts = [
            (2 * k + 2) * counts[k] + (max(size - 2 * k, 0) * counts[k - 1] if k else 0)
            for k in range(len(counts))
        ]
    return tuple(counts)


@lru_cache
def orders_by_rising(n: int) -> tuple[int, ...]:
    """How many orders have 1, 2 .. n rising sequences."""
    counts = [1] + [0] * (n - 1)
    for size in range(2, n + 1):
        counts = [(k + 1) * counts[k] + ((size - k) * counts[k - 1] if k else 0) for k in range(n)]
    return tuple(counts)


def shelf_law(n: int, shelves: int) -> list[Fraction]:
    """The law of valleys after one pass over shelves.

    k passes over m shelves are one over (2m)^k / 2.
    """
    return [
        orders * shelf_order_chance(n, shelves, v) for v, orders in enumerate(orders_by_valleys(n))
    ]


def riffle_law(n: int, riffles: int) -> list[Fraction]:
    """The law of rising sequences after riffles."""
    return [
        orders * riffle_order_chance(n, riffles, r + 1)
        for r, orders in enumerate(orders_by_rising(n))
    ]


def total_variation(law: list[Fraction], orders: tuple[int, ...]) -> float:
    """The total variation distance from uniform, over sets of orders with equal chances."""
    whole = sum(orders)
    return float(
        sum(abs(p - Fraction(number, whole)) for p, number in zip(law, orders, strict=True)) / 2
    )


def separation(law: list[Fraction], orders: tuple[int, ...]) -> float:
    """The separation distance: how much too unlikely the least likely order is."""
    whole = factorial(_cards(orders))
    least = min(p / number * whole for p, number in zip(law, orders, strict=True) if number)
    return float(1 - least)


def _cards(orders: tuple[int, ...]) -> int:
    whole, n = sum(orders), 1
    while factorial(n) < whole:
        n += 1
    return n


def distance_seen(counts: Counts, law: Floats) -> tuple[float, float]:
    """The total variation between counts and the uniform law, and what chance alone makes of it."""
    sample = int(counts.sum())
    shares = counts / sample
    seen = float(np.abs(shares - law[: len(shares)]).sum()) / 2
    by_chance = float(np.sqrt(law * (1 - law) * 2 / np.pi / sample).sum()) / 2
    return seen, by_chance
