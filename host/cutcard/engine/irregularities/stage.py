"""The stage of a round at which an irregularity is noticed; the rulebooks' answers depend on it."""

from __future__ import annotations

from enum import Enum

from cutcard.engine.choice_owners import is_present
from cutcard.engine.dealers_hand import dealer_is_finished, dealer_wants_card
from cutcard.engine.interim import settle_interim
from cutcard.engine.state import DEALER, Phase, Round
from cutcard.engine.turn import InTurn, caller, hand_in_turn, next_card_goes_to


class Stage(Enum):
    """The stages that the published tables distinguish."""

    BEFORE_FIRST_CARD = "before the first card"
    INITIAL_DEAL = "initial deal"
    AFTER_INTERIM = "after the interim settlement"
    PLAYERS_TURN = "a player's turn"
    DEALERS_HAND = "the dealer's hand"
    SETTLED = "settled"


def stage_of(round: Round | None) -> Stage:
    """Return the stage of a round, in the words of the published tables; also before it begins."""
    if round is None:
        return Stage.BEFORE_FIRST_CARD
    if round.over:
        return Stage.SETTLED
    if not cards_have_left(round):
        return Stage.BEFORE_FIRST_CARD
    if round.phase is not Phase.SUBSEQUENT_DEAL:
        return Stage.INITIAL_DEAL
    if hand_in_turn(round) is None:
        return Stage.DEALERS_HAND
    begun = round.subsequent_deal_begun or round.further_card_dealt
    return Stage.PLAYERS_TURN if begun else Stage.AFTER_INTERIM


def cards_have_left(round: Round) -> bool:
    return bool(round.dealer or round.ahead or any(box.dealt for box in round.boxes.values()))


def initial_deal_over(round: Round) -> bool:
    """Return whether the interim settlement is made, or the subsequent deal has begun."""
    return round.phase not in (Phase.INITIAL_DEAL, Phase.BEFORE_INTERIM)


def anything_settled(round: Round) -> bool:
    """Return whether a wager of the round has been paid or taken."""
    decided = any("win" in parts or "lose" in parts for parts in round.parts.values())
    return decided or any(wager.first_leg_won for wager in round.wagers)


def dealers_hand_complete(round: Round) -> bool:
    """Return whether the dealer takes no card: the hand is finished or no wager needs a card."""
    if round.phase is not Phase.SUBSEQUENT_DEAL or hand_in_turn(round) is not None:
        return False
    return dealer_is_finished(round) or not dealer_wants_card(round)


def hand_to_act(round: Round) -> InTurn | None:
    """Return the hand that is next to be acted upon, after the interim settlement if it is due."""
    return hand_in_turn(_after_interim(round))


def player_to_act(round: Round) -> str | None:
    """Return the present player that decides on the next hand to be acted upon."""
    turn = hand_to_act(round)
    if turn is None or turn.box.absent:
        return None
    who = caller(round, turn.box, turn.hand)
    return who if who is not None and is_present(round, who) else None


def next_place(round: Round) -> str | None:
    """Return the place of a card that has just left: the hand that calls for it, or the next."""
    after = _after_interim(round)
    place = next_card_goes_to(after)
    if place is not None:
        return place
    turn = hand_in_turn(after)
    return _place_of(turn) if turn is not None else DEALER


def _place_of(turn: InTurn) -> str:
    return turn.box.place_of(turn.hand)


def _after_interim(round: Round) -> Round:
    if round.phase is not Phase.BEFORE_INTERIM:
        return round
    after = round.copy()
    settle_interim(after)
    return after
