"""Tests of groups of draws: poker hands, permutations, order statistics, interplay."""

from __future__ import annotations

from math import comb

import numpy as np

from rng_certification.base.compiled import Counts, Draws, Floats, compiled
from rng_certification.base.finding import Finding
from rng_certification.base.laws import chi_square, normal, of_many
from rng_certification.draws.cells import Cells

HAND = 5
SUITS = 8
ORDER_CELLS = 64
PLAY = 10  # numbers in one play; the first half must not predict the second


@compiled
def _count_hands(draws: Counts, size: int, suits: int, state: Counts, counts: Counts) -> None:
    """Count the different shares in hands of five. `state`: the shares in the open hand, and its
    cards."""
    for draw in draws:
        suit = draw // size
        if suit >= suits:
            continue
        state[0] |= 1 << suit
        state[1] += 1
        if state[1] == 5:
            different = 0
            while state[0]:
                state[0] &= state[0] - 1
                different += 1
            counts[different] += 1
            state[1] = 0


@compiled
def _count_values(hands: Draws, counts: Counts) -> None:
    """Count the different values in each hand of five."""
    for hand in hands:
        different = 5
        for i in range(1, 5):
            for j in range(i):
                if hand[j] == hand[i]:
                    different -= 1
                    break
        counts[different] += 1


@compiled
def _count_orders(groups: Draws, counts: Counts) -> None:
    """Return the order of five draws as a number below 120; groups with equal draws are skipped."""
    for group in range(len(groups)):
        code = 0
        tied = False
        for i in range(5):
            smaller = 0
            for j in range(i):
                smaller += groups[group, j] < groups[group, i]
                tied |= groups[group, j] == groups[group, i]
            code = code * (i + 1) + smaller
        if not tied:
            counts[code] += 1


class Poker:
    """The number of different values among five draws, and of different shares out of eight.

    Values beyond the last complete share are omitted from the hands of shares.
    """

    def __init__(self, span: int) -> None:
        self.span = span
        self.values = np.zeros(HAND + 1, dtype=np.int64)
        self.suits = min(span, SUITS)
        self.size = span // self.suits
        self.state = np.zeros(2, dtype=np.int64)
        self.counts = np.zeros(HAND + 1, dtype=np.int64)

    def feed(self, draws: Draws) -> None:
        _count_hands(draws.astype(np.int64), self.size, self.suits, self.state, self.counts)
        _count_values(draws[: len(draws) // HAND * HAND].reshape(-1, HAND), self.values)

    def findings(self) -> list[Finding]:
        return [
            self._finding("poker/values", self.values, self.span),
            self._finding("poker/shares", self.counts, self.suits),
        ]

    def _finding(self, name: str, counts: Counts, values: int) -> Finding:
        most = min(values, HAND)
        chances = [chance_of_different(different, values) for different in range(1, most + 1)]
        return chi_square(name, "hands", counts[1 : most + 1], chances)


def chance_of_different(different: int, values: int) -> float:
    """Return the chance that five draws have exactly `different` of these values."""
    onto = sum((-1) ** (different - k) * comb(different, k) * k**HAND for k in range(different + 1))
    return float(comb(values, different) * onto / values**HAND)


class Permutations:
    """The 120 orders of five draws, equally likely if no two are equal."""

    def __init__(self, span: int) -> None:
        self.counts = np.zeros(120, dtype=np.int64)

    def feed(self, draws: Draws) -> None:
        _count_orders(draws[: len(draws) // HAND * HAND].reshape(-1, HAND), self.counts)

    def findings(self) -> list[Finding]:
        name = "permutation"
        if self.counts.sum() < 120 * 8:
            return [Finding.skip(name, int(self.counts.sum()), "groups", "too few without ties")]
        return [chi_square(name, "groups", self.counts, 1 / 120)]


class OrderStatistics:
    """The largest, the middle and the smallest of five draws."""

    def __init__(self, span: int) -> None:
        self.cells = Cells.at_most(span, ORDER_CELLS)
        self.counts = np.zeros((HAND, self.cells.number), dtype=np.int64)

    def feed(self, draws: Draws) -> None:
        groups = np.sort(draws[: len(draws) // HAND * HAND].reshape(-1, HAND), axis=1)
        for place in (0, 2, 4):
            cells = self.cells.of(groups[:, place])
            self.counts[place] += np.bincount(cells, minlength=self.cells.number)

    def findings(self) -> list[Finding]:
        share = np.minimum(np.cumsum(self.cells.chances), 1.0)
        found = []
        for place, name in ((0, "smallest"), (2, "middle"), (4, "largest")):
            # at least place + 1 of the five draws are within the first cells
            within: Floats = sum(
                (comb(HAND, k) * share**k * (1 - share) ** (HAND - k))
                for k in range(place + 1, HAND + 1)
            ) + np.zeros_like(share)
            chances = np.maximum(np.diff(within, prepend=0.0), 0.0)
            name = f"order-statistic/{name}"
            found.append(chi_square(name, "groups", self.counts[place], chances))
        return found


class Interplay:
    """Correlation within plays of ten numbers: first half with second, and place with place."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.products = np.zeros((PLAY, PLAY))
        self.plays = 0

    def feed(self, draws: Draws) -> None:
        plays = draws[: len(draws) // PLAY * PLAY].reshape(-1, PLAY) - (self.span - 1) / 2
        self.products += plays.T @ plays
        self.plays += len(plays)

    def findings(self) -> list[Finding]:
        if self.plays < 100:
            return [Finding.skip("interplay", self.plays, "plays", "fewer than 100 plays")]
        z = self.products / ((self.span**2 - 1) / 12 * np.sqrt(self.plays))
        half = PLAY // 2
        halves = float(z[:half, half:].sum()) / half
        scale, meaning = self.plays**-0.5, "correlation coefficient"
        pairs = z[np.triu_indices(PLAY, 1)]
        worst = float(pairs[np.argmax(np.abs(pairs))])
        extreme = normal("interplay/extreme-pair", self.plays, "plays", worst, scale, meaning)
        assert extreme.p is not None
        return [
            normal("interplay/halves", self.plays, "plays", halves, scale, meaning),
            Finding(
                extreme.name,
                self.plays,
                "plays",
                of_many(extreme.p, len(pairs)),
                worst,
                power=extreme.power,
            ),
        ]
