"""Reading an outcome that must be there."""

from fractions import Fraction

from cutcard.rulebooks.side_wagers.pay_table import Outcome, Rules


def settled(outcome: Outcome | None) -> Outcome:
    assert outcome is not None, "the wager is still open"
    return outcome


def odds_and_rules(outcome: Outcome | None) -> tuple[Fraction | int | None, Rules]:
    return settled(outcome).odds, settled(outcome).rules
