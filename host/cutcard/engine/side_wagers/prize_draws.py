"""Madness 21 (New Zealand 15A) and Pontoon Pandemonium (Crown 11): a prize drawn by button.

The cards only decide whether the button is offered; the prize is for each $1 wagered.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cards import Card
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


def press_won(cards: Sequence[Card], table: PayTable) -> WagerOutcome:
    """Win the press with a Blackjack or Pontoon, whatever the dealer has (15A.8, 11.4.4)."""
    return table.pays(next(iter(table.wins))) if is_two_card_21(cards) else table.lost()


def is_two_card_21(cards: Sequence[Card]) -> bool:
    """Return whether the first two cards are an ace and a card worth ten: Blackjack, or Pontoon."""
    return {card.points for card in cards[:2]} == {1, 10}
