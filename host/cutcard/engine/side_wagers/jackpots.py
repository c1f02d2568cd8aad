"""Blackjack Jackpots (Crown 21) and Supernova (Crown 24): prizes from a meter.

All outcomes of a round are simultaneous, so several winners of one prize share the sum that the
meter would have paid them one after another (21.10.3, 24.9.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from cutcard.cards import Card
from cutcard.engine.side_wagers.prize_draws import is_two_card_21
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


@dataclass(frozen=True, slots=True)
class Meter:
    """A prize meter in cents: its value, and the seed it never falls below."""

    value: Fraction
    seed: Fraction

    def after(self, prize: Fraction) -> Meter:
        """Return the meter after a prize: the remainder, or at least the seed (21.5.2, 21.5.3)."""
        return Meter(max(self.value - prize, self.seed), self.seed)


def blackjack_jackpots(cards: Sequence[Card], dealer: Card, table: PayTable) -> WagerOutcome:
    """Return the hand's row of 21.10.1; the two suited-aces rows are paid from the meter."""
    three = (*cards[:2], dealer)
    if all(card.rank == "A" for card in three):
        if len({card.suit for card in three}) > 1:
            return table.pays("three-aces")
        return table.pays("suited-aces-spades" if dealer.suit == "s" else "suited-aces")
    if not is_two_card_21(cards):
        return table.lost()
    return table.pays("suited-blackjack" if _suited(cards) else "unsuited-blackjack")


def supernova(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    """Pay a suited Blackjack: the Major for ace and jack of spades, otherwise the Minor (24.2)."""
    if not (is_two_card_21(cards) and _suited(cards)):
        return table.lost()
    major = {str(card) for card in cards[:2]} == {"As", "Js"}
    return table.pays("major" if major else "minor")


def shared_prize(
    meter: Meter, share: Fraction, winners: int, payable: int
) -> tuple[Fraction, Meter]:
    """Return the cents for each winner of one meter prize, and the meter afterwards.

    Each prize is a share of the meter rounded up to `payable` (in cents: 100 for whole dollars);
    the meter is reduced by it before the next prize is computed.
    """
    total = Fraction(0)
    for _ in range(winners):
        prize = share * _rounded_up(meter.value, payable)
        total += prize
        meter = meter.after(prize)
    return total / winners, meter


def _rounded_up(value: Fraction, unit: int) -> Fraction:
    return Fraction(-(-value // unit) * unit)


def _suited(cards: Sequence[Card]) -> bool:
    return cards[0].suit == cards[1].suit
