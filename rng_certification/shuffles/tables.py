"""Counts over all shuffles: positions of cards, neighbours, order of pairs, and first cards."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Decks, Floats, compiled
from rng_certification.base.finding import Finding
from rng_certification.base.laws import chi_square, extreme_cell, moment_matched, normal

FIRST_TWO_CARDS = 64  # the largest pack for which every first pair has its own cell
ORDER_WORK = 500_000_000  # comparisons allowed for the order of pairs
LAGS = 16
DECK, RANKS = 52, 13  # card numbers count the ranks of one suit after the other, deck by deck


@compiled
def _count(decks: Decks, places: Counts, follows: Counts) -> None:
    size = decks.shape[1]
    for record in range(len(decks)):
        before = decks[record, size - 1]
        for i in range(size):
            card = decks[record, i]
            places[i, card] += 1
            follows[before, card] += 1
            before = card


@compiled
def _count_orders(decks: Decks, first: Counts) -> None:
    """Count how often card a is above card b."""
    size = decks.shape[1]
    for record in range(len(decks)):
        for i in range(size):
            row = first[decks[record, i]]
            for j in range(i + 1, size):
                row[decks[record, j]] += 1


@compiled
def _products(decks: Decks, lags: int, sums: Floats, squares: Floats) -> None:
    size = decks.shape[1]
    middle = (size - 1) / 2
    for record in range(len(decks)):
        for lag in range(1, lags + 1):
            product = 0.0
            for i in range(lag, size):
                product += (decks[record, i] - middle) * (decks[record, i - lag] - middle)
            sums[lag - 1] += product
            squares[lag - 1] += product * product


class Tables:
    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.places = np.zeros((cards, cards), dtype=np.int64)
        self.follows = np.zeros((cards, cards), dtype=np.int64)
        self.first = np.zeros((cards, cards), dtype=np.int64)
        self.first_two = np.zeros(cards * cards if cards <= FIRST_TWO_CARDS else 0, dtype=np.int64)
        self.lags = min(LAGS, cards - 2)
        self.sums = np.zeros(self.lags)
        self.squares = np.zeros(self.lags)
        self.shuffles = 0
        self.ordered = 0

    def feed(self, decks: Decks) -> None:
        _count(decks, self.places, self.follows)
        _products(decks, self.lags, self.sums, self.squares)
        if len(self.first_two):
            pairs = decks[:, 0].astype(np.int64) * self.cards + decks[:, 1]
            self.first_two += np.bincount(pairs, minlength=len(self.first_two))
        affordable = ORDER_WORK // (self.cards * self.cards // 2) - self.ordered
        if affordable > 0:
            _count_orders(decks[:affordable], self.first)
            self.ordered += min(len(decks), affordable)
        self.shuffles += len(decks)

    def findings(self) -> list[Finding]:
        return [
            *self._at_places("position-card", self.places),
            *self._ranks_and_suits(),
            *self._neighbours(),
            *self._pairs(),
            *self._correlations(),
        ]

    def _ranks_and_suits(self) -> list[Finding]:
        """Position x rank and position x suit, if the cards are complete decks of 52."""
        if self.cards % DECK:
            return []
        by_suit = self.places.reshape(self.cards, -1, DECK // RANKS, RANKS).sum(axis=1)
        return [
            *self._at_places("position-rank", by_suit.sum(axis=1)),
            *self._at_places("position-suit", by_suit.sum(axis=2)),
        ]

    def _at_places(self, name: str, table: Counts) -> list[Finding]:
        chance = 1 / table.shape[1]
        return [
            square_of(f"{name}/chi-square", table, self.shuffles),
            extreme_cell(f"{name}/extreme", "shuffles", table, chance, self.shuffles).of(
                self.shuffles
            ),
        ]

    def _neighbours(self) -> list[Finding]:
        """Pairs of adjacent cards, with the first following the last: a random cycle of n cards.

        Pearson's sum over the n(n-1) cells has mean n(n-2) and n^2 - 3n + 1 degrees.
        """
        n, expected = self.cards, self.shuffles / (self.cards - 1)
        others = ~np.eye(n, dtype=bool)
        pearson = float(np.sum((self.follows[others] - expected) ** 2) / expected)
        degrees = n * n - 3.0 * n + 1
        name = "adjacency"
        return [
            _square(
                f"{name}/chi-square",
                pearson * degrees / (n * (n - 2)),
                degrees,
                expected,
                self.shuffles,
            ),
            extreme_cell(
                f"{name}/extreme", "shuffles", self.follows[others], 1 / (n - 1), self.shuffles
            ).of(self.shuffles),
        ]

    def _pairs(self) -> list[Finding]:
        upper = np.triu_indices(self.cards, 1)
        found = [
            extreme_cell("pairs/which-first", "shuffles", self.first[upper], 0.5, self.ordered).of(
                self.ordered
            )
        ]
        if len(self.first_two):
            n = self.cards
            different = ~np.eye(n, dtype=bool).ravel()
            seen, chance = self.first_two[different], 1 / (n * (n - 1))
            found.append(chi_square("pairs/first-two", "shuffles", seen, chance))
            found.append(
                extreme_cell("pairs/first-two-extreme", "shuffles", seen, chance, self.shuffles)
            )
        return found

    def _correlations(self) -> list[Finding]:
        """Correlations of cards at a distance. In a fair pack they are -1/(n-1), never zero."""
        n, shuffles = self.cards, self.shuffles
        variance = (n * n - 1) / 12
        found = []
        for lag in range(1, self.lags + 1):
            mean = self.sums[lag - 1] / shuffles
            spread = np.sqrt(self.squares[lag - 1] / shuffles - mean * mean)
            z = (mean + (n - lag) * variance / (n - 1)) / max(spread, 1e-300) * np.sqrt(shuffles)
            scale = spread / np.sqrt(shuffles) / ((n - lag) * variance)
            name = f"serial-correlation/{lag}-apart"
            meaning = "correlation coefficient"
            found.append(normal(name, shuffles, "shuffles", float(z), float(scale), meaning))
        return found


def square_of(name: str, table: Counts, shuffles: int) -> Finding:
    """Position x kind of card, for k kinds of equally many cards.

    Every position has one card and every card one position, so Pearson's sum times (n-1)/n has
    (n-1)(k-1) degrees of freedom.
    """
    places, kinds = table.shape
    expected = shuffles / kinds
    pearson = float(np.sum((table - expected) ** 2) / expected)
    degrees = (places - 1.0) * (kinds - 1.0)
    return _square(name, pearson * (places - 1) / places, degrees, expected, shuffles)


def _square(name: str, statistic: float, degrees: float, expected: float, shuffles: int) -> Finding:
    if expected < 5:
        return Finding.skip(name, shuffles, "shuffles", "fewer than five expected in a cell")
    return moment_matched(name, shuffles, "shuffles", statistic, degrees, 2 * degrees, shuffles)
