"""Cards that a third may complete to a bonus hand: the probability of each suit, and the payment.

Pontoon pays 6-7-8 and 7-7-7 by suit. The player sees whether two such cards are of one suit before
drawing; with the third card the hand has 21 and is paid. So only hands of two cards are
distinguished by suit: in each of four suits, or mixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from cutcard.edge.game.composition import Floats, Ints, all_hands
from cutcard.edge.money_rules import MoneyRules

SIX, SEVEN, EIGHT = 5, 6, 7
SPADES, HEARTS, MIXED = 3, 2, 4
# The values of the two cards, and of the third that makes 21.
PAIRS = ((SIX, SEVEN, EIGHT), (SIX, EIGHT, SEVEN), (SEVEN, EIGHT, SIX), (SEVEN, SEVEN, SEVEN))
SUIT_NAMES = {SPADES: "spades", MIXED: "mixed"}  # any other suit is "suited"


@dataclass(frozen=True)
class SuitLaw:
    """For each of the hands above: the probability of each suit, and mean and square of the payment
    of 21."""

    chance: Floats
    odds: Floats


@dataclass(frozen=True)
class Suits:
    """The hands distinguished by suit, and their laws against one card of the dealer.

    `split` has the law of hands after a split, by the suits of the split cards: for sevens by each
    of the four suits and mixed, for everything else under MIXED.
    """

    hands: Ints
    third: Ints
    first: SuitLaw
    split: dict[tuple[int, int], SuitLaw]


NONE = Suits(
    np.zeros(0, dtype=np.int64),
    np.zeros(0, dtype=np.int64),
    SuitLaw(np.zeros((0, 5)), np.zeros((0, 5, 2))),
    {},
)


def suits_against(rules: MoneyRules, up: int, up_suit: int | None) -> Suits:
    if not rules.suits_matter:
        return NONE
    hands = all_hands()
    left = np.full((10, 4), rules.decks, dtype=np.float64)
    if up_suit is not None:
        left[up, up_suit] -= 1
    return Suits(
        np.array([hands.number_of(a, b) for a, b, _ in PAIRS], dtype=np.int64),
        np.array([c for *_, c in PAIRS], dtype=np.int64),
        _first(rules, left, up),
        {
            (start, suit): _split(rules, left, start, suit)
            for start in (SIX, SEVEN, EIGHT)
            for suit in (range(5) if start == SEVEN else (MIXED,))
        },
    )


def _first(rules: MoneyRules, left: Floats, up: int) -> SuitLaw:
    chance, odds = np.zeros((4, 5)), np.zeros((4, 5, 2))
    for which, (a, b, c) in enumerate(PAIRS):
        for suit in range(4):
            rest = left.copy()
            one = _take(rest, a, suit)
            chance[which, suit] = one * _take(rest, b, suit)
            extra = rules.super_bonus if (a, b, up) == (SEVEN, SEVEN, SEVEN) else 0
            suited = _share(rest, c, suit)
            odds[which, suit] = _odds(rules, c == SEVEN and a == SEVEN, suit, suited, float(extra))
        chance[which, MIXED] = 1 - chance[which, :4].sum()
        odds[which, MIXED] = _odds(rules, a == b, MIXED, 0.0, 0.0)
    return SuitLaw(chance, odds)


def _split(rules: MoneyRules, left: Floats, start: int, pair: int) -> SuitLaw:
    """Return the law of a hand that begins with a split card, over all the hands of the split.

    The two cards are of one suit (`pair`), or, under MIXED, of two; for sixes and eights suits do
    not matter, and MIXED is any two. No Super Bonus follows a split.
    """
    chance, odds = np.zeros((4, 5)), np.zeros((4, 5, 2))
    own = _suits_of_pair(left, start, pair)
    for which, (a, b, c) in enumerate(PAIRS):
        if start not in (a, b):
            continue
        second = b if a == start else a
        for suit in range(4):
            won = 0.0
            for (mine, other), weight in own.items():
                if mine != suit:
                    continue
                rest = left.copy()
                rest[start, mine] -= 1
                rest[start, other] -= 1
                both = weight * _take(rest, second, suit)
                chance[which, suit] += both
                won += both * _share(rest, c, suit)
            suited = won / chance[which, suit] if chance[which, suit] else 0.0
            odds[which, suit] = _odds(rules, a == b, suit, suited, 0.0)
        chance[which, MIXED] = 1 - chance[which, :4].sum()
        odds[which, MIXED] = _odds(rules, a == b, MIXED, 0.0, 0.0)
    return SuitLaw(chance, odds)


def _suits_of_pair(left: Floats, start: int, pair: int) -> dict[tuple[int, int], float]:
    """Return the suits of one of two split cards and of the other, given the known suits."""
    law: dict[tuple[int, int], float] = {}
    for mine, other in product(range(4), repeat=2):
        if start == SEVEN and (mine == other) != (pair != MIXED):
            continue
        if start == SEVEN and pair not in (MIXED, mine):
            continue
        rest = left.copy()
        law[mine, other] = _take(rest, start, mine) * _take(rest, start, other)
    whole = sum(law.values())
    return {suits: chance / whole for suits, chance in law.items()}


def _share(left: Floats, value: int, suit: int) -> float:
    return float(max(left[value, suit], 0.0) / left[value].sum())


def _take(left: Floats, value: int, suit: int) -> float:
    """Return the probability of this suit among the cards of a value, and remove the card."""
    share = _share(left, value, suit)
    left[value, suit] -= 1
    return share


def _odds(
    rules: MoneyRules, sevens: bool, suit: int, suited: float, extra: float
) -> tuple[float, float]:
    """Return mean and mean square of the payment for the third card: all of one suit, or mixed."""
    paid = {row: float(odds) for row, odds in rules.bonus}
    cards = "777" if sevens else "678"
    mixed = paid.get(f"{cards}-mixed", 1.0)
    alike = paid.get(f"{cards}-{'spades' if suit == SPADES else 'suited'}", 1.0) + extra
    return (
        suited * alike + (1 - suited) * mixed,
        suited * alike**2 + (1 - suited) * mixed**2,
    )
