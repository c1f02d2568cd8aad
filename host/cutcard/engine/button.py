"""The jackpot button: the wagers that wait for it, and the payment for a press.

`books/<book>/button.py` defines the players that may press in each rulebook.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from cutcard.engine.events import Press
from cutcard.engine.ledger import dollars
from cutcard.engine.payments import hand_back, pay
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Round, Wager
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading


@dataclass(frozen=True, slots=True)
class ButtonRules:
    """The rules of one rulebook for its jackpot button.

    `press` takes a press; `staked` returns the money that one press is for. If `panel_prevails`,
    the amount on the control panel is won, otherwise the amount on the table's meter. `not_offered`
    are the rules that forbid a wager on a button that does not work.
    """

    press: Callable[[Round, Press], None]
    staked: Callable[[Round, Wager], int]
    panel_prevails: bool
    not_offered: Rules


def waiting(round: Round, bet: str, box: int | None = None) -> list[Wager]:
    """Return the won wagers with an undrawn prize, in the order in which they were placed."""
    return [
        wager
        for wager in round.wagers
        if wager.open
        and wager.waits_for_press
        and wager.key.bet == bet
        and box in (None, wager.key.box)
    ]


def pay_prize(round: Round, wager: Wager, prize: int, rules: Rules) -> None:
    """Pay `prize` dollars for each $1 wagered, and return the stake."""
    wager.open = wager.waits_for_press = False
    pay(round, wager.key, Fraction(prize * wager.amount), rules)
    hand_back(round, wager.key, "win", rules, money=wager.amount)
    total = dollars(prize * wager.amount)
    round.note(f"The button draws ${prize} for each $1 of {wager.key.player}: {total}.", rules)


def pay_without_press(round: Round, bet: str) -> None:
    """Pay the fixed amount on won wagers that cannot draw a prize (16.12; Crown 11.6.4(b))."""
    failure = round.book.side_wagers[bet].failure
    rules = tuple(failure["rules"])
    rules += (reading(failure["reading"]),) if "reading" in failure else ()
    for wager in waiting(round, bet):
        wager.open = wager.waits_for_press = False
        each = failure.get("for_each_dollar")
        prize = each * wager.amount if each is not None else failure["flat"] * 100
        pay(round, wager.key, Fraction(prize), rules)
        hand_back(round, wager.key, "win", rules, money=wager.amount)
        round.note(f"{wager.key.player} is paid {dollars(prize)} without a press.", rules)


def prize_rules(round: Round, bet: str, prize: int) -> Rules:
    """Return the rules of a prize. Raises RefusedError if it is not in the prize table in use."""
    side = round.book.side_wagers[bet]
    column = side.column(round.table.offers[bet], round.table.decks, round.table.pack)
    if not column.prizes.has(prize):
        raise RefusedError(f"${prize} is not a prize of this table", (column.prizes.rule,))
    return column.prizes.won(prize, next(iter(side.wins.values()))).rules
