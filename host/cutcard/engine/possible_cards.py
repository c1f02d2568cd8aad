"""Checks for cards that the decks of a table cannot contain: wrong cards, or a wrong record."""

from __future__ import annotations

from collections import Counter

from cutcard.cards import Card, all_cards
from cutcard.engine.events import Deal, Event, Irregularity, Ruling
from cutcard.engine.irregularities.reconstruction import WITH_NEW_CARDS
from cutcard.engine.state import Round

# Findings of a proven wrong-cards irregularity that explain an additional card.
_EXPLAINED_BY = ("", "extra", "foreign")


def impossible(round: Round, event: Event) -> str | None:
    """Return the reason that the round's decks cannot contain the event's cards, or None."""
    table = round.table
    decks = all_cards(table.decks, table.pack)
    there = _out(round) if _leave_the_device(event) else Counter[Card]()
    for card, times in Counter(_named(event)).items():
        if card not in decks:
            return f"{card} is impossible: a pack of {table.pack} cards has no tens"
        if times + there[card] > decks[card]:
            have = "1 deck has" if table.decks == 1 else f"{table.decks} decks have"
            return f"{times + there[card]} copies of {card} are impossible: {have} {table.decks}"
    return None


def explains(event: Event) -> bool:
    """Return whether the event reports cards in use that do not belong to the decks."""
    if not isinstance(event, Irregularity) or event.kind != "wrong-cards":
        return False
    return event.found in _EXPLAINED_BY


def _out(round: Round) -> Counter[Card]:
    """Return the cards that cannot be dealt now: with a continuous shuffler only those out."""
    if _cards_come_again(round):
        return _lying(round)
    leaving = [_named(event) for event in round.record if _leave_the_device(event)]
    return Counter(card for cards in leaving for card in cards)


def _cards_come_again(round: Round) -> bool:
    """Return whether discards of this round can be dealt again.

    They can with a continuous shuffler, and with a shoe that ran out.
    """
    if round.table.shuffler == "continuous":
        return True
    return any(isinstance(e, Irregularity) and e.kind == "shoe-empty" for e in round.record)


def _lying(round: Round) -> Counter[Card]:
    """Return the cards on the layout now; settled hands may have been removed."""
    cards = Counter((*round.dealer, *round.ahead))
    for box in round.boxes.values():
        for hand in box.hands:
            if not hand.gone and (hand.has_open_stake or not hand.stakes):
                cards.update(hand.cards)
    return cards


def _leave_the_device(event: Event) -> bool:
    """Return whether the event's cards leave the device with it, not before."""
    if isinstance(event, Irregularity):
        return event.kind in WITH_NEW_CARDS
    return isinstance(event, Deal)


def _named(event: Event) -> tuple[Card, ...]:
    if isinstance(event, Deal):
        return (event.card,)
    return event.cards if isinstance(event, Irregularity | Ruling) else ()
