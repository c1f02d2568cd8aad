"""Passing an irregularity to the table's rulebook, which answers it or opens a choice."""

from __future__ import annotations

from cutcard.engine.books.british import irregularities as british
from cutcard.engine.books.crown import irregularities as crown
from cutcard.engine.books.crown import jackpots as crown_jackpots
from cutcard.engine.books.new_zealand import irregularities as new_zealand
from cutcard.engine.books.singapore import irregularities as singapore
from cutcard.engine.books.singapore import two_cards as singapore_two_cards
from cutcard.engine.events import Irregularity
from cutcard.engine.irregularities.procedure import handler_of, keep_settled_round
from cutcard.engine.irregularities.silence import management_decides
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Phase, Round
from cutcard.rulebooks.vocabulary import IrregularityKind

# Importing these modules registers their handlers.
BOOKS = (british, crown, crown_jackpots, new_zealand, singapore, singapore_two_cards)

# Irregularities noticed after the settlement that affect the cards of later rounds.
OF_THE_CARDS: tuple[IrregularityKind, ...] = (
    "suspect-shuffle",
    "exposed-cards",
    "no-cut-card",
    "cut-card-missed",
    "damaged-card",
    "cut-card",
    "shoe-empty",
)


def notice(round: Round, irregularity: Irregularity) -> None:
    """Pass an irregularity to the rulebook, which answers it or opens a choice.

    An irregularity that is reported again while a ruling on it is open is ignored. An
    irregularity noticed after all wagers are settled leaves the round unchanged, unless a rule
    covers settled rounds.
    """
    if any(choice.required and choice.irregularity == irregularity for choice in round.choices):
        return
    _check_box(round, irregularity)
    if irregularity.kind == "not-offered" and round.phase is Phase.INITIAL_DEAL:
        raise RefusedError("no option is offered before the initial deal is complete")
    name = round.book.name
    late = handler_of(name, irregularity.kind, when_settled=True)
    if round.over and late is not None:
        late(round, irregularity)
    elif round.over and irregularity.kind not in OF_THE_CARDS:
        keep_settled_round(round, irregularity)
    else:
        handler = handler_of(name, irregularity.kind) or handler_of(name, "anything else")
        (handler or _has_no_procedure)(round, irregularity)


def _check_box(round: Round, irregularity: Irregularity) -> None:
    """Raise RefusedError if the box has no main wager, or a number of cards that does not fit."""
    kind, box = irregularity.kind, round.boxes.get(irregularity.box or 0)
    if kind not in ("one-card", "box-missed", "not-offered"):
        return
    if box is None or not box.mains:
        wagered = ", ".join(str(number) for number, each in round.boxes.items() if each.mains)
        raise RefusedError(
            f"{kind}: box {irregularity.box} has no main wager in this round; name one of {wagered}"
        )
    cards = len(box.dealt)
    right = {0: "box-missed", 1: "one-card"}.get(cards, "misdeal")
    if not round.over and kind != "not-offered" and kind != right:
        raise RefusedError(
            f"{kind}: box {box.number} has {cards} card{'s' * (cards != 1)}; report {right} instead"
        )


def _has_no_procedure(round: Round, irregularity: Irregularity) -> None:
    """Let the lowest role above the dealer decide: a custom rulebook has no handlers."""
    management_decides(round, irregularity, round.book.roles[1])
