"""Cards that left the device too early: the hand that gets them, and the players that may refuse.

They wait in `Round.ahead` and are used next. `Round.offer` is set if players see them and may
refuse them (New Zealand 16.4; Singapore 5.9, 5.23.3.1).
"""

from __future__ import annotations

from dataclasses import replace

from cutcard.cards import Card
from cutcard.engine.choices import PLAYER as BY_PLAYER
from cutcard.engine.choices import Choice, Option, answer, offer
from cutcard.engine.events import Irregularity, Ruling
from cutcard.engine.irregularities.stage import hand_to_act
from cutcard.engine.ledger import Key
from cutcard.engine.payments import cite
from cutcard.engine.refusal import OutOfTurnError, RefusedError
from cutcard.engine.state import DEALER, Offer, Phase, Round
from cutcard.engine.turn import InTurn, caller, hand_in_turn
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import is_reading


def wait_for_a_ruling(round: Round) -> bool:
    return any(choice.required or choice.holds for choice in round.choices)


def may_go_to(round: Round, place: str, *, unasked: bool, device_deals: bool) -> bool:
    """Return whether this hand may get the waiting card, or a card from the device."""
    if round.offer is None or place == DEALER or round.phase is Phase.INITIAL_DEAL:
        return True
    if _box_of(place) == round.offer.passed_by:
        return unasked and not device_deals
    turn = hand_in_turn(round)
    # An absent player cannot refuse the card.
    return unasked or (turn is not None and (turn.hand.awaits_card or turn.box.absent))


def take(round: Round, place: str) -> Card:
    """Remove the next waiting card and return it."""
    card = round.ahead.pop(0)
    if place == DEALER and round.offer is not None and not round.offer.burned:
        text = "The players have refused the card: the dealer gets it."
        answer(round, round.offer.irregularity, round.offer.rules, text)
    held = round.offer
    if held is not None and not (round.ahead and (held.burned or held.pass_on)):
        round.offer = None
    if not round.ahead:
        round.choices = [choice for choice in round.choices if not choice.with_cards]
    return card


def follow_the_turn(round: Round) -> None:
    """Pass on, or burn, cards offered to one player when the turn has left that player.

    Singapore 5.23.3.1.
    """
    held = round.offer
    if held is None or round.phase not in (Phase.BEFORE_INTERIM, Phase.SUBSEQUENT_DEAL):
        return
    if not held.burned and held.pass_on is None:
        return
    turn = hand_to_act(round)
    box = str(turn.box.number) if turn is not None else None
    if held.pass_on is not None:
        if box != held.offered_to:
            held.pass_on(round)
    elif held.offered_to is not None and box != held.offered_to:
        burn(round)
        answer(round, held.irregularity, held.rules, "The declined cards are burned.")
    elif held.offered_to is None and box not in (None, held.passed_by):
        round.offer = replace(held, offered_to=box)


def burn(round: Round) -> None:
    round.ahead = []
    round.offer = None


def offer_to_players(
    round: Round, irregularity: Irregularity, rules: Rules, refusing: Rules
) -> None:
    """Offer the card to each player in turn; a player that refuses it ends the hand.

    `rules` are the rules by which the dealer gets it when all have refused. If no player is left to
    act, the dealer gets it immediately, without an offer.
    """
    if hand_to_act(round) is None:
        return
    round.offer = Offer(irregularity, rules)

    def refuse(round: Round, ruling: Ruling) -> None:
        turn = refusing_hand(round, ruling, refusing)
        stand_without_card(round, turn, refusing)

    option = Option("refuse-card", BY_PLAYER, refusing, refuse)
    offer(
        round,
        Choice(
            irregularity, (option,), rules, required=False, for_each_player=True, with_cards=True
        ),
    )


def stand_without_card(round: Round, turn: InTurn, rules: Rules) -> None:
    """Stand on the hand of a player that refuses the card, and cite the rules on its wagers."""
    turn.hand.stood, turn.hand.awaits_card = True, False
    of_the_hand = tuple(rule for rule in rules if not is_reading(rule))
    for stake in turn.hand.stakes:
        if stake.open:
            why = rules if _plays_another(round, turn, stake.player) else of_the_hand
            cite(round, Key(turn.box.number, stake.player, "main"), why)
    round.note(f"Hand {turn.box.place_of(turn.hand)} refuses the offered cards.", rules)


def _plays_another(round: Round, turn: InTurn, player: str) -> bool:
    """Return whether the player has another hand in play."""
    hands = [hand for box in round.boxes.values() for hand in box.hands if hand is not turn.hand]
    return any((stake := hand.stake_of(player)) is not None and stake.open for hand in hands)


def refusing_hand(round: Round, ruling: Ruling, rules: Rules) -> InTurn:
    """Return the hand that refuses: the hand in turn, and only by its caller."""
    turn = hand_in_turn(round)
    if round.offer is None or not round.ahead:
        raise RefusedError("no card is offered", rules)
    who = ruling.player or ruling.by
    if turn is None or (ruling.box is not None and ruling.box != turn.box.number):
        raise OutOfTurnError("the card is offered in turn", rules)
    if who is not None and who != caller(round, turn.box, turn.hand):
        raise RefusedError(f"the card is not offered to {who}", rules)
    if str(turn.box.number) == round.offer.passed_by:
        raise RefusedError(f"{who} has already declined these cards", rules)
    return turn


def _box_of(place: str) -> str:
    return place.partition(".")[0]
