"""How a fault is put to the rules, and the procedure that the rulebooks have in common."""

from __future__ import annotations

from collections.abc import Callable

from cutcard.engine.choices import ANYBODY, Choice, Option, offer
from cutcard.engine.events import Fault, Ruling
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Round
from cutcard.engine.voiding import void_hand, void_round
from cutcard.rulebooks.book import Rules

Handler = Callable[[Round, Fault], None]
_HANDLERS: dict[tuple[str, str], Handler] = {}


def handles(rulebook: str, *faults: str) -> Callable[[Handler], Handler]:
    """Register what a rulebook does about a fault."""

    def register(handler: Handler) -> Handler:
        for fault in faults:
            _HANDLERS[rulebook, fault] = handler
        return handler

    return register


def notice(round: Round, fault: Fault) -> None:
    """Put a fault to the rulebook: it answers by itself, or opens a choice."""
    # Imported here: the rulebooks' modules register themselves with this one.
    from cutcard.engine.irregularities import rulebooks

    handler = _HANDLERS.get((rulebooks.of(round), fault.kind))
    if handler is None:
        raise RefusedError(f"{round.book.name} has no answer to {fault.kind} here")
    handler(round, fault)


def void_round_option(by: str, rules: Rules, *, settled_stands: bool) -> Option:
    def effect(round: Round, ruling: Ruling) -> None:
        void_round(round, rules, settled_stands=settled_stands)

    return Option("void-round", by, rules, effect)


def void_hands_option(by: str, rules: Rules) -> Option:
    def effect(round: Round, ruling: Ruling) -> None:
        for place in ruling.hands:
            void_hand(round, place, rules)

    return Option("void-hands", by, rules, effect)


def continue_option(by: str, rules: Rules) -> Option:
    def effect(round: Round, ruling: Ruling) -> None:
        round.note("Play goes on.", rules)

    return Option("continue", by, rules, effect)


def absent(round: Round, fault: Fault, by: str) -> None:
    """The player is not there: cards are drawn for him as far as the rulebook says, no further."""
    rules = round.book.rules("draw.absent_hard") + round.book.rules("draw.absent_soft")
    rules = tuple(dict.fromkeys(rules))

    def effect(round: Round, ruling: Ruling) -> None:
        if fault.box is None or fault.box not in round.boxes:
            raise RefusedError("name the box of the absent player", rules)
        round.boxes[fault.box].absent = True
        round.note(f"The player of box {fault.box} is absent.", rules)

    offer(round, Choice(fault, (Option("continue", by or ANYBODY, rules, effect),), rules))
