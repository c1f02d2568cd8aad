"""The probabilities of a side wager's outcomes from a fresh shoe, by dealing every card to it.

The order of the deal to boxes and dealer does not change the probability of a set of cards. So the
wager's box is dealt first, then the dealer's card if it counts, and a third card if the wager is
still open after two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import perm

from cutcard.cards import Card, all_cards
from cutcard.engine.side_wagers.decide import VisibleCards
from cutcard.rulebooks.side_wagers.pay_table import WagerOutcome

Evaluate = Callable[[VisibleCards], WagerOutcome | None]


def outcomes(
    evaluate: Evaluate,
    decks: int,
    pack: int,
    *,
    dealers_card: bool = False,
    third_card: bool = True,
) -> Mapping[WagerOutcome, Fraction]:
    """Return the probability of each outcome; they add up to 1.

    Cards are dealt until `evaluate` has an outcome. A wager that is open after two cards gets the
    dealer's first card if `dealers_card` is set, else a third card if `third_card` is, else the box
    stands. No wager that uses the dealer's card depends on the order of the box's two cards, so
    both orders are dealt as one.
    """
    stock = all_cards(decks, pack)
    cards = decks * pack
    ways: Counter[tuple[WagerOutcome, int]] = Counter()

    def deal(sight: VisibleCards, weight: int, dealt: int) -> None:
        outcome = evaluate(sight)
        if outcome is not None:
            ways[outcome, dealt] += weight
            return
        if len(sight.box) == 2 and dealers_card:
            for card, left in _drawn(stock):
                deal(VisibleCards(box=sight.box, dealer=(card,)), weight * left, dealt + 1)
        elif len(sight.box) == 2 and not third_card:
            deal(VisibleCards(box=sight.box, complete=True), weight, dealt)
        else:
            for card, left in _drawn(stock):
                if dealers_card and sight.box and card < sight.box[0]:
                    continue
                orders = 2 if dealers_card and sight.box and card != sight.box[0] else 1
                deal(VisibleCards(box=(*sight.box, card)), weight * left * orders, dealt + 1)

    deal(VisibleCards(), 1, 0)
    chances: defaultdict[WagerOutcome, Fraction] = defaultdict(Fraction)
    for (outcome, dealt), weight in ways.items():
        chances[outcome] += Fraction(weight, perm(cards, dealt))
    return dict(chances)


def _drawn(stock: dict[Card, int]) -> Iterator[tuple[Card, int]]:
    """Yield each possible next card with its number; the card is removed from the stock while
    yielded."""
    for card, left in stock.items():
        if left:
            stock[card] = left - 1
            yield card, left
            stock[card] = left
