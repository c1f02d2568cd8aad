"""What somebody must or may rule on, as the page asks it: each way with its rule and its title."""

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

# What a ruling does, for whoever is about to press its button.
MEANS = {
    "void-round": "The round is void: every open wager goes back.",
    "void-hands": "The hands that suffered are void; their wagers go back.",
    "void-wagers": "The wagers that it concerns are void and go back.",
    "reconstruct": "The cards are put back in the order in which they should have been dealt.",
    "continue": "Play goes on.",
    "choose": "One of the cards is chosen, and play goes on with it.",
    "refuse-card": "The card is refused and is not this hand's.",
    "withdraw": "The player takes the wager back.",
    "stay": "The player stays in the round.",
    "burn": "The card is burned.",
    "accept": "What happened is accepted and stands.",
    "press-again": "The button is pressed once more.",
    "act-on-hand": "The player acts on the hand as it is.",
    "take-first-card": "The first of the cards is taken.",
    "declare-malfunction": "The machine is declared out of order.",
}


def choices_of(round: Round) -> list[dict[str, Any]]:
    """The open choices, the latest first, as they are put to people."""
    return [_choice(round, choice) for choice in reversed(round.choices)]


def foreseen(round: Round, fault: str, cards: Sequence[str]) -> dict[str, Any]:
    """What the rules will make of a fault of the machine once it is cleared, as things stand: the
    choices that it will leave, or the rules that decide by themselves."""
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
    """The title of whoever may rule, as the rulebook has it."""
    if option.by == PLAYER:
        return " or ".join(option.players) if option.players else "A player"
    return f"{job(option.by)} or above" if option.by else "Anybody in charge"
