"""Settling side wagers: each open one sees the cards dealt so far, and reports its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from cutcard.cards import Card
from cutcard.engine.button import pay_without_press
from cutcard.engine.dealers_hand import dealer_is_finished, live_stakes
from cutcard.engine.events import Metered
from cutcard.engine.ledger import dollars
from cutcard.engine.payments import (
    cite,
    hand_back,
    leave_for_next_round,
    lose,
    pay,
    pay_from_meter,
    place,
    settle_part,
    win,
)
from cutcard.engine.refusal import OutOfTurnError, RefusedError
from cutcard.engine.side_wagers import blackpot, jackpots
from cutcard.engine.side_wagers.decide import VisibleCards, decide
from cutcard.engine.state import Phase, Round, Wager
from cutcard.engine.turn import is_box_finished
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading
from cutcard.rulebooks.side_wagers.catalogue import MeterShare
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome

NOT_SIDE = ("insurance", "ante")


def settle_side_wagers(round: Round) -> None:
    """Settle every side wager that the dealt cards decide. Called again after each card."""
    prizes: dict[str, list[tuple[Wager, WagerOutcome]]] = {}
    for wager in round.wagers:
        if not _is_asked(round, wager):
            continue
        if wager.key.bet == "blackpot":
            _settle_blackpot(round, wager)
            continue
        side = round.book.side_wagers[wager.key.bet]
        seen = sight(round, wager)
        outcome = decide(wager.key.bet, pay_table(round, wager), seen)
        if outcome is None:
            continue
        if side.pair_reading and _equal_but_unlike(seen.box):
            outcome = outcome.citing(side.pair_reading)
        if side.meter_share or wager.picked:
            prizes.setdefault(wager.key.bet, []).append((wager, outcome))
        elif not outcome.wins:
            wager.open = False
            lose(round, wager.key, outcome.rules, money=wager.amount)
        elif side.columns[0].prizes.chances:
            wager.waits_for_press = True
        elif side.riding:
            _offer_to_ride(round, wager, outcome)
        else:
            assert outcome.odds is not None
            wager.open = False
            win(round, wager.key, outcome.odds, outcome.rules, money=wager.amount)
    for bet, won in prizes.items():
        _settle_jackpots(round, bet, won)
    for bet in round.out_of_order:
        pay_without_press(round, bet)


def cite_dealer_hand_wagers(round: Round) -> None:
    """Cite the rule for completing the dealer's hand if only a wager on that hand needed it."""
    if any(
        not hand.is_blackjack and not stake.surrendered for _, hand, stake in live_stakes(round)
    ):
        return
    hands = [hand for box in round.boxes.values() if box.mains for hand in box.hands]
    over = all(hand.is_blackjack or hand.total.points > 21 for hand in hands)
    for wager in round.wagers:
        side = round.book.side_wagers.get(wager.key.bet)
        if side is None or side.settles != "dealer-hand" or not wager.open:
            continue
        by_rule = side.drawn_for if over else ()
        read = (*round.book.rules("dealer.needless"), reading("dealer-draws-for-side-wagers"))
        cite(round, wager.key, by_rule or read)


def pay_table(round: Round, wager: Wager) -> PayTable:
    table = round.table
    side = round.book.side_wagers[wager.key.bet]
    return side.pay_table(table.offers[wager.key.bet], table.decks, table.pack)


def sight(round: Round, wager: Wager) -> VisibleCards:
    """Return the wager's view: the box's cards, the dealer's, and the free bets on the box."""
    box = round.boxes.get(wager.key.box)
    dealer = VisibleCards(
        complete=True,
        dealer=tuple(round.dealer),
        dealer_total=round.dealer_total.points,
        dealer_complete=dealer_is_finished(round),
        variants=round.book.variants,
    )
    if box is None or not box.mains:
        return dealer
    return replace(
        dealer,
        box=tuple(box.dealt),
        split=len(box.hands) > 1,
        complete=is_box_finished(round, box),
        tokens=box.tokens_for(wager.key.player),
        own_main=wager.key.player in box.originals,
    )


