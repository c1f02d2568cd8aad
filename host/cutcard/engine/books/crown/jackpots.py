"""Crown's rules for failures of the jackpots: 11.6, 21.11 and 24.10.

A carried Blackpot wager without a main wager (23.5.1) is returned in `laying_down.py`, when the
round starts.
"""

from __future__ import annotations

from cutcard.engine.books.crown import CROWN
from cutcard.engine.books.crown.irregularities import HIGHER_DUTIES
from cutcard.engine.choices import PLAYER, Choice, Option, answer, offer
from cutcard.engine.events import Irregularity, Ruling
from cutcard.engine.irregularities import failing_button
from cutcard.engine.irregularities.procedure import (
    continue_option,
    enter_subsequent_deal,
    handles,
    order,
)
from cutcard.engine.irregularities.silence import management_decides
from cutcard.engine.ledger import Key
from cutcard.engine.payments import cite
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Round
from cutcard.engine.voiding import undo
from cutcard.rulebooks.book import Rules

PANDEMONIUM = "pontoon-pandemonium"
NOT_ENTERED: dict[str, Rules] = {
    "blackjack-jackpots": ("21.11.3",),
    "supernova": ("24.10.3",),
}
FAILS: dict[str, Rules] = {
    "blackjack-jackpots": ("21.11.1(a)",),
    "supernova": ("24.10.1(a)",),
}


@handles(CROWN, "button-misfire")
def button_fires_by_itself(round: Round, irregularity: Irregularity) -> None:
    """Let the player accept or press again if the button was offered (11.6.1).

    Otherwise its result is void (11.6.2).
    """
    if not irregularity.offered:
        answer(round, irregularity, ("11.6.2",), "The button's result is void.")
        return
    enter_subsequent_deal(round)
    wager = failing_button.misfired(round, irregularity, ("11.6.1",))
    who = (wager.key.player,)
    options = (
        failing_button.accept(PLAYER, irregularity, ("11.6.1",), who),
        failing_button.press_again(PLAYER, irregularity, ("11.6.1",), who),
    )
    offer(round, Choice(irregularity, options, ("11.6.1",)))


@handles(CROWN, "meter-mismatch")
def panel_prevails(round: Round, irregularity: Irregularity) -> None:
    """Pay the Central Control Panel's amount (11.6.3(a)); a malfunction may be declared (b)."""
    pressed = failing_button.last_press(round, irregularity.bet)
    if pressed is None:
        raise RefusedError("the button has not been pressed", ("11.6.3",))
    panel = irregularity.panel
    won = failing_button.correct_prize(round, pressed, panel, ("11.6.3(a)",))
    text = f"The panel prevails: {won.player} has won ${panel} for each $1."
    answer(round, irregularity, ("11.6.3(a)",), text)
    _offer_malfunction(round, irregularity, ("11.6.3(b)",), required=False)


@handles(CROWN, "jackpot-failure")
def electronics_fail(round: Round, irregularity: Irregularity) -> None:
    """Confirm the wagers from the records and pay the winners (21.11.1(a), 24.10.1(a)).

    Pontoon Pandemonium: 11.6.4, once a malfunction is declared.
    """
    if irregularity.bet == PANDEMONIUM:
        _offer_malfunction(round, irregularity, ("11.6.4",), required=True)
        return
    rules = FAILS.get(irregularity.bet)
    if rules is None:
        management_decides(round, irregularity, "tg-area-manager", ("32.10",))
        return
    order(round, f"confirm the {irregularity.bet} wagers from the records", "now", rules)
    order(round, f"offer no {irregularity.bet} until the equipment works", "from now", rules)
    answer(round, irregularity, rules)


@handles(CROWN, "wager-not-entered")
def wager_not_entered(round: Round, irregularity: Irregularity) -> None:
    """Let the player take the jackpot wager back; without an act it stays (21.11.3, 24.10.3)."""
    rules = NOT_ENTERED.get(irregularity.bet)
    if rules is None:
        management_decides(round, irregularity, "tg-area-manager", ("32.10",))
        return
    theirs = [
        wager.key
        for wager in round.wagers
        if wager.key.bet == irregularity.bet and irregularity.box in (None, wager.key.box)
    ]
    if not theirs:
        raise RefusedError(f"there is no {irregularity.bet} wager on box {irregularity.box}", rules)

    def retract(round: Round, ruling: Ruling) -> None:
        who = ruling.player or ruling.by
        for key in _retracted(theirs, who, ruling):
            undo(round, key, rules)
            round.note(f"{key.player} takes the {irregularity.bet} wager back.", rules)

    def stay(round: Round, ruling: Ruling) -> None:
        round.note(f"{ruling.player or ruling.by} keeps the wager.", rules)

    players = tuple(dict.fromkeys(key.player for key in theirs))
    options = (
        Option("withdraw", PLAYER, rules, retract, players),
        Option("stay", PLAYER, rules, stay, players),
    )
    offer(round, Choice(irregularity, options, rules, required=False, for_each_player=True))
    answer(round, irregularity, rules)


def _retracted(keys: list[Key], who: str | None, ruling: Ruling) -> list[Key]:
    return [key for key in keys if who in (None, key.player) and ruling.box in (None, key.box)]


def _offer_malfunction(
    round: Round, irregularity: Irregularity, rules: Rules, *, required: bool
) -> None:
    """Offer to declare a malfunction (11.6.4).

    Winners that are not settled get $20 for each $1, and the wager is withdrawn.
    """

    def declare(round: Round, ruling: Ruling) -> None:
        pressed = failing_button.last_press(round, irregularity.bet)
        actioned = failing_button.last_paid(round, pressed) if pressed and mismatch else None
        if actioned is not None:
            cite(round, actioned, ("11.6.4(a)",))
        failing_button.out_of_order(round, irregularity.bet, ("11.6.4",))
        order(
            round, "offer no Pontoon Pandemonium until it is rectified", "from now", ("11.6.4(c)",)
        )

    mismatch = irregularity.kind == "meter-mismatch"
    why: Rules = ("11.6.3(a)",) if mismatch else ()
    why += ("11.6.3(b)", "11.6.4(a)", "11.6.4(b)")
    options = (
        Option("declare-malfunction", HIGHER_DUTIES, why, declare),
        continue_option(HIGHER_DUTIES, rules),
    )
    offer(round, Choice(irregularity, options, rules, required, default="continue"))
