"""The exact laws of statistics of a uniformly random permutation of n cards.

Each law is a recursion that adds one card at a time, so that no large factorial appears.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from rng_certification.base.compiled import Floats


@lru_cache
def descents(n: int) -> Floats:
    """The law of the number of descents (Euler's numbers).

    Rising sequences are the inverse's descents plus one.
    """
    law = np.zeros(n)
    law[0] = 1.0
    for size in range(2, n + 1):
        k = np.arange(n)
        law = ((k + 1) * law + (size - k) * _shifted(law)) / size
    return law


@lru_cache
def valleys(n: int) -> Floats:
    """The law of cards lower than both neighbours; the same for peaks, read upside down."""
    law = np.zeros(n // 2 + 1)
    law[0] = 1.0
    for size in range(2, n + 1):
        k = np.arange(len(law))
        law = np.maximum((2 * k + 2) * law + (size - 2 * k) * _shifted(law), 0.0) / size
    return law


@lru_cache
def cycles(n: int) -> Floats:
    """The law of the number of cycles (Stirling's numbers).

    Right guesses with complete feedback have the same law.
    """
    law = np.zeros(n + 1)
    law[0] = 1.0
    for size in range(1, n + 1):
        law = ((size - 1) * law + _shifted(law)) / size
    return law


@lru_cache
def fixed_points(n: int, most: int = 12) -> Floats:
    """The law of 0, 1 .. and `most` or more cards at the position of their own number."""
    deranged = np.zeros(n + 1)  # the share of permutations without a fixed point
    deranged[0] = 1.0
    for size in range(1, n + 1):
        deranged[size] = deranged[size - 1] + (-1.0) ** size / _factorial(size)
    law = [deranged[n - k] / _factorial(k) for k in range(min(most, n))]
    return np.array([*law, max(0.0, 1 - sum(law))])


@lru_cache
def successions(n: int, most: int = 12) -> Floats:
    """The law of 0, 1 .. and `most` or more cards directly on top of the next higher card."""

    def without(size: int) -> float:
        """The share of permutations of `size` without successions: (D(m) + D(m-1)) / m!."""
        series = [(-1.0) ** k / _factorial(k) for k in range(size + 1)]
        return sum(series) + sum(series[:-1]) / size

    law = [(n - k) / n * without(n - k) / _factorial(k) for k in range(min(most, n - 1))]
    return np.array([*law, max(0.0, 1 - sum(law))])


@lru_cache
def colour_changes(n: int, red: int) -> Floats:
    """The law of the number of red cards next to black ones, with this many red cards among n."""
    black = n - red
    whole = comb(n, red)
    law = np.zeros(n)
    for runs in range(2, n + 1):
        half, odd = divmod(runs, 2)
        if odd:
            ways = comb(red - 1, half) * comb(black - 1, half - 1)
            ways += comb(red - 1, half - 1) * comb(black - 1, half)
        else:
            ways = 2 * comb(red - 1, half - 1) * comb(black - 1, half - 1)
        law[runs - 1] = ways / whole
    return law


@lru_cache
def smallest_of(n: int, hand: int) -> Floats:
    """The law of the lowest of this many cards."""
    at_least = [comb(n - card, hand) / comb(n, hand) for card in range(n + 1)]
    return -np.diff(np.array(at_least))


def _shifted(law: Floats) -> Floats:
    return np.concatenate(([0.0], law[:-1]))


def _factorial(n: int) -> float:
    return float(np.prod(np.arange(1, n + 1, dtype=np.float64))) if n < 171 else float("inf")
