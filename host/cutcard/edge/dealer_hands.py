"""The probabilities of the dealer's final hands from a fresh shoe: total, cards, suits of a 22."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import perm

from cutcard.engine.side_wagers.dealer_hand import Likeness, busted, push_22
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome

_VALUES = range(1, 11)


@dataclass(frozen=True, slots=True)
class Finished:
    """One way for the dealer's hand to end."""

    total: int
    cards: int
    alike: Likeness


@cache
def finished_hands(decks: int, pack: int, draws_to_soft_17: bool) -> Mapping[Finished, Fraction]:
    """Return the probability of each ending if the dealer always completes the hand."""
    ranks_of_ten = 4 if pack == 52 else 3
    in_a_suit = {value: decks * (ranks_of_ten if value == 10 else 1) for value in _VALUES}
    cards = decks * pack
    ways: Counter[Finished] = Counter()
    used = dict.fromkeys(_VALUES, 0)

    def draw(hard: int, aces: int, dealt: int, every: int, suit: int, colour: int) -> None:
        """`every`, `suit` and `colour` count the ways: all, within a suit, within a colour."""
        total = hard + 10 if aces and hard <= 11 else hard
        soft = total != hard
        if dealt >= 2 and (total > 17 or (total == 17 and not (soft and draws_to_soft_17))):
            one_suit, one_colour = 4 * suit, 2 * colour
            ways[Finished(total, dealt, "same-suit")] += one_suit
            ways[Finished(total, dealt, "same-colour")] += one_colour - one_suit
            ways[Finished(total, dealt, "other")] += every - one_colour
            return
        for value in _VALUES:
            stock, gone = in_a_suit[value], used[value]
            if gone < 4 * stock:
                used[value] += 1
                draw(
                    hard + value,
                    aces + (value == 1),
                    dealt + 1,
                    every * (4 * stock - gone),
                    suit * max(stock - gone, 0),
                    colour * max(2 * stock - gone, 0),
                )
                used[value] -= 1

    draw(0, 0, 0, 1, 1, 1)
    return {hand: Fraction(count, perm(cards, hand.cards)) for hand, count in ways.items() if count}


def outcomes(
    bet: str, table: PayTable, decks: int, pack: int, draws_to_soft_17: bool
) -> Mapping[WagerOutcome, Fraction]:
    """Return the probability of each outcome of Buster, Busted or Push 22."""
    chances: defaultdict[WagerOutcome, Fraction] = defaultdict(Fraction)
    for hand, chance in finished_hands(decks, pack, draws_to_soft_17).items():
        if bet == "push-22":
            outcome = push_22(hand.alike, hand.total, table)
        else:
            outcome = busted(hand.cards, hand.total, table)
        chances[outcome] += chance
    return dict(chances)
