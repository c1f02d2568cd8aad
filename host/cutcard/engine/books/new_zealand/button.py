"""New Zealand's button, Madness 21: one press for all won wagers on the box (15A.9)."""

from __future__ import annotations

from cutcard.engine.button import ButtonRules, pay_prize, prize_rules, waiting
from cutcard.engine.events import Press
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Round, Wager


def press(round: Round, pressed: Press) -> None:
    """Pay all won wagers on the box for one press of the caller or a nominated player (15A.9)."""
    wagers = waiting(round, pressed.bet, pressed.box)
    if not wagers:
        raise RefusedError("no won wager on this box waits for the button", ("15A.4", "15A.6"))
    box = round.boxes[pressed.box]
    entitled = {box.mains[0].player, *(wager.key.player for wager in wagers)}
    if pressed.player is not None and pressed.player not in entitled | set(round.book.roles):
        raise RefusedError(f"{pressed.player} may not press for box {pressed.box}", ("15A.9",))
    rules = prize_rules(round, pressed.bet, pressed.prize)
    for wager in wagers:
        pay_prize(round, wager, pressed.prize, (*rules, "15A.9"))


def _staked(round: Round, wager: Wager) -> int:
    return sum(won.amount for won in waiting(round, wager.key.bet, wager.key.box))


BUTTON = ButtonRules(press, _staked, panel_prevails=False, not_offered=("16.12",))
