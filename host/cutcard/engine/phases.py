"""Moving a round from one phase to the next, and using cards that have already left the device."""

from __future__ import annotations

from cutcard.engine import decisions
from cutcard.engine.choice_owners import pass_on
from cutcard.engine.choices import lapse
from cutcard.engine.dealing import put
from cutcard.engine.interim import settle_interim
from cutcard.engine.irregularities import lying_cards
from cutcard.engine.side_betting import needs_the_box
from cutcard.engine.state import Box, Phase, Round
from cutcard.engine.turn import next_card_goes_to


def enter_subsequent_deal(round: Round) -> None:
    if round.phase is Phase.BEFORE_INTERIM:
        settle_interim(round)
        move_on(round)


def move_on(round: Round, *, unasked: bool = False, device_deals: bool = False) -> bool:
    """Use cards that have already left the device, while hands call for them.

    A card that may be refused goes to a hand that did not ask for it only after play has continued
    without a refusal (`unasked`).
    """
    used = False
    lying_cards.follow_the_turn(round)
    while round.ahead and round.following is None and not lying_cards.wait_for_a_ruling(round):
        place_ = next_card_goes_to(round)
        if place_ is None or round.phase is Phase.BEFORE_INTERIM:
            break
        if not lying_cards.may_go_to(round, place_, unasked=unasked, device_deals=device_deals):
            break
        put(round, lying_cards.take(round, place_), place_)
        used = True
        _close_initial_deal(round)
        lying_cards.follow_the_turn(round)
    _close_initial_deal(round)
    return used


def settle_down(round: Round) -> bool:
    """Pass choices on to their present owners, and use the cards that then belong to a hand.

    Return whether a card was used.
    """
    used = False
    if round.following is not None and not decisions.may_be_followed(round, round.following):
        close_following(round)
    _close_initial_deal(round)
    lying_cards.follow_the_turn(round)
    pass_on(round)
    while move_on(round):
        used = True
        pass_on(round)
    return used


def press_on(round: Round, *, device_deals: bool = False) -> None:
    """Resume play: a player with a choice, or with a card to refuse, did not use it."""
    lapse(round, holding_only=True, card_called_for=next_card_goes_to(round) is not None)
    move_on(round, unasked=True, device_deals=device_deals)


def _close_initial_deal(round: Round) -> None:
    if round.phase is not Phase.INITIAL_DEAL:
        return
    emptied = {str(number) for number, box in round.boxes.items() if _is_emptied(round, box)}
    if emptied:
        due = round.deal_order[round.dealt :]
        still_due = tuple(place for place in due if place not in emptied)
        round.deal_order = round.deal_order[: round.dealt] + still_due
    if round.dealt == len(round.deal_order):
        round.phase = Phase.BEFORE_INTERIM


def _is_emptied(round: Round, box: Box) -> bool:
    """Return whether the wagers of the box were returned, so that it gets no more cards."""
    if not box.mains or not all(hand.gone for hand in box.hands):
        return False
    return not any(
        wager.open and wager.key.box == box.number and needs_the_box(round, wager)
        for wager in round.wagers
    )


def close_following(round: Round) -> None:
    if round.following is not None:
        decisions.cite_undecided_followers(round, round.following)
        round.following = None
        move_on(round)