def _equal_but_unlike(cards: Sequence[Card]) -> bool:
    """Return whether two first cards count the same but differ in rank, like king and queen."""
    return cards[0].points == cards[1].points and cards[0].rank != cards[1].rank


def take_payout(round: Round, wager: Wager, rules: Rules) -> None:
    """Pay a House Money or Let It Ride that is not left riding to the player."""
    riding, wager.riding = wager.riding, 0
    wager.open = wager.may_ride = False
    hand_back(round, wager.key, "win", rules, money=riding)


def needs_the_box(round: Round, wager: Wager) -> bool:
    """Return whether the cards of the wager's box decide it, not only the dealer's hand."""
    side = round.book.side_wagers.get(wager.key.bet)
    return side is not None and side.settles != "dealer-hand"


def _is_asked(round: Round, wager: Wager) -> bool:
    if not wager.open or wager.key.bet in NOT_SIDE or wager.waits_for_press or wager.may_ride:
        return False
    if wager.riding:
        return False
    box = round.boxes.get(wager.key.box)
    dealer_bet = round.book.side_wagers[wager.key.bet].settles == "dealer-hand"
    return dealer_bet or (box is not None and len(box.dealt) >= 2)


def _offer_to_ride(round: Round, wager: Wager, outcome: WagerOutcome) -> None:
    """Put the payout next to the wager; both stay there until the player chooses (15D.6)."""
    assert outcome.odds is not None
    paid = pay(round, wager.key, outcome.odds * wager.amount, outcome.rules)
    place(round, wager.key, paid)
    wager.riding = wager.amount + paid
    wager.may_ride = True
    settle_part(round, wager.key, "win", outcome.rules)


def _settle_blackpot(round: Round, wager: Wager) -> None:
    """Settle the two legs of Blackpot.

    Two of 6, 7, 8 are paid and the wager stays; the third is settled at the end (23.4.4).
    """
    table, cards = pay_table(round, wager), round.boxes[wager.key.box].dealt
    if not wager.first_leg_won:
        outcome = blackpot.initial_deal(cards, table, ensuing=wager.carried)
        if not outcome.wins:
            wager.open = False
            lose(round, wager.key, outcome.rules, money=wager.amount)
            return
        _pay_blackpot(round, wager, outcome)
        settle_part(round, wager.key, "win", outcome.rules)
        wager.first_leg_won = True
    if round.phase is not Phase.DEALT:
        return
    complete = sight(round, wager).complete
    last = blackpot.subsequent_deal(cards, table, ensuing=wager.carried, complete=complete)
    if last is None:
        return
    wager.open = False
    if not last.wins:
        lose(round, wager.key, last.rules, money=wager.amount)
        return
    _pay_blackpot(round, wager, last)
    rules = round.book.side_wagers[wager.key.bet].carried["on"]
    if wager.carried:
        rules += (reading("blackpot-ends"),)
        hand_back(round, wager.key, "win", rules, money=wager.amount)
    else:
        leave_for_next_round(round, wager.key, rules, money=wager.amount)


def _pay_blackpot(round: Round, wager: Wager, outcome: WagerOutcome) -> None:
    paid = blackpot.payment(outcome, wager.amount, round.table.max_payout.get("blackpot"))
    short = paid < outcome.net(wager.amount)
    rules = outcome.rules + ((reading("blackpot-maximum-payout"),) if short else ())
    pay(round, wager.key, paid, rules)


