"""How often each outcome of a side wager comes out of a fresh shoe, by dealing every card to it.

The order in which boxes and dealer get their cards does not change how likely a set of cards is, so
the wager's box is dealt first, the dealer's card where it counts, and a third card where the wager
is still open after two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import perm

from cutcard.cards import RANKS, SUITS, Card
from cutcard.engine.side_wagers.decide import Sight, decide
from cutcard.engine.side_wagers.pay_table import Outcome, PayTable

WITH_DEALERS_FIRST = frozenset({"21-plus-3", "top-3", "crown-suits", "blackjack-jackpots"})


def shoe(decks: int, pack: int) -> dict[Card, int]:
    """Every card with its number; a pack of 48 has no tens (Crown 10.3.1)."""
    ranks = RANKS if pack == 52 else RANKS.replace("T", "")
    return {Card(rank, suit): decks for rank in ranks for suit in SUITS}


def outcomes(
    bet: str, table: PayTable, decks: int, pack: int = 52, *, third_card: bool = True
) -> Mapping[Outcome, Fraction]:
    """The probability of each outcome; they add up to 1.

    A wager that waits for a third card gets it where `third_card` says so; else the box stands.
    """
    stock = shoe(decks, pack)
    cards = decks * pack
    ways: Counter[tuple[Outcome, int]] = Counter()

    def deal(sight: Sight, weight: int, dealt: int) -> None:
        outcome = decide(bet, table, sight)
        if outcome is not None:
            ways[outcome, dealt] += weight
            return
        if len(sight.box) == 2 and sight.dealer == () and bet in WITH_DEALERS_FIRST:
            for card, left in _drawn(stock):
                deal(replace(sight, dealer=(card,)), weight * left, dealt + 1)
        elif len(sight.box) == 2 and not third_card:
            deal(replace(sight, complete=True), weight, dealt)
        else:
            for card, left in _drawn(stock):
                deal(replace(sight, box=(*sight.box, card)), weight * left, dealt + 1)

    deal(Sight(), 1, 0)
    chances: defaultdict[Outcome, Fraction] = defaultdict(Fraction)
    for (outcome, dealt), weight in ways.items():
        chances[outcome] += Fraction(weight, perm(cards, dealt))
    return dict(chances)


def _drawn(stock: dict[Card, int]) -> Iterator[tuple[Card, int]]:
    """Each card that can come next, with how many of it there are, gone while it is looked at."""
    for card, left in stock.items():
        if left:
            stock[card] = left - 1
            yield card, left
            stock[card] = left
