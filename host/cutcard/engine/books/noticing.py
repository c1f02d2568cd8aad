"""An irregularity is put to the table's rulebook, which answers by itself or opens a choice."""

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

# Each has registered its handlers by being imported.
BOOKS = (british, crown, crown_jackpots, new_zealand, singapore, singapore_two_cards)

# What is noticed after the last wager was settled and concerns the cards of rounds to come.
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
    """Put an irregularity to the rulebook: it answers by itself, or opens a choice.

    One that arrives again while it is being ruled on is the same. One that is noticed when all
    wagers are settled changes nothing of the round, unless a rule reaches back.
    """
    if any(choice.required and choice.irregularity == irregularity for choice in round.choices):
        return
    _check_box(round, irregularity)
    if irregularity.kind == "not-offered" and round.phase is Phase.INITIAL_DEAL:
        raise RefusedError("nothing is offered before the initial deal is complete")
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
    """Raise RefusedError for a box without a main wager, or with another number of cards."""
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
    """A rulebook of one's own has no code here: the lowest role above the dealer decides."""
    management_decides(round, irregularity, round.book.roles[1])
