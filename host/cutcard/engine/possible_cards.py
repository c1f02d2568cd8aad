"""Checks for cards that the decks of a table cannot have given: wrong cards, or a wrong record."""

from __future__ import annotations

from collections import Counter

from cutcard.cards import Card, all_cards
from cutcard.engine.events import Deal, Event, Irregularity, Ruling
from cutcard.engine.irregularities.reconstruction import WITH_NEW_CARDS
from cutcard.engine.state import Round

# What a count that proves wrong cards can have found of a card that should not be there.
_EXPLAINED_BY = ("", "extra", "foreign")


def impossible(round: Round, event: Event) -> str | None:
    """Why the cards of an event cannot be what the round's decks give; None where they can be."""
    table = round.table
    decks = all_cards(table.decks, table.pack)
    there = _out(round) if _leave_the_device(event) else Counter[Card]()
    for card, times in Counter(_named(event)).items():
        if card not in decks:
            return f"{card} cannot be: a pack of {table.pack} has no tens"
        if times + there[card] > decks[card]:
            have = "1 deck has" if table.decks == 1 else f"{table.decks} decks have"
            return f"{card} cannot be there {times + there[card]} times: {have} {table.decks}"
    return None


def explains(event: Event) -> bool:
    """Somebody found that cards were in use which should not be."""
    if not isinstance(event, Irregularity) or event.kind != "wrong-cards":
        return False
    return event.found in _EXPLAINED_BY


def _out(round: Round) -> Counter[Card]:
    """The cards that cannot come now; where discards go back, those that still lie there."""
    if _cards_come_again(round):
        return _lying(round)
    leaving = [_named(event) for event in round.record if _leave_the_device(event)]
    return Counter(card for cards in leaving for card in cards)


def _cards_come_again(round: Round) -> bool:
    """Discards of this round go back into a continuous shuffler, and into a shoe that ran out."""
    if round.table.shuffler == "continuous":
        return True
    return any(isinstance(e, Irregularity) and e.kind == "shoe-empty" for e in round.record)


def _lying(round: Round) -> Counter[Card]:
    """What lies on the layout at this moment; a hand that is settled may have been taken up."""
    cards = Counter((*round.dealer, *round.ahead))
    for box in round.boxes.values():
        for hand in box.hands:
            if not hand.gone and (hand.has_open_stake or not hand.stakes):
                cards.update(hand.cards)
    return cards


def _leave_the_device(event: Event) -> bool:
    """Whether the cards that it names come with it; others name cards that lie there."""
    if isinstance(event, Irregularity):
        return event.kind in WITH_NEW_CARDS
    return isinstance(event, Deal)


def _named(event: Event) -> tuple[Card, ...]:
    if isinstance(event, Deal):
        return (event.card,)
    return event.cards if isinstance(event, Irregularity | Ruling) else ()