def _settle_jackpots(round: Round, bet: str, won: list[tuple[Wager, WagerOutcome]]) -> None:
    """Settle the meter prizes of one round together, with Lucky Player and Mystery in addition.

    If a meter is unread, all of these wagers stay open.
    """
    side = round.book.side_wagers[bet]
    if _unread(round, won) is not None:
        return
    for hand, share in side.meter_share.items():
        winners = [wager for wager, outcome in won if outcome.hand == hand]
        _share_meter(round, bet, hand, share, winners)
    for wager, outcome in won:
        wager.open = False
        rules: Rules = ()
        if outcome.wins and outcome.hand not in side.meter_share:
            assert outcome.odds is not None
            pay(round, wager.key, outcome.odds * wager.amount, outcome.rules)
        if outcome.wins:
            rules += outcome.rules
        if wager.picked:
            rules += _pay_picked(round, wager)
        if outcome.wins or wager.picked:
            hand_back(round, wager.key, "win", rules, money=wager.amount)
        else:
            lose(round, wager.key, outcome.rules, money=wager.amount)


def _pay_picked(round: Round, wager: Wager) -> Rules:
    """Pay a picked wager: odds for Lucky Player, a share of the meter for the Mystery Jackpot."""
    side = round.book.side_wagers[wager.key.bet]
    lucky = pay_table(round, wager).pays(
        "mystery" if "mystery" in side.meter_share else "lucky-player"
    )
    if lucky.hand in side.meter_share:
        _share_meter(round, wager.key.bet, lucky.hand, side.meter_share[lucky.hand], [wager])
    else:
        assert lucky.odds is not None
        pay(round, wager.key, lucky.odds * wager.amount, lucky.rules)
    return lucky.rules


def unread_meter(round: Round) -> str | None:
    """Return a meter that a won wager is paid from and that has not been read, or None."""
    decided: list[tuple[Wager, WagerOutcome]] = []
    for wager in round.wagers:
        if _is_asked(round, wager) and round.book.side_wagers[wager.key.bet].meter_share:
            outcome = decide(wager.key.bet, pay_table(round, wager), sight(round, wager))
            decided += [(wager, outcome)] if outcome is not None else []
    return _unread(round, decided)


def _unread(round: Round, decided: list[tuple[Wager, WagerOutcome]]) -> str | None:
    for wager, outcome in decided:
        shares = round.book.side_wagers[wager.key.bet].meter_share
        hands = (outcome.hand, "mystery") if wager.picked else (outcome.hand,)
        for hand in hands:
            if hand in shares and shares[hand].meter not in round.meters:
                return shares[hand].meter
    return None


def read_meter(round: Round, read: Metered) -> None:
    """Record a meter's amount when the outcome is recorded (Crown 21.10.2(a), 24.9.2(a)).

    It must come before the interim settlement, which pays from the meters.
    """
    sides = [
        side
        for bet, side in round.book.side_wagers.items()
        if bet in round.table.offers
        and read.meter in {share.meter for share in side.meter_share.values()}
    ]
    if not sides:
        raise RefusedError(f"no wager of this table is paid from the meter {read.meter!r}")
    rules = sides[0].meter_rules["rounded"]
    if round.phase not in (Phase.INITIAL_DEAL, Phase.BEFORE_INTERIM):
        raise OutOfTurnError("it is too late: the interim settlement has read the meters", rules)
    round.meters[read.meter] = Fraction(read.cents)
    round.note(f"The meter {read.meter} shows {dollars(read.cents)}.", rules)


def _share_meter(
    round: Round, bet: str, hand: str, share: MeterShare, winners: list[Wager]
) -> None:
    if not winners:
        return
    side = round.book.side_wagers[bet]
    seed = Fraction(round.table.seeds.get(share.meter, 0))
    meter = jackpots.Meter(round.meters[share.meter], seed)
    unit = side.rounded_to * 100 if side.rounded_to is not None else (round.table.chip or 1)
    prize, after = jackpots.shared_prize(meter, share.share, len(winners), unit)
    round.meters[share.meter] = after.value
    rules = side.wins[hand] + (side.shared if len(winners) > 1 else ())
    if after.value == after.seed:
        rules += side.reset
    if len(winners) > 2:
        rules += (reading("crown-several-suited-aces"),) if side.rounded_to is not None else ()
    for wager in winners:
        pay_from_meter(round, wager.key, prize, rules)
