"""Reading an outcome that must exist."""

from fractions import Fraction

from cutcard.rulebooks.side_wagers.pay_table import Rules, WagerOutcome


def settled(outcome: WagerOutcome | None) -> WagerOutcome:
    assert outcome is not None, "the wager is still open"
    return outcome


def odds_and_rules(outcome: WagerOutcome | None) -> tuple[Fraction | int | None, Rules]:
    return settled(outcome).odds, settled(outcome).rules
