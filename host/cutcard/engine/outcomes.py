"""The outcomes that the cards have decided so far, paid or unpaid."""

from __future__ import annotations

from cutcard.cards import Card
from cutcard.engine.dealers_hand import dealer_is_finished
from cutcard.engine.interim import settle_interim
from cutcard.engine.ledger import HOUSE, METERS, balance
from cutcard.engine.settlement import settle_hands, settle_insurance
from cutcard.engine.side_betting import settle_side_wagers
from cutcard.engine.state import Phase, Round


def outcome_established(round: Round) -> bool:
    """Return whether the cards have conclusively won or lost any wager (Singapore 5.30)."""
    seen = round.copy()
    if seen.phase is Phase.BEFORE_INTERIM:
        settle_interim(seen)
    elif seen.phase is Phase.SUBSEQUENT_DEAL or seen.dealt:
        settle_side_wagers(seen)
    decided = {"win", "lose", "surrendered"}
    if any(decided & set(parts) for parts in seen.parts.values()):
        return True
    return free_bet_used(seen) or _decided_by_dealer(seen)


def players_at_once(round: Round, card: Card) -> int:
    """Return the cents that the players would gain if the dealer's hand ended with this card."""
    seen = round.copy()
    if seen.phase is not Phase.SUBSEQUENT_DEAL:
        return 0
    seen.dealer.append(card)
    if len(seen.dealer) == 2:
        settle_insurance(seen)
    settle_hands(seen)
    settle_side_wagers(seen)
    return -balance(seen.postings, HOUSE) - balance(seen.postings, METERS)


def free_bet_used(round: Round) -> bool:
    """Return whether a Pot of Gold wager has won with the first marker on its box."""
    for wager in round.wagers:
        box = round.boxes.get(wager.key.box)
        if not wager.open or wager.key.bet != "pot-of-gold" or box is None:
            continue
        if box.tokens_for(wager.key.player):
            return True
    return False


def _decided_by_dealer(round: Round) -> bool:
    """Return whether the dealer's hand is complete, or a waiting Blackjack has won against it."""
    hands = [hand for box in round.boxes.values() for hand in box.hands if hand.has_open_stake]
    if len(round.dealer) < 2 or not hands:
        return False
    return dealer_is_finished(round) or any(
        hand.is_blackjack and not round.dealer_blackjack for hand in hands
    )
