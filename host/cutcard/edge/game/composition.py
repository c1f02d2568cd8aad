"""Hands as the numbers of cards of each value, and the possible endings of the dealer's hand.

A value is an index: 0 an ace, 8 a nine, 9 any card worth ten. A hand is a row of ten counts with
its own number; only hands that have not gone over 21 have one.
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
# The endings of the dealer's hand.
ENDINGS = ("17", "18", "19", "20", "21", "22", "over 22", "Blackjack")
AT_22, OVER_22, BLACKJACK = 5, 6, 7


@dataclass(frozen=True)
class HandTable:
    """Every hand of 21 or less, in the order of the number of cards."""

    counts: Ints
    cards: Ints
    hard: Ints
    total: Ints
    soft: Ints
    after: Ints  # the hand with one more card of each value, or OVER

    def number_of(self, *values: int) -> int:
        """Return the number of a hand by the values of its cards."""
        hand = 0
        for value in values:
            hand = int(self.after[hand, value])
        return hand

    def name(self, hand: int) -> str:
        """Return the name of a hand: `A-4-T`."""
        return "-".join(NAMES[v] for v in range(VALUES) for _ in range(self.counts[hand, v]))


@cache
def all_hands() -> HandTable:
    one_more = [1 << _BITS * value for value in range(VALUES)]
    packed, points = [0], [0]
    known = {0: 0}
    after: list[list[int]] = []
    for hand in packed:  # it grows in the loop
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
    return HandTable(
        counts,
        counts.sum(axis=1),
        hard_totals,
        hard_totals + 10 * soft,
        soft.astype(np.int64),
        np.array(after),
    )


@dataclass(frozen=True)
class DealersHands:
    """The possible endings of the dealer's hand from one first card, as a tree.

    A node takes `times` cards of one `value` after the cards of the last node before it with a
    depth less by one; the root takes none. If `orders` is not 0, a hand may end with these cards,
    in this many orders; `counts` are its cards. Hands over 22 are not listed: they are the
    remainder.
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
    orders = np.zeros(len(hands.cards))
    orders[hands.number_of(first)] = 1.0
    ended = (hands.cards > 1) & (hands.total >= 17)
    if draws_soft_17:
        ended &= (hands.total != 17) | (hands.soft == 0)
    values = np.arange(VALUES)
    rows, endings, ways = [], [], []
    for cards in range(1, int(hands.cards.max()) + 1):
        dealt = np.flatnonzero((hands.cards == cards) & (orders > 0))
        drawing = dealt[~ended[dealt]]
        at = dealt[ended[dealt]]
        rows.append(hands.counts[at])
        natural = (hands.total[at] == 21) & (cards == 2)
        endings.append(np.where(natural, BLACKJACK, hands.total[at] - 17))
        ways.append(orders[at])
        longer = hands.after[drawing]
        there, _ = np.nonzero(longer != OVER)
        np.add.at(orders, longer[longer != OVER], orders[drawing[there]])
        over, last = np.nonzero(hands.hard[drawing, None] + values + 1 == 22)
        rows.append(hands.counts[drawing[over]] + (values == last[:, None]))
        endings.append(np.full(len(over), AT_22))
        ways.append(orders[drawing[over]])
    drawn = np.concatenate(rows)
    drawn[:, first] -= 1
    return _listed(drawn, np.concatenate(endings), np.concatenate(ways))


def _listed(drawn: Ints, ending: Ints, ways: Floats) -> DealersHands:
    """Return hands with their endings and numbers of orders as a tree, including their prefixes.

    No two endings have the same cards. In the order of their cards, the prefixes of a hand come
    before it, with only other hands of the same prefix between.
    """
    packed = drawn << _BITS * np.arange(VALUES)[::-1]
    begun = np.cumsum(packed, axis=1)
    nodes = np.unique(np.append(begun, 0))
    counts = nodes[:, None] >> _BITS * np.arange(VALUES)[::-1] & 31
    last = VALUES - 1 - np.argmax(counts[:, ::-1] > 0, axis=1)
    last[0] = 0
    place = np.searchsorted(nodes, begun[:, -1])
    orders, endings = np.zeros(len(nodes)), np.zeros(len(nodes), dtype=np.int64)
    np.add.at(orders, place, ways)
    endings[place] = ending
    return DealersHands(
        (counts > 0).sum(axis=1),
        last,
        np.take_along_axis(counts, last[:, None], axis=1)[:, 0],
        orders,
        endings,
        counts.sum(axis=1),
        counts,
    )
