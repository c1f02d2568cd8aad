"""Hands as the numbers of cards of each value, and how the dealer's hand may end.

A value is an index: 0 an ace, 8 a nine, 9 any card worth ten. A hand is a row of ten counts with a
number of its own; only hands that have not gone over 21 have one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

VALUES = 10
ACE, TEN = 0, 9
NAMES = "A23456789T"
OVER = -1
_BITS = 5  # of a hand packed into one number, for each value
# How the dealer's hand may end.
ENDINGS = ("17", "18", "19", "20", "21", "22", "over 22", "Blackjack")
AT_22, OVER_22, BLACKJACK = 5, 6, 7


@dataclass(frozen=True)
class Hands:
    """Every hand of 21 or less; those with more cards come later."""

    counts: Ints
    cards: Ints
    hard: Ints
    total: Ints
    soft: Ints
    after: Ints  # the hand with one more card of each value, or OVER

    def number_of(self, *values: int) -> int:
        """The number of a hand by the values of its cards."""
        hand = 0
        for value in values:
            hand = int(self.after[hand, value])
        return hand

    def name(self, hand: int) -> str:
        """`A-4-T`."""
        return "-".join(NAMES[v] for v in range(VALUES) for _ in range(self.counts[hand, v]))


@cache
def all_hands() -> Hands:
    one_more = [1 << _BITS * value for value in range(VALUES)]
    packed, points = [0], [0]
    known = {0: 0}
    after: list[list[int]] = []
    for hand in packed:  # which grows meanwhile
        longer = []
        hard = points[len(after)]
        for value in range(min(VALUES, 21 - hard)):
            more = hand + one_more[value]
            if more not in known:
                known[more] = len(packed)
                packed.append(more)
                points.append(hard + value + 1)
            longer.append(known[more])
        after.append(longer + [OVER] * (VALUES - len(longer)))
    counts = np.array([[hand >> _BITS * v & 31 for v in range(VALUES)] for hand in packed])
    hard_totals = np.array(points)
    soft = (counts[:, ACE] > 0) & (hard_totals <= 11)
    return Hands(
        counts,
        counts.sum(axis=1),
        hard_totals,
        hard_totals + 10 * soft,
        soft.astype(np.int64),
        np.array(after),
    )


def _with(row: tuple[int, ...], value: int) -> tuple[int, ...]:
    return (*row[:value], row[value] + 1, *row[value + 1 :])


@dataclass(frozen=True)
class DealersHands:
    """The ways in which the dealer's hand may end from one first card, as a tree.

    A node takes `times` cards of one `value` after those of the last node before it that is one
    less deep; the root takes none. Where `orders` is not 0 a hand may end with these cards, in so
    many orders; `counts` are its cards. What goes over 22 is not listed: it is whatever is left.
    """

    depth: Ints
    value: Ints
    times: Ints
    orders: Floats
    ending: Ints
    cards: Ints
    counts: Ints


@cache
def dealers_hands(first: int, draws_soft_17: bool) -> DealersHands:
    hands = all_hands()
    totals, hards, softs = hands.total.tolist(), hands.hard.tolist(), hands.soft.tolist()
    counts, cards, after = hands.counts.tolist(), hands.cards.tolist(), hands.after.tolist()
    orders: dict[int, int] = {hands.number_of(first): 1}
    ways: dict[tuple[tuple[int, ...], int], int] = {}

    def end(row: tuple[int, ...], ending: int, count: int) -> None:
        ways[row, ending] = ways.get((row, ending), 0) + count

    for hand in range(len(cards)):
        count = orders.get(hand, 0)
        if not count:
            continue
        total, soft = totals[hand], softs[hand]
        row = counts[hand]
        drawn = (*row[:first], row[first] - 1, *row[first + 1 :])
        if cards[hand] > 1 and total >= 17 and not (total == 17 and soft and draws_soft_17):
            natural = total == 21 and cards[hand] == 2
            end(drawn, BLACKJACK if natural else total - 17, count)
            continue
        for value in range(VALUES):
            longer = after[hand][value]
            if longer == OVER:
                if hards[hand] + value + 1 == 22:
                    end(_with(drawn, value), AT_22, count)
            else:
                orders[longer] = orders.get(longer, 0) + count
    return _listed(ways)


def _listed(ways: dict[tuple[tuple[int, ...], int], int]) -> DealersHands:
    nodes: dict[tuple[int, ...], int] = {(0,) * VALUES: 0}
    depth, value, times = [0], [0], [0]
    for row, _ in sorted(ways):
        for deep, place in enumerate((p for p in range(VALUES) if row[p]), start=1):
            taken = (*row[: place + 1], *(0,) * (VALUES - place - 1))
            if taken not in nodes:
                nodes[taken] = len(depth)
                depth.append(deep)
                value.append(place)
                times.append(row[place])
    counts = np.array(list(nodes), dtype=np.int64)
    orders, ending = np.zeros(len(nodes)), np.zeros(len(nodes), dtype=np.int64)
    for (row, end), count in ways.items():
        orders[nodes[row]], ending[nodes[row]] = float(count), end
    return DealersHands(
        np.array(depth, dtype=np.int64),
        np.array(value, dtype=np.int64),
        np.array(times, dtype=np.int64),
        orders,
        ending,
        counts.sum(axis=1),
        counts,
    )
