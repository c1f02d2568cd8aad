"""The jackpot button of the table's rulebook. Two rulebooks have one."""

from __future__ import annotations

from cutcard.engine.books.crown import CROWN
from cutcard.engine.books.crown import button as crown
from cutcard.engine.books.new_zealand import NEW_ZEALAND
from cutcard.engine.books.new_zealand import button as new_zealand
from cutcard.engine.button import ButtonRules
from cutcard.engine.events import Press
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Round

_BOOKS: dict[str, ButtonRules] = {CROWN: crown.BUTTON, NEW_ZEALAND: new_zealand.BUTTON}


def button_rules(rulebook: str) -> ButtonRules | None:
    """Return the button rules of a rulebook; None if it has no button."""
    return _BOOKS.get(rulebook)


def press(round: Round, pressed: Press) -> None:
    """Press the button. Raises RefusedError if the rulebook does not allow this press."""
    if pressed.bet in round.out_of_order:
        raise RefusedError("the button is out of order", round.out_of_order[pressed.bet])
    rules = button_rules(round.book.name)
    if rules is None:
        raise RefusedError("no side wager of this rulebook has a button")
    rules.press(round, pressed)
