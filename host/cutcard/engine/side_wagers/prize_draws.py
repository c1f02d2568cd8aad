"""Madness 21 (New Zealand 15A) and Pontoon Pandemonium (Crown 11): a prize drawn by button.

The cards only decide whether the button is offered; the prize is for each $1 wagered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from cutcard.cards import Card
from cutcard.engine.side_wagers.pay_table import Outcome, PayTable, Rules


@dataclass(frozen=True, slots=True)
class PrizeTable:
    """The prizes for each $1 with the number of chances of each, as the rulebook prints them."""

    chances: tuple[tuple[int, int], ...]
    rule: str

    def has(self, prize: int) -> bool:
        return any(prize == listed for listed, _ in self.chances)

    def won(self, prize: int, wins: Rules) -> Outcome:
        """The outcome of a press. Raises ValueError where the table has no such prize."""
        if not self.has(prize):
            listed = ", ".join(f"${amount:,}" for amount, _ in self.chances)
            raise ValueError(
                f"${prize:,} is no prize of this table (rule {self.rule}): it has {listed}"
            )
        return Outcome("prize", Fraction(prize), (*wins, self.rule))


def press_won(cards: Sequence[Card], table: PayTable) -> Outcome:
    """A Blackjack or Pontoon wins the press; what the dealer makes is no matter (15A.8, 11.4.4)."""
    return table.pays(next(iter(table.wins))) if is_two_card_21(cards) else table.lost()


def is_two_card_21(cards: Sequence[Card]) -> bool:
    """An ace and a card worth ten as the first two: Blackjack, or Pontoon."""
    return {card.points for card in cards[:2]} == {1, 10}
