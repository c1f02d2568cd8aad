"""Reconstruction: playing the round again with the cards in their correct places."""

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
from cutcard.engine.ledger import LAYOUT, Posting, player_account
from cutcard.engine.refusal import IncompleteError, RefusedError
from cutcard.engine.state import DEALER, Phase, Round, Ruled
from cutcard.engine.turn import next_card_goes_to
from cutcard.engine.voiding import (
    clear_hands_without_wagers,
    open_keys,
    return_open,
    return_wager,
    undo,
)
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.vocabulary import IrregularityKind

Layout = dict[str, tuple[Card, ...]]


def reconstruct_option(by: str, rules: Rules, left_over: Rules = ()) -> Option:
    """Return the reconstruct option; `left_over` are the rules for discarding unused cards."""

    def effect(round: Round, ruling: Ruling) -> None:
        if ruling.dealer:
            _only_the_dealers(round, ruling, rules)
            return
        cards = ruling.cards or fallen(round)
        reconstruct(round, cards, rules, ruling)
        if left_over and round.ahead:
            gone = " ".join(map(str, round.ahead))
            round.ahead = []
            noticed = [event for event in round.record if isinstance(event, Irregularity)]
            answer(round, noticed[-1], left_over, f"Left over and discarded: {gone}.")

    return Option("reconstruct", by, rules, effect)


def _only_the_dealers(round: Round, ruling: Ruling, rules: Rules) -> None:
    if ruling.cards:
        raise RefusedError("name all cards of the round or the dealer's cards, not both", rules)
    put_dealers_hand_right(round, ruling.dealer, rules)
    round.note(f"The dealer's hand is corrected: {as_text(ruling.dealer)}.", rules)


def reconstruct(
    round: Round, cards: Sequence[Card], rules: Rules, ruling: Ruling | None = None
) -> None:
    """Put the cards in the places that the correct order gives them, and repeat the decisions.

    Decisions are repeated if the new cards allow them; cards that no hand calls for are dealt next.
    This answers every open irregularity about the cards. `ruling` is the ruling that ordered it, or
    None if the rules do.
    """
    _check(round, cards, rules)
    _record_answers(round, ruling, rules)
    before = layout(round)
    again, left = _replayed(round, list(cards))
    again.ahead = left
    again.rulings, again.returned = round.rulings, round.returned
    again.orders = round.orders
    again.record = round.record
    again.choices = [choice for choice in round.choices if not _about_cards(choice.irregularity)]
    again.story = round.story
    again.late_options, again.out_of_order = round.late_options, round.out_of_order
    for number, box in round.boxes.items():
        if number in again.boxes:
            again.boxes[number].absent, again.boxes[number].away = box.absent, box.away
    _return_impossible(round, again, rules)
    _rule_again(round, again)
    for field in fields(Round):
        setattr(round, field.name, getattr(again, field.name))
    round.note("The round is reconstructed.", rules)
    for line in difference(before, layout(round)):
        round.note(line, rules)


def layout(round: Round) -> Layout:
    """Return the cards of every hand, the dealer's last."""
    places = {
        box.place_of(hand): tuple(hand.cards)
        for _, box in sorted(round.boxes.items())
        for hand in box.hands
    }
    return places | {DEALER: tuple(round.dealer)}


def difference(fell: Layout, should_have: Layout) -> list[str]:
    """Return one line for each hand that now has other cards."""
    lines: list[str] = []
    for place in dict.fromkeys((*fell, *should_have)):
        before, after = fell.get(place, ()), should_have.get(place, ())
        if before != after:
            name = "The dealer" if place == DEALER else f"Hand {place}"
            lines.append(f"{name}: had {_text(before)}, now has {_text(after)}.")
    return lines


def fallen(round: Round) -> tuple[Card, ...]:
    """Return every card of the round so far in the order in which it left the device.

    An irregularity's cards count while they are in play or wait for a ruling; burned and discarded
    cards do not.
    """
    waiting = [choice.irregularity for choice in round.choices]
    dealt = [event.card for event in round.record if isinstance(event, Deal)]
    lying = in_play(round) - Counter(dealt)
    cards: list[Card] = []
    for event in round.record:
        if isinstance(event, Deal):
            cards.append(event.card)
        elif isinstance(event, Irregularity) and event.kind in WITH_NEW_CARDS:
            for card in event.cards:
                if lying[card] or event.kind == "not-offered" or event in waiting:
                    cards.append(card)
                    lying[card] -= 1
    return tuple(cards)


