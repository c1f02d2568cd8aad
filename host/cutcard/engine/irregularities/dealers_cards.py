"""Correcting only the dealer's hand, where the entire round cannot be reconstructed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cutcard.cards import Card
from cutcard.engine.ledger import LAYOUT, Posting
from cutcard.engine.refusal import RefusedError
from cutcard.engine.settlement import settle_insurance
from cutcard.engine.state import Round
from cutcard.rulebooks.book import Rules


def put_dealers_hand_right(round: Round, cards: Sequence[Card], rules: Rules) -> tuple[Card, ...]:
    """Leave the dealer exactly these cards; return the cards removed from the hand.

    The dealer draws the rest of the hand in turn. Raises RefusedError for a card that is not the
    dealer's and not on a hand that is out of play.
    """
    before = round.dealer
    _check(round, cards, rules)
    if list(cards[:2]) != before[:2]:
        _reopen_insurance(round)
    round.dealer, round.astray = list(cards), ()
    if len(cards) > 1:
        settle_insurance(round)
    elif not cards:
        round.dealer_first = ""
    return tuple((Counter(before) - Counter(cards)).elements())


def as_text(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards)) or "no card"


def without_strays(round: Round) -> tuple[Card, ...]:
    """Return the dealer's cards except those that were due at another place."""
    strays = Counter(round.astray)
    kept: list[Card] = []
    for card in reversed(round.dealer):
        if strays[card]:
            strays[card] -= 1
        else:
            kept.insert(0, card)
    return tuple(kept)


def _check(round: Round, cards: Sequence[Card], rules: Rules) -> None:
    free = Counter(round.dealer)
    for box in round.boxes.values():
        for hand in box.hands:
            if hand.gone:
                free.update(hand.cards)
    if strange := Counter(cards) - free:
        names = " ".join(map(str, strange.elements()))
        raise RefusedError(
            f"{names} is not one of the dealer's cards and not on a void hand", rules
        )


def _reopen_insurance(round: Round) -> None:
    """Reverse the settlement of insurance by a wrong second card."""
    topics = ("insurance.wins", "insurance.loses")
    gone = {rule for topic in topics for rule in round.book.rules(topic)}
    for wager in round.wagers:
        parts = round.parts.get(wager.key, ())
        if wager.key.bet != "insurance" or wager.open or "void" in parts:
            continue
        for posting in [each for each in round.postings if each.key == wager.key]:
            if posting.target != LAYOUT:
                back = Posting(wager.key, posting.target, posting.source, posting.cents)
                round.postings.append(back)
        del round.parts[wager.key]
        cited = round.cited.get(wager.key, ())
        round.cited[wager.key] = tuple(rule for rule in cited if rule not in gone)
        wager.open = True
