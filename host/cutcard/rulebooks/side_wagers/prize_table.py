"""A prize table as printed in a rulebook: the prizes for each $1 and the chances of each."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cutcard.rulebooks.side_wagers.pay_table import Rules, WagerOutcome


@dataclass(frozen=True, slots=True)
class PrizeTable:
    """The prizes for each $1 with the number of chances of each, as printed in the rulebook."""

    chances: tuple[tuple[int, int], ...]
    rule: str

    def has(self, prize: int) -> bool:
        return any(prize == listed for listed, _ in self.chances)

    def won(self, prize: int, wins: Rules) -> WagerOutcome:
        """Return the outcome of a press. Raises ValueError if the prize is not in the table."""
        if not self.has(prize):
            listed = ", ".join(f"${amount:,}" for amount, _ in self.chances)
            raise ValueError(
                f"${prize:,} is not a prize of this table (rule {self.rule}); use one of {listed}"
            )
        return WagerOutcome("prize", Fraction(prize), (*wins, self.rule))
