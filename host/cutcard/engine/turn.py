"""The hand in turn, and the place of the next card."""

from __future__ import annotations

from typing import NamedTuple

from cutcard.engine import allowed
from cutcard.engine.dealers_hand import (
    dealer_has_peeked_a_blackjack,
    dealer_peeks_now,
    dealer_wants_card,
    first_card_matters,
)
from cutcard.engine.state import DEALER, Box, Hand, Phase, Round


class InTurn(NamedTuple):
    box: Box
    hand: Hand


def hand_in_turn(round: Round) -> InTurn | None:
    """Return the first unfinished hand from the dealer's left; None outside the subsequent deal."""
    if round.phase is not Phase.SUBSEQUENT_DEAL:
        return None
    for number in sorted(round.boxes):
        box = round.boxes[number]
        for hand in box.hands:
            if not is_finished(round, box, hand):
                return InTurn(box, hand)
    return None


def is_finished(round: Round, box: Box, hand: Hand) -> bool:
    """Return whether this hand needs no further decision or card."""
    if hand.gone:
        return True
    if hand.awaits_card:
        return False
    if hand.stood or not hand.has_open_stake:
        return True
    if len(hand.cards) < 2:
        return not hand.from_split
    if hand.doubled or hand.total.points >= 21 or dealer_has_peeked_a_blackjack(round):
        return True
    if hand.split_ace:
        return box.absent or allowed.against_split(round, box, hand) is not None
    if box.absent and not _absent_draws(round, hand):
        return True
    most: int = round.book["draw.most_cards"].value
    return bool(most) and len(hand.cards) >= most


def is_box_finished(round: Round, box: Box) -> bool:
    return all(is_finished(round, box, hand) for hand in box.hands)


def needs_card(round: Round, box: Box, hand: Hand) -> bool:
    """Return whether the hand in turn gets a card without being asked."""
    return (
        hand.awaits_card
        or (hand.from_split and len(hand.cards) == 1)
        or (box.absent and _absent_draws(round, hand))
        or allowed.must_draw(round, box, hand)
    )


def next_card_goes_to(round: Round) -> str | None:
    """Return the place of the next card; None if a decision comes first or no card is needed."""
    if round.phase is Phase.INITIAL_DEAL:
        return round.deal_order[round.dealt]
    if round.phase is not Phase.SUBSEQUENT_DEAL:
        return None
    turn = hand_in_turn(round)
    if _dealer_takes_first_card(round, turn) or dealer_peeks_now(round):
        return DEALER
    if turn is not None:
        return turn.box.place_of(turn.hand) if needs_card(round, turn.box, turn.hand) else None
    return DEALER if dealer_wants_card(round) else None


def _dealer_takes_first_card(round: Round, turn: InTurn | None) -> bool:
    """Return whether a dealer that was passed over gets a card now.

    That is immediately, or after the box in `dealer_first` (Crown 9.7, Singapore 5.12).
    """
    if round.dealer or round.dealer_first is None:
        return False
    if turn is None:
        return first_card_matters(round)
    return str(turn.box.number) != round.dealer_first


def caller(round: Round, box: Box, hand: Hand) -> str | None:
    """Return the player that decides: the present one with the open wager nearest the dealer."""
    for wager in box.mains:
        stake = hand.stake_of(wager.player)
        if stake is not None and stake.open and wager.player not in box.away:
            return wager.player
    return box.mains[0].player if box.mains else None


def _absent_draws(round: Round, hand: Hand) -> bool:
    total = hand.total
    limit: int = round.book["draw.absent_soft" if total.soft else "draw.absent_hard"].value
    return total.points < limit
