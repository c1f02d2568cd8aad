"""Putting a card on a hand, and its immediate consequences."""

from __future__ import annotations

from cutcard.cards import Card
from cutcard.engine import allowed
from cutcard.engine.dealers_hand import rules_of_dealers_ace
from cutcard.engine.interim import pay_certain_blackjacks
from cutcard.engine.ledger import Key
from cutcard.engine.payments import cite
from cutcard.engine.refusal import OutOfTurnError
from cutcard.engine.settlement import settle_at_once, settle_bust, settle_insurance
from cutcard.engine.side_betting import settle_side_wagers
from cutcard.engine.state import DEALER, Box, Hand, Phase, Round


def put(round: Round, card: Card, place_: str) -> None:
    """Put a card on a hand, and settle the wagers that it decides."""
    if round.phase is Phase.INITIAL_DEAL:
        _put_initially(round, card, place_)
        return
    round.further_card_dealt = True
    if place_ == DEALER:
        round.subsequent_deal_begun = True
        round.dealer.append(card)
        round.note(f"The dealer draws {card}: {round.dealer_total}.", _drawing_rules(round))
        if len(round.dealer) == 1:
            settle_side_wagers(round)
            pay_certain_blackjacks(round)
        elif len(round.dealer) == 2:
            settle_insurance(round)
        return
    box, hand = _hand_at(round, place_)
    forced = not hand.awaits_card and allowed.must_draw(round, box, hand)
    hand.cards.append(card)
    box.dealt.append(card)
    hand.forced = hand.forced or forced
    hand.awaits_card = False
    round.subsequent_deal_begun = True
    if round.dealer:
        round.late_options -= {"surrender"}
    rules = round.book.rules("draw.forced" if forced else "deal.further")
    for stake in hand.stakes if forced else ():
        cite(round, Key(box.number, stake.player, "main"), rules)
    round.note(f"Hand {place_} gets {card}: {hand.total}.", rules)
    if hand.total.points > 21:
        settle_bust(round, box, hand)
    else:
        settle_at_once(round, box, hand)
    settle_side_wagers(round)


def _put_initially(round: Round, card: Card, place_: str) -> None:
    if place_ == DEALER:
        round.dealer.append(card)
    else:
        number = int(place_.partition(".")[0])
        box = round.boxes.setdefault(number, Box(number, [], {}, hands=[Hand()]))
        box.hands[0].cards.append(card)
        box.dealt.append(card)
    round.dealt += 1


def check_place(round: Round, place_: str) -> None:
    """Raise OutOfTurnError unless it is the dealer, a box of the table or an existing hand."""
    number, _, order = place_.partition(".")
    if place_ == DEALER:
        return
    most: int = round.book["boxes.most"].value
    if most and int(number) > most:
        raise OutOfTurnError(f"there is no box {number}: the table has {most}")
    box = round.boxes.get(int(number))
    if order and int(order) > (len(box.hands) if box is not None else 0):
        raise OutOfTurnError(f"there is no hand {place_}")


def _hand_at(round: Round, place_: str) -> tuple[Box, Hand]:
    number, _, order = place_.partition(".")
    box = round.boxes.setdefault(int(number), Box(int(number), [], {}, hands=[Hand()]))
    return box, box.hands[int(order) - 1 if order else 0]


def _drawing_rules(round: Round) -> tuple[str, ...]:
    drawn = round.book.rules("dealer.soft_17" if len(round.dealer) > 2 else "deal.dealer")
    return drawn + rules_of_dealers_ace(round)
