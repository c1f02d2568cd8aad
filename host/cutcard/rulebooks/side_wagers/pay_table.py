"""A pay table for the evaluators of side wagers, and the outcome that they return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from cutcard.untrusted import shown, whole_number

LONGEST = 9  # digits of either number

Rules = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WagerOutcome:
    """The outcome of a side wager, and its rules.

    `odds` are "to one", and the owner keeps the stake; None is a lost stake. A wager that wins a
    prize instead of odds has `odds` 0: another module computes the prize (a draw, a meter).
    """

    hand: str
    odds: Fraction | None
    rules: Rules

    @property
    def wins(self) -> bool:
        return self.odds is not None

    def citing(self, *rules: str) -> WagerOutcome:
        """Return the same outcome with additional rules for its circumstances."""
        return replace(self, rules=(*self.rules, *rules))

    def net(self, stake: int) -> Fraction:
        """Return the owner's gain on a stake in cents, as a fraction."""
        return Fraction(-stake) if self.odds is None else self.odds * stake


@dataclass(frozen=True, slots=True)
class PayTable:
    """One column of a rulebook's table: the payment of each winning hand at this table."""

    odds: Mapping[str, Fraction]
    wins: Mapping[str, Rules]
    loses: Rules
    without_main: Rules = ()

    def pays(self, hand: str) -> WagerOutcome:
        """Return the outcome of a winning hand; for a prize instead of odds, the odds are 0."""
        return WagerOutcome(hand, self.odds.get(hand, Fraction(0)), self.wins[hand])

    def lost(self, *instead: str) -> WagerOutcome:
        """Return the outcome of a losing hand, by the rules `instead` if they are given."""
        return WagerOutcome("", None, instead or self.loses)

    def best(self, *hands: str) -> str | None:
        """Return the first of `hands`, from the best down, that is in this table, or None."""
        return next((hand for hand in hands if hand in self.wins), None)


def parse_odds(text: str) -> Fraction:
    """Parse odds: `3:2` is three to two. Raises ValueError unless both are integers."""
    win, stake = (whole_number(part, LONGEST) for part in text.partition(":")[::2])
    if win is None or not stake:
        raise ValueError(f"{shown(text)!r} is not valid odds; write them as in 3:2")
    return Fraction(win, stake)
