"""The dealer's hand: whether it is finished, and whether another card could affect a wager."""

from __future__ import annotations

from cutcard.engine.side_wagers.decide import reads_dealers_card
from cutcard.engine.state import Box, Hand, Round, Stake
from cutcard.rulebooks.book import Rules


def dealer_is_finished(round: Round) -> bool:
    """Apply only the drawing rule: 17 or more is finished; soft 17 depends on the variant."""
    if len(round.dealer) < 2:
        return False
    total = round.dealer_total
    if total.points == 17 and total.soft:
        return round.book.says("dealer.soft_17", "stand")
    return total.points >= 17


def rules_of_dealers_ace(round: Round) -> Rules:
    """Return the rule for an ace counted as eleven that makes the dealer stand (Crown 3.2.1(b))."""
    entry = round.book.get("dealer.ace")
    stands = dealer_is_finished(round) and round.dealer_total.soft and not round.dealer_blackjack
    return entry.rules if entry is not None and stands else ()


def dealer_peeks_now(round: Round) -> bool:
    """Return whether the dealer takes the second card now, before the turns."""
    if not round.book.flag("dealer.peeks") or len(round.dealer) != 1:
        return False
    return round.dealer[0].points in (1, 10) and _second_card_matters(round)


def dealer_has_peeked_a_blackjack(round: Round) -> bool:
    """Return whether the dealer has shown a Blackjack before the turns, which ends them."""
    return round.book.flag("dealer.peeks") and round.dealer_blackjack


def dealer_wants_card(round: Round) -> bool:
    """Return whether the drawing rule requires a card, also a second, and a wager depends on it."""
    if dealer_is_finished(round):
        return False
    if _whole_hand_matters(round):
        return True
    return len(round.dealer) < 2 and _second_card_matters(round)


def first_card_matters(round: Round) -> bool:
    """Return whether any wager depends on the first card of a dealer without cards."""
    reads = any(wager.open and reads_dealers_card(wager.key.bet) for wager in round.wagers)
    return reads or dealer_wants_card(round)


def dealer_may_draw(round: Round) -> bool:
    """Return whether the dealer may take a card that no wager depends on.

    That is the first card of a dealer that was passed over (Crown 9.7, Singapore 5.12), and the
    cards against a wager that is returned whatever its result (Crown 6.2.1).
    """
    if not round.dealer and round.dealer_first is not None:
        return True
    return not dealer_is_finished(round) and any(
        stake.open and stake.player in box.returned and not hand.gone
        for box in round.boxes.values()
        for hand in box.hands
        for stake in hand.stakes
    )


def _whole_hand_matters(round: Round) -> bool:
    return any(
        wager.open and _watches_dealer(round, wager.key.bet) for wager in round.wagers
    ) or any(
        not hand.is_blackjack and not stake.surrendered for _, hand, stake in live_stakes(round)
    )


def _second_card_matters(round: Round) -> bool:
    insured = any(wager.open and wager.key.bet == "insurance" for wager in round.wagers)
    return insured or any(True for _ in live_stakes(round))


def live_stakes(round: Round) -> list[tuple[Box, Hand, Stake]]:
    """Return the stakes that the dealer's cards can still decide."""
    return [
        (box, hand, stake)
        for box in round.boxes.values()
        for hand in box.hands
        if not hand.gone
        for stake in hand.stakes
        if stake.open and stake.player not in box.returned
    ]


def _watches_dealer(round: Round, bet: str) -> bool:
    side = round.book.side_wagers.get(bet)
    return side is not None and side.settles == "dealer-hand"
