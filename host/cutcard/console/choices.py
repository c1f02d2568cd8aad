"""The open rulings for the page: each option with its rule and its title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutcard.cards import Card
from cutcard.engine.choices import PLAYER, Choice, Option
from cutcard.engine.device_faults import irregularity_of, known_as, stage_of
from cutcard.engine.refusal import EngineError
from cutcard.engine.round import step
from cutcard.engine.state import Round
from cutcard.rulebooks.wording import wording
from cutcard.table.display_names import job, words

# The effect of a ruling, for the person about to press its button.
MEANS = {
    "void-round": "The round is void: every open wager is returned.",
    "void-hands": "The affected hands are void; their wagers are returned.",
    "void-wagers": "The affected wagers are void and are returned.",
    "reconstruct": "The cards are put back in the order in which they should have been dealt.",
    "continue": "Play continues.",
    "choose": "One of the cards is chosen, and play continues with it.",
    "refuse-card": "The card is refused and does not count for this hand.",
    "withdraw": "The player withdraws the wager.",
    "stay": "The player stays in the round.",
    "burn": "The card is burned.",
    "accept": "The result is accepted and remains valid.",
    "press-again": "The button is pressed again.",
    "act-on-hand": "The player acts on the hand unchanged.",
    "take-first-card": "The first of the cards is taken.",
    "declare-malfunction": "The machine is declared out of order.",
}


def choices_of(round: Round) -> list[dict[str, Any]]:
    """Return the open choices for the page, the latest first."""
    return [_choice(round, choice) for choice in reversed(round.choices)]


def foreseen(round: Round, fault: str, cards: Sequence[str]) -> dict[str, Any]:
    """Return the effect of the rules on a fault of the machine after its recovery.

    It contains the choices that will be open, or the rules that decide by themselves.
    """
    if round.over or known_as(fault, stage_of(round)) is None:
        return {"choices": [], "rules": []}
    device = "shuffler" if round.table.shuffler == "continuous" else "shoe"
    seen = [Card.parse(card) for card in cards]
    try:
        after = step(round, irregularity_of(fault, round, device, seen))
    except EngineError:
        return {"choices": [], "rules": []}
    ruled = [rule for each in after.rulings[len(round.rulings) :] for rule in each.rules]
    new = [choice for choice in after.choices if choice not in round.choices]
    return {"choices": [_choice(after, choice) for choice in reversed(new)], "rules": ruled}


def _choice(round: Round, choice: Choice) -> dict[str, Any]:
    return {
        "on": words(choice.irregularity.kind),
        "kind": choice.irregularity.kind,
        "cards": [str(card) for card in choice.irregularity.cards],
        "hands": list(choice.irregularity.hands),
        "rules": list(choice.rules),
        "required": choice.required,
        "options": [_option(round, option) for option in choice.options],
    }


def _option(round: Round, option: Option) -> dict[str, Any]:
    rules = option.rules_now(round)
    says = wording(round.book.name, option.ruling, rules)
    return {
        "ruling": option.ruling,
        "words": words(option.ruling),
        "means": MEANS[option.ruling],
        "by": option.by,
        "title": who(option),
        "rules": list(rules),
        "says": None if says is None else says._asdict(),
        "players": list(option.players),
    }


def who(option: Option) -> str:
    """Return the title of the person entitled to rule, as in the rulebook."""
    if option.by == PLAYER:
        return " or ".join(option.players) if option.players else "A player"
    return f"{job(option.by)} or above" if option.by else "Anybody in charge"