def in_play(round: Round) -> Counter[Card]:
    """Count the cards on the layout: on the boxes, at the dealer's place, and out too early."""
    dealt = Counter(card for box in round.boxes.values() for card in box.dealt)
    return dealt + Counter(round.dealer) + Counter(round.ahead)


WITH_NEW_CARDS: tuple[IrregularityKind, ...] = (
    "simultaneous-draw",
    "drawn-in-error",
    "face-up",
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
    return irregularity.kind in _ABOUT_CARDS and irregularity.option != "insurance"


def _record_answers(round: Round, ruling: Ruling | None, rules: Rules) -> None:
    """Record the reconstruction for each further irregularity about the cards, which it answers."""
    kind = ruling.kind if ruling is not None else None
    by = (ruling.by or ruling.player) if ruling is not None else None
    for choice in round.choices:
        option = next((each for each in choice.options if each.ruling == "reconstruct"), None)
        if _about_cards(choice.irregularity):
            why = option.rules if option is not None else rules
            round.rulings.append(Ruled(choice.irregularity.kind, kind, by, why))


def _check(round: Round, cards: Sequence[Card], rules: Rules) -> None:
    """Refuse a list that omits a card in play, or names a card that was not dealt.

    A card that left play may be omitted, and the first card if the burn was forgotten. A card that
    is still to be dealt may be named if no card is omitted.
    """
    named, fell, playing = Counter(cards), Counter(fallen(round)), in_play(round)
    strange = named - Counter(_left_the_device(round))
    if strange and fell - named:
        names = _text(list(strange.elements()))
        raise RefusedError(f"{names} was not dealt in this round", rules)
    if any(event.kind == "no-burn" for event in round.record if isinstance(event, Irregularity)):
        playing -= Counter(fallen(round)[:1])
    missing = playing - named
    if missing:
        names = _text(list(missing.elements()))
        why = f"the list lacks {names}, dealt in this round; name every card in order"
        raise RefusedError(why, rules)


def _left_the_device(round: Round) -> list[Card]:
    """Return every card that left the device in the round, including burned and discarded ones."""
    cards: list[Card] = []
    for event in round.record:
        if isinstance(event, Deal):
            cards.append(event.card)
        elif isinstance(event, Irregularity) and event.kind in WITH_NEW_CARDS:
            cards += event.cards
    return cards


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


def _return_impossible(round: Round, again: Round, rules: Rules) -> None:
    """Return each wager that the new cards do not allow, for example insurance against a king."""
    there = {wager.key for wager in again.wagers}
    for wager in round.wagers:
        if wager.key in there:
            continue
        gone, account = wager.copy(), player_account(wager.key.player)
        again.wagers.append(gone)
        again.postings.append(Posting(wager.key, account, LAYOUT, wager.amount))
        again.cited[wager.key] = round.cited[wager.key] if wager.key in round.returned else ()
        return_wager(again, gone, rules)


def _rule_again(round: Round, again: Round) -> None:
    """Return again the wagers that a ruling had returned before the reconstruction."""
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
                with suppress(RefusedError):  # a hand of a box without a wager is out of play
                    void_place(again, hand, rules)

    _keep_returned(round, again)


def _keep_returned(round: Round, again: Round) -> None:
    """Keep each wager that a ruling had returned with its owner, by the rules of that ruling."""
    placed = {wager.key for wager in again.placed} | {wager.key for wager in again.wagers}
    for key in sorted(round.returned & placed):
        if set(round.parts.get(key, ())) == {"void"} and key not in open_keys(round):
            undo(again, key, round.cited[key])
            clear_hands_without_wagers(again, round.cited[key])


def _return_again(round: Round, again: Round, player: str, rules: Rules) -> None:
    for key, parts in round.parts.items():
        if key.player == player and "void" in parts:
            return_open(again, key, rules)
    clear_hands_without_wagers(again, rules)


def _about(record: Sequence[Event]) -> Irregularity:
    """Return the last irregularity, which a ruling without a hand or player refers to."""
    return next(event for event in reversed(record) if isinstance(event, Irregularity))


def _hands_of(irregularity: Irregularity) -> tuple[str, ...]:
    boxes = [box for box in (*irregularity.boxes, irregularity.box) if box]
    return irregularity.hands or tuple(str(box) for box in boxes)


def _text(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards)) or "nothing"
