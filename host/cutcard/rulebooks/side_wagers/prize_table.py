"""A prize table as a rulebook prints it: the prizes for each $1 and the chances of each."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cutcard.rulebooks.side_wagers.pay_table import Rules, WagerOutcome


@dataclass(frozen=True, slots=True)
class PrizeTable:
    """The prizes for each $1 with the number of chances of each, as the rulebook prints them."""

    chances: tuple[tuple[int, int], ...]
    rule: str

    def has(self, prize: int) -> bool:
        return any(prize == listed for listed, _ in self.chances)

    def won(self, prize: int, wins: Rules) -> WagerOutcome:
        """The outcome of a press. Raises ValueError where the table has no such prize."""
        if not self.has(prize):
            listed = ", ".join(f"${amount:,}" for amount, _ in self.chances)
            raise ValueError(
                f"${prize:,} is no prize of this table (rule {self.rule}): it has {listed}"
            )
        return WagerOutcome("prize", Fraction(prize), (*wins, self.rule))
