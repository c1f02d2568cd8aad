"""A pay table as the evaluators read it, and the outcome that they give back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from cutcard.untrusted import shown, whole_number

LONGEST = 9  # digits of either number

Rules = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WagerOutcome:
    """What the cards made of a side wager, and the rules that say so.

    `odds` are "to one" and leave the stake with its owner; None is a lost stake. A wager that wins
    a prize instead of odds has `odds` 0 and its prize is worked out beside (a draw, a meter).
    """

    hand: str
    odds: Fraction | None
    rules: Rules

    @property
    def wins(self) -> bool:
        return self.odds is not None

    def citing(self, *rules: str) -> WagerOutcome:
        """The same outcome, with the rules of a circumstance that it came about in."""
        return replace(self, rules=(*self.rules, *rules))

    def net(self, stake: int) -> Fraction:
        """What its owner is up or down on a stake in cents."""
        return Fraction(-stake) if self.odds is None else self.odds * stake


@dataclass(frozen=True, slots=True)
class PayTable:
    """One column of a rulebook's table: what each winning hand pays at this table."""

    odds: Mapping[str, Fraction]
    wins: Mapping[str, Rules]
    loses: Rules
    without_main: Rules = ()

    def pays(self, hand: str) -> WagerOutcome:
        """The outcome of a winning hand; where a prize is paid instead of odds, they are 0."""
        return WagerOutcome(hand, self.odds.get(hand, Fraction(0)), self.wins[hand])

    def lost(self, *instead: str) -> WagerOutcome:
        """The outcome of a hand that wins nothing, under a more exact rule where there is one."""
        return WagerOutcome("", None, instead or self.loses)

    def best(self, *hands: str) -> str | None:
        """The first of `hands`, from the best down, that this table knows."""
        return next((hand for hand in hands if hand in self.wins), None)


def parse_odds(text: str) -> Fraction:
    """`3:2` is three to two. Raises ValueError for anything but two whole numbers."""
    win, stake = (whole_number(part, LONGEST) for part in text.partition(":")[::2])
    if win is None or not stake:
        raise ValueError(f"{shown(text)!r} are not odds: write them as in 3:2")
    return Fraction(win, stake)
