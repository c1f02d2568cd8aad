"""Reconstruction: the round as the cards should have fallen, beside the round as they fell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields

from cutcard.cards import Card
from cutcard.engine.choices import Option, answer
from cutcard.engine.events import Act, Deal, Event, Irregularity, Metered, Press, Ruling, Settled
from cutcard.engine.irregularities.dealers_cards import as_text, put_dealers_hand_right
from cutcard.engine.irregularities.procedure import void_place, void_wagers
from cutcard.engine.refusal import IncompleteError, RefusedError
from cutcard.engine.state import DEALER, Phase, Round
from cutcard.engine.turn import next_card_goes_to
from cutcard.engine.voiding import clear_hands_without_wagers, return_open
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.vocabulary import IrregularityKind

Layout = dict[str, tuple[Card, ...]]


def reconstruct_option(by: str, rules: Rules, left_over: Rules = ()) -> Option:
    """`left_over` are the rules by which cards that nobody calls for then leave play."""

    def effect(round: Round, ruling: Ruling) -> None:
        if ruling.dealer:
            _only_the_dealers(round, ruling, rules)
            return
        cards = ruling.cards or fallen(round)
        reconstruct(round, cards, rules)
        if left_over and round.ahead:
            gone = " ".join(map(str, round.ahead))
            round.ahead = []
            noticed = [event for event in round.record if isinstance(event, Irregularity)]
            answer(round, noticed[-1], left_over, f"Left over, and discarded: {gone}.")

    return Option("reconstruct", by, rules, effect)


def _only_the_dealers(round: Round, ruling: Ruling, rules: Rules) -> None:
    if ruling.cards:
        raise RefusedError("name all cards of the round or those of the dealer, not both", rules)
    put_dealers_hand_right(round, ruling.dealer, rules)
    round.note(f"The dealer's hand is put right: {as_text(ruling.dealer)}.", rules)


def reconstruct(round: Round, cards: Sequence[Card], rules: Rules) -> None:
    """Put the cards where their order should have put them, and play what was decided again.

    Decisions stand where the new cards allow them; cards that no hand calls for are the next.
    """
    _check(cards, fallen(round), rules)
    before = layout(round)
    again, left = _replayed(round, list(cards))
    again.ahead = left
    again.rulings = round.rulings
    again.orders = round.orders
    again.record = round.record
    again.choices = [choice for choice in round.choices if not _about_cards(choice.irregularity)]
    again.story = round.story
    _rule_again(round, again)
    for field in fields(Round):
        setattr(round, field.name, getattr(again, field.name))
    round.note("The round is reconstructed.", rules)
    for line in difference(before, layout(round)):
        round.note(line, rules)


def layout(round: Round) -> Layout:
    """Every hand with its cards, the dealer's last."""
    places = {
        box.place_of(hand): tuple(hand.cards)
        for _, box in sorted(round.boxes.items())
        for hand in box.hands
    }
    return places | {DEALER: tuple(round.dealer)}


def difference(fell: Layout, should_have: Layout) -> list[str]:
    """One line for each hand that has other cards than before."""
    lines: list[str] = []
    for place in dict.fromkeys((*fell, *should_have)):
        before, after = fell.get(place, ()), should_have.get(place, ())
        if before != after:
            name = "The dealer" if place == DEALER else f"Hand {place}"
            lines.append(f"{name}: fell {_text(before)}, should have had {_text(after)}.")
    return lines


def fallen(round: Round) -> tuple[Card, ...]:
    """Every card of the round so far in the order in which it left the device."""
    cards: list[Card] = []
    for event in round.record:
        if isinstance(event, Deal):
            cards.append(event.card)
        elif isinstance(event, Irregularity) and event.kind in WITH_NEW_CARDS:
            cards += event.cards
    return tuple(cards)


WITH_NEW_CARDS: tuple[IrregularityKind, ...] = (
    "simultaneous-draw",
    "drawn-in-error",
    "not-offered",
)
_ABOUT_CARDS: tuple[IrregularityKind, ...] = (
    *WITH_NEW_CARDS,
    "misdeal",
    "box-missed",
    "one-card",
    "no-wager",
    "dealer-missed",
    "no-burn",
)


def _about_cards(irregularity: Irregularity) -> bool:
    return irregularity.kind in _ABOUT_CARDS


def _check(cards: Sequence[Card], fell: Sequence[Card], rules: Rules) -> None:
    """A burned card may be left out, a card still to come may be named, but not both at once."""
    named, out = Counter(cards), Counter(fell)
    if named - out and out - named:
        strange = " ".join(map(str, (named - out).elements()))
        raise RefusedError(f"{strange} did not fall in this round", rules)


def _replayed(round: Round, queue: list[Card]) -> tuple[Round, list[Card]]:
    start, step = round.fold

    def feed(again: Round) -> Round:
        while queue and next_card_goes_to(again) is not None:
            again = step(again, Deal(queue.pop(0)))
        return again

    again = feed(start(round.table, round.placed))
    for event in round.record:
        if isinstance(event, Act | Press | Metered) or event == Settled("interim"):
            again = feed(again)
            try:
                again = step(again, event)
            except (RefusedError, IncompleteError):
                continue
    if queue and again.phase is Phase.BEFORE_INTERIM and round.phase is Phase.SUBSEQUENT_DEAL:
        again = step(again, Settled("interim"))
    return feed(again), queue


def _rule_again(round: Round, again: Round) -> None:
    """Return wagers again that a ruling had returned before the reconstruction."""
    ruled = {
        kind: [past.rules for past in round.rulings if past.ruling == kind]
        for kind in ("withdraw", "void-hands", "void-wagers")
    }
    for place, event in enumerate(round.record):
        if not isinstance(event, Ruling) or event.kind not in ruled:
            continue
        rules = ruled[event.kind].pop(0)
        about = _about(round.record[:place])
        if event.kind == "withdraw":
            _return_again(round, again, event.player or event.by or "", rules)
        elif event.kind == "void-wagers":
            void_wagers(again, (event.player,) if event.player else about.players, rules)
        else:
            for hand in event.hands or _hands_of(about):
                with suppress(RefusedError):  # the hand of a box that had no wager is gone
                    void_place(again, hand, rules)


def _return_again(round: Round, again: Round, player: str, rules: Rules) -> None:
    for key, parts in round.parts.items():
        if key.player == player and "void" in parts:
            return_open(again, key, rules)
    clear_hands_without_wagers(again, rules)


def _about(record: Sequence[Event]) -> Irregularity:
    """The last irregularity: a ruling that names no hand or player is about those of it."""
    return next(event for event in reversed(record) if isinstance(event, Irregularity))


def _hands_of(irregularity: Irregularity) -> tuple[str, ...]:
    boxes = [box for box in (*irregularity.boxes, irregularity.box) if box]
    return irregularity.hands or tuple(str(box) for box in boxes)


def _text(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards)) or "nothing"
