"""House Money and Let It Ride: sequences in the first two cards, and what is left riding.

What rides goes with the box's own wager to the end of its hand (New Zealand 15D.6 to 15D.11 and
15E.5 to 15E.10); the two sections say the same in different numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from cutcard.cards import RANKS, Card
from cutcard.engine.side_wagers.pay_table import Outcome, PayTable, Rules

HandResult = Literal["win", "blackjack", "stand-off", "lose"]


def house_money(cards: Sequence[Card], table: PayTable) -> Outcome:
    """The best row that fits: ace-king suited, suited sequence, pair, sequence (15D.5)."""
    first, second = cards[0], cards[1]
    suited = first.suit == second.suit
    if suited and {first.rank, second.rank} == {"A", "K"}:
        return table.pays("ace-king-suited")
    if in_sequence(first, second):
        return table.pays("suited-sequence" if suited else "sequence")
    return table.pays("pair") if first.rank == second.rank else table.lost()


def let_it_ride(cards: Sequence[Card], table: PayTable) -> Outcome:
    """Suited and in sequence, or one of the two (15E.4); two like cards of a suit are suited."""
    first, second = cards[0], cards[1]
    suited, sequence = first.suit == second.suit, in_sequence(first, second)
    if suited:
        return table.pays("suited-sequence" if sequence else "suited")
    return table.pays("sequence") if sequence else table.lost()


def in_sequence(first: Card, second: Card) -> bool:
    """Neighbours in rank; an ace is next to the two and to the king."""
    return abs(RANKS.index(first.rank) - RANKS.index(second.rank)) in (1, len(RANKS) - 1)


def riding_net(
    riding: int,
    hand: HandResult,
    blackjack_odds: Fraction,
    dealer_blackjack: bool,
    rules: Mapping[str, Rules],
) -> tuple[Fraction, Rules]:
    """What the amount left riding (in cents) wins or loses when its hand is over.

    The payout at the initial deal is counted apart. A dealer's Blackjack leaves everything that
    rides a stand-off, even where the hand itself loses (15D.11, 15E.10).
    """
    if dealer_blackjack:
        return Fraction(0), rules["dealer_blackjack"]
    odds = {
        "win": Fraction(1),
        "blackjack": blackjack_odds,
        "stand-off": Fraction(0),
        "lose": Fraction(-1),
    }[hand]
    return odds * riding, rules["hand"]
