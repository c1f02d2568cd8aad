"""Two machines with exactly known shuffle laws, as yardsticks for the distance to uniform.

The shelf shuffler (Diaconis, Fulman, Holmes 2013) puts each card on one of m shelves, on top of the
cards there or underneath. The chance of an order depends only on its valleys if the pack is fed
from the bottom, and only on its peaks if it is fed from the top. For the riffle (Bayer, Diaconis
1992) it depends only on its rising sequences. The distance of either machine from uniform is
therefore the distance between two laws of one small number. Counting that number in shuffles of any
machine gives a lower bound of that machine's distance.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

import numpy as np

from rng_certification.base.compiled import Counts, Floats


def shelf_order_chance(n: int, shelves: int, valleys: int) -> Fraction:
    """Return the chance of one order with this many valleys, from a shelf machine."""
    ways = sum(
        comb(n + shelves - a - 1, n) * comb(n - 1 - 2 * valleys, a - valleys)
        for a in range(valleys, min(shelves - 1, n - 1 - valleys) + 1)
    )
    return Fraction(4 ** (valleys + 1) * ways, 2 * (2 * shelves) ** n)


def riffle_order_chance(n: int, riffles: int, rising: int) -> Fraction:
    """Return the chance of one order with this many rising sequences, from riffles."""
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
    """Return the number of orders with 1, 2 .. n rising sequences."""
    counts = [1] + [0] * (n - 1)
    for size in range(2, n + 1):
        counts = [(k + 1) * counts[k] + ((size - k) * counts[k - 1] if k else 0) for k in range(n)]
    return tuple(counts)


def shelf_law(n: int, shelves: int) -> list[Fraction]:
    """Return the law of valleys after one pass over shelves.

    k passes over m shelves are equivalent to one over (2m)^k / 2.
    """
    return [
        orders * shelf_order_chance(n, shelves, v) for v, orders in enumerate(orders_by_valleys(n))
    ]


def riffle_law(n: int, riffles: int) -> list[Fraction]:
    """Return the law of rising sequences after riffles."""
    return [
        orders * riffle_order_chance(n, riffles, r + 1)
        for r, orders in enumerate(orders_by_rising(n))
    ]


def total_variation(law: list[Fraction], orders: tuple[int, ...]) -> float:
    """Return the total variation distance from uniform, over sets of orders with equal chances."""
    whole = sum(orders)
    return float(
        sum(abs(p - Fraction(number, whole)) for p, number in zip(law, orders, strict=True)) / 2
    )


def separation(law: list[Fraction], orders: tuple[int, ...]) -> float:
    """Return the separation distance: the relative deficit of the least likely order."""
    whole = factorial(_cards(orders))
    least = min(p / number * whole for p, number in zip(law, orders, strict=True) if number)
    return float(1 - least)


def _cards(orders: tuple[int, ...]) -> int:
    whole, n = sum(orders), 1
    while factorial(n) < whole:
        n += 1
    return n


def distance_seen(counts: Counts, law: Floats) -> tuple[float, float]:
    """Return the total variation between counts and the uniform law, and its mean by chance."""
    sample = int(counts.sum())
    shares = counts / sample
    seen = float(np.abs(shares - law[: len(shares)]).sum()) / 2
    by_chance = float(np.sqrt(law * (1 - law) * 2 / np.pi / sample).sum()) / 2
    return seen, by_chance
