"""Irregularities without a rule in the rulebook: the role that decides, and a note of the gap.

The engine invents no procedure: management may make any ruling on the wagers and cards, under the
rule that refers the matter to it, or without a rule.
"""

from __future__ import annotations

from cutcard.engine.choices import Choice, Option, offer
from cutcard.engine.events import Irregularity, Ruling
from cutcard.engine.irregularities import failing_button
from cutcard.engine.irregularities.procedure import (
    absent,
    box_of,
    burn_option,
    choose_option,
    continue_option,
    discard_box,
    enter_subsequent_deal,
    lay_out,
    return_box,
    second_card_in_turn,
    stand_as_dealt,
    void_hands_option,
    void_round_option,
    void_wagers_option,
)
from cutcard.engine.irregularities.reconstruction import reconstruct_option
from cutcard.engine.state import Round
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.vocabulary import IrregularityKind

# Irregularities that stop play until a ruling.
STOPS_PLAY: tuple[IrregularityKind, ...] = (
    "malfunction",
    "simultaneous-draw",
    "face-up",
    "drawn-in-error",
    "wrong-cards",
    "misdeal",
    "box-missed",
    "one-card",
    "no-wager",
    "dealer-missed",
    "not-offered",
    "shoe-empty",
    "power-failure",
    "disruption",
    "jackpot-failure",
    "button-misfire",
)


def management_decides(
    round: Round,
    irregularity: Irregularity,
    by: str,
    rules: Rules = (),
    *,
    required: bool | None = None,
    settled_stands: bool = False,
    voiding: Rules = (),
    without: tuple[str, ...] = (),
    first: tuple[Option, ...] = (),
) -> None:
    """Open the choice. `rules` are the rules that refer it to `by`; empty if no rule does.

    `voiding` are additional rules of a void round. `first` are the options of the rule that applies
    before the matter is referred.
    """
    if irregularity.kind == "absent":
        absent(round, irregularity, by)
        return
    needed = irregularity.kind in STOPS_PLAY if required is None else required
    if irregularity.kind == "not-offered" and irregularity.option == "insurance":
        needed = False
    holds = irregularity.kind in ("simultaneous-draw", "face-up", "drawn-in-error")
    if holds:
        lay_out(round, irregularity)
    options = [
        continue_option(by, rules, lambda round: _go_on(round, irregularity, rules)),
        void_round_option(by, rules + voiding, settled_stands=settled_stands),
        void_hands_option(by, rules, first=lambda round: _go_on(round, irregularity, rules)),
        reconstruct_option(by, rules),
        *_of_its_own(irregularity, by, rules),
    ]
    chosen = (*first, *(option for option in options if option.ruling not in without))
    own = tuple(rule for option in first for rule in option.rules)
    if not first:
        text = "the rule refers it to management" if rules else "the rulebook has no rule"
        round.note(f"{irregularity.kind}: {text}; {by} or above decides.", rules)
    offer(round, Choice(irregularity, chosen, own + rules, needed, default="continue", holds=holds))


def _of_its_own(irregularity: Irregularity, by: str, rules: Rules) -> list[Option]:
    """Return the rulings that apply only to this irregularity."""
    if irregularity.kind == "simultaneous-draw":
        return [choose_option(by, irregularity, rules), burn_option(by, irregularity, rules)]
    if irregularity.kind in ("face-up", "drawn-in-error"):
        return [burn_option(by, irregularity, rules)]
    if irregularity.kind == "fraud":
        return [void_wagers_option(by, rules, irregularity.players)]
    if irregularity.kind == "button-misfire":
        return [
            failing_button.accept(by, irregularity, rules),
            failing_button.press_again(by, irregularity, rules),
        ]
    if irregularity.kind == "not-offered" and irregularity.option == "insurance":
        return [allow_insurance(by, rules)]
    return []


def allow_insurance(by: str, rules: Rules) -> Option:
    """Return the option to let players insure although the time for it has passed."""

    def effect(round: Round, ruling: Ruling) -> None:
        round.late_options |= {"insurance"}
        round.note("Insurance may still be placed.", rules)

    return Option("accept", by, rules, effect)


def _go_on(round: Round, irregularity: Irregularity, rules: Rules) -> None:
    """Carry out a ruling to continue after an irregularity that left cards in wrong places."""
    if irregularity.kind == "box-missed":
        return_box(round, box_of(round, irregularity), rules)
    elif irregularity.kind == "one-card":
        second_card_in_turn(box_of(round, irregularity))
    elif irregularity.kind == "no-wager":
        discard_box(round, box_of(round, irregularity))
    elif irregularity.kind == "dealer-missed":
        enter_subsequent_deal(round)
        round.dealer_first = ""
    elif irregularity.kind == "not-offered" and irregularity.cards:
        stand_as_dealt(round, irregularity)
