"""Failures of the jackpot button or the devices behind it (New Zealand 16.12, Crown 11.6)."""

from __future__ import annotations

from fractions import Fraction

from cutcard.engine.button import pay_prize, pay_without_press, prize_rules, waiting
from cutcard.engine.choices import Option
from cutcard.engine.events import Irregularity, Press, Ruling
from cutcard.engine.irregularities.procedure import enter_subsequent_deal
from cutcard.engine.ledger import HOUSE, Key, Posting
from cutcard.engine.payments import pay
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Round, Wager
from cutcard.rulebooks.book import Rules


def accept(
    by: str, irregularity: Irregularity, rules: Rules, players: tuple[str, ...] = ()
) -> Option:
    """Return the option to accept a prize that was drawn without a proper press."""

    def effect(round: Round, ruling: Ruling) -> None:
        wager = misfired(round, irregularity, rules)
        won = prize_rules(round, irregularity.bet, irregularity.prize)
        pay_prize(round, wager, irregularity.prize, (*rules, *won))

    return Option("accept", by, rules, effect, players)


def press_again(
    by: str, irregularity: Irregularity, rules: Rules, players: tuple[str, ...] = ()
) -> Option:
    def effect(round: Round, ruling: Ruling) -> None:
        misfired(round, irregularity, rules)
        round.note("The button is pressed again.", rules)

    return Option("press-again", by, rules, effect, players)


def misfired(round: Round, irregularity: Irregularity, rules: Rules) -> Wager:
    """Return the won wager that the button was lit for. Raises RefusedError if there is none."""
    enter_subsequent_deal(round)
    for wager in waiting(round, irregularity.bet, irregularity.box):
        if irregularity.player in (None, wager.key.player):
            return wager
    raise RefusedError(
        f"no won {irregularity.bet} wager on box {irregularity.box} waits for the button", rules
    )


def out_of_order(round: Round, bet: str, rules: Rules) -> None:
    """Stop drawing prizes: current and later winners are paid without a press."""
    round.out_of_order = {**round.out_of_order, bet: rules}
    pay_without_press(round, bet)


def last_press(round: Round, bet: str) -> Press | None:
    presses = [event for event in round.record if isinstance(event, Press) and event.bet == bet]
    return presses[-1] if presses else None


def correct_prize(round: Round, pressed: Press, panel: int, rules: Rules) -> Key:
    """Replace the paid prize of a press by `panel` dollars for each $1; return its wager.

    Raises RefusedError if the last press paid no prize.
    """
    key = last_paid(round, pressed)
    if key is None:
        raise RefusedError("the last press paid no prize", rules)
    for posting in [p for p in round.postings if p.key == key and p.source == HOUSE]:
        round.postings.append(Posting(key, posting.target, HOUSE, posting.cents))
    amount = next(wager.amount for wager in round.wagers if wager.key == key)
    pay(round, key, Fraction(panel * amount), rules)
    return key


def last_paid(round: Round, pressed: Press) -> Key | None:
    """Return the wager that the press was paid on; another player may have pressed for it."""
    for posting in reversed(round.postings):
        if posting.source == HOUSE and posting.key[::2] == (pressed.box, pressed.bet):
            return posting.key
    return None
