"""The round: `start` lays the wagers down, `step` takes one event, `finish` settles what is left.

A round is never changed: `step` works on a copy, so a refused event has changed nothing, and the
same events give the same round again.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from cutcard.cards import Card
from cutcard.engine import allowed, bonuses, decisions, options, presses
from cutcard.engine.books.noticing import notice
from cutcard.engine.choices import lapse, rule
from cutcard.engine.dealers_hand import (
    dealer_is_finished,
    dealer_may_draw,
    rules_of_dealers_ace,
)
from cutcard.engine.events import Act, Deal, Event, Fault, Metered, Press, Ruling, Settled
from cutcard.engine.interim import ante_is_due, pay_certain_blackjacks, settle_interim
from cutcard.engine.irregularities import lying_cards
from cutcard.engine.ledger import Key, dollars
from cutcard.engine.limits import counted, counted_side_wager
from cutcard.engine.payments import cite, hand_back, place
from cutcard.engine.refusal import IncompleteError, OutOfTurnError
from cutcard.engine.settlement import (
    settle_at_once,
    settle_bust,
    settle_hands,
    settle_insurance,
)
from cutcard.engine.side_betting import (
    cite_who_kept_the_dealer_drawing,
    read_meter,
    settle_side_wagers,
    take_payout,
    unread_meter,
)
from cutcard.engine.state import DEALER, Box, Hand, Phase, Placed, Round, Stake, Table, Wager
from cutcard.engine.turn import hand_in_turn, next_card_goes_to


def start(table: Table, placed: Sequence[Placed], deal_order: Sequence[str] = ()) -> Round:
    """A round with its wagers on the layout and no card dealt.

    `deal_order` is the order in which the cards of the initial deal in fact fall, where that is
    known to be wrong (a box passed over, or one without a wager that was dealt to).
    """
    round = Round(table, tuple(placed), ())
    for number in sorted({wager.box for wager in placed if wager.bet == "main"}):
        mains = [wager for wager in placed if wager.box == number and wager.bet == "main"]
        round.boxes[number] = _lay_down(round, number, mains)
    for wager in placed:
        if wager.bet != "main":
            _lay_down_side_wager(round, wager)
    round.deal_order = tuple(deal_order) or _deal_order(round)
    round.meters = {meter: Fraction(cents) for meter, cents in table.meters.items()}
    if not round.deal_order:
        round.phase = Phase.SUBSEQUENT_DEAL
    return round


def step(round: Round, event: Event) -> Round:
    """The round after one more event. Raises RefusedError, and leaves the old round as it was."""
    new = round.copy()
    _take(new, event)
    if _move_on(new) and not isinstance(event, Fault | Ruling):
        lapse(new)
    new.record = (*round.record, event)
    return new


def finish(round: Round) -> Round:
    """All that is left is settled. Raises IncompleteError where a card or a decision is owed."""
    new = round.copy()
    if new.over:
        lapse(new)
        return new
    _chosen_first(new)
    _close_following(new)
    _enter_subsequent_deal(new)
    _press_on(new)
    _settle_round(new)
    return new


def _chosen_first(round: Round) -> None:
    """Silence is an answer only where play went on: at the end of a record nobody has spoken."""
    if any(choice.must_be_made for choice in round.choices):
        raise IncompleteError(f"the round is not complete: it waits for {owed(round)}")


def go_on(round: Round) -> Round:
    """The round when nobody rules who need not, and cards that lie out go where they are due.

    The next event does this by itself; a live table must know it before it calls for a card.
    """
    new = round.copy()
    if not new.over and not any(choice.required for choice in new.choices):
        _press_on(new)
    return new


def owed(round: Round) -> str | None:
    """What the round waits for, in words; None where it can be settled."""
    undecided = [choice for choice in round.choices if choice.must_be_made]
    if undecided:
        choice = undecided[-1]
        ways = ", ".join(f"{o.ruling} ({o.by or 'anybody'})" for o in choice.options)
        return f"a ruling on {choice.fault.kind}: {ways}"
    if round.over or round.phase is Phase.BEFORE_INTERIM or _all_withdrawn(round):
        return None
    place_ = next_card_goes_to(round)
    if place_ is not None:
        return "a card for the dealer" if place_ == DEALER else f"a card for box {place_}"
    turn = hand_in_turn(round)
    if turn is not None:
        return f"a decision for hand {turn.box.place_of(turn.hand)} ({turn.hand.total})"
    pressing = [wager.key for wager in round.wagers if wager.open and wager.waits_for_press]
    if pressing:
        return f"the button for {pressing[0].player} on box {pressing[0].box}"
    meter = unread_meter(round)
    return f"what the meter {meter} records" if meter is not None else None


def _all_withdrawn(round: Round) -> bool:
    """Nothing is left of the wagers, and the initial deal need not be completed (5.30.1)."""
    lying = any(wager.open for wager in round.wagers) or any(
        hand.has_open_stake for box in round.boxes.values() for hand in box.hands
    )
    return round.phase is Phase.INITIAL_DEAL and bool(round.placed) and not lying


def _take(round: Round, event: Event) -> None:
    if isinstance(event, Fault):
        for place_ in (*event.hands, *map(str, filter(None, event.boxes)), event.to or DEALER):
            check_place(round, place_)
        notice(round, event)
        return
    if isinstance(event, Ruling):
        if event.kind == "refuse-card":
            _enter_subsequent_deal(round)
        rule(round, event)
        return
    if round.over:
        raise OutOfTurnError(f"the round is {round.phase.value}")
    if isinstance(event, Metered):
        read_meter(round, event)
        return
    _ruled_first(round)
    _press_on(round, device_deals=isinstance(event, Deal))
    if isinstance(event, Deal):
        _deal(round, event)
    elif isinstance(event, Act):
        _act(round, event)
    elif isinstance(event, Press):
        _enter_subsequent_deal(round)
        presses.press(round, event)
    else:
        _settled(round, event)


def _ruled_first(round: Round) -> None:
    for choice in round.choices:
        if choice.required:
            ways = ", ".join(option.ruling for option in choice.options)
            raise OutOfTurnError(
                f"{choice.fault.kind} must be ruled on first: {ways}", choice.rules
            )


def _settled(round: Round, event: Settled) -> None:
    if event.what == "interim":
        if round.phase is not Phase.BEFORE_INTERIM:
            raise OutOfTurnError("the interim settlement follows the initial deal")
        settle_interim(round)
    else:
        _enter_subsequent_deal(round)
        _settle_round(round)


def _act(round: Round, act: Act) -> None:
    if act.kind == "insure":
        options.insure(round, act)
        return
    if round.phase is Phase.INITIAL_DEAL:
        raise OutOfTurnError("the initial deal is not complete", round.book.rules("boxes.turns"))
    _enter_subsequent_deal(round)
    _press_on(round)
    if act.kind == "even-money":
        options.even_money(round, act)
    elif act.kind == "keep-riding":
        options.keep_riding(round, act)
    elif act.kind == "withdraw-double":
        decisions.withdraw_double(round, act)
    elif act.kind == "surrender" and not round.book.says("surrender.kind", "in-turn"):
        decisions.surrender_before_turns(round, act)
    else:
        if round.following is not None and not decisions.is_following(round, act):
            _close_following(round)
        decisions.decide(round, act)


def _enter_subsequent_deal(round: Round) -> None:
    if round.phase is Phase.BEFORE_INTERIM:
        settle_interim(round)
        _move_on(round)


def _deal(round: Round, event: Deal) -> None:
    _enter_subsequent_deal(round)
    _close_following(round)
    _press_on(round, device_deals=True)
    due = next_card_goes_to(round)
    if due is None and hand_in_turn(round) is None and dealer_may_draw(round):
        due = DEALER
    if event.to is None and due is None:
        waits = owed(round) or "the settlement"
        raise OutOfTurnError(
            f"no rule calls for {event.card}: the round waits for {waits}",
            round.book.rules("boxes.turns") + round.book.rules("dealer.needless"),
        )
    lapse(round)
    if event.to is not None:
        check_place(round, event.to)
    put(round, event.card, event.to or due or DEALER)


def _move_on(round: Round, *, unasked: bool = False, device_deals: bool = False) -> bool:
    """Use cards that have left the device already, as far as hands call for them.

    One that may be refused goes to a hand that has not asked for it only when play has gone on
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


def _press_on(round: Round, *, device_deals: bool = False) -> None:
    """Play goes on: whoever might have chosen or refused has not."""
    lapse(round, holding_only=True)
    _move_on(round, unasked=True, device_deals=device_deals)


def _close_initial_deal(round: Round) -> None:
    if round.phase is Phase.INITIAL_DEAL and round.dealt == len(round.deal_order):
        round.phase = Phase.BEFORE_INTERIM


def _close_following(round: Round) -> None:
    if round.following is not None:
        decisions.cite_for_who_did_not_follow(round, round.following)
        round.following = None
        _move_on(round)


def put(round: Round, card: Card, place_: str) -> None:
    """A card comes to lie on a hand, and what follows from it at once."""
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
    """A card can lie at the dealer's, on any box of the table, and on a hand that is there."""
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


def _settle_round(round: Round) -> None:
    waits = owed(round)
    if waits is not None:
        raise IncompleteError(f"the round is not complete: it waits for {waits}")
    lapse(round)
    for wager in round.wagers:
        if wager.may_ride:
            take_payout(round, wager, round.book.side_wagers[wager.key.bet].riding["kept"])
    round.phase = Phase.DEALT
    cite_who_kept_the_dealer_drawing(round)
    settle_hands(round)
    settle_side_wagers(round)
    bonuses.pay_others_their_bonus(round)
    if round.dealer and not dealer_is_finished(round):
        round.note("The dealer draws no further card.", round.book.rules("dealer.needless"))
    lapse(round)
    round.choices.clear()
    round.phase = Phase.SETTLED


def _deal_order(round: Round) -> tuple[str, ...]:
    """One card to each box with a wager, one to the dealer, a second card to each box."""
    boxes = [str(number) for number in sorted(round.boxes)]
    return (*boxes, DEALER, *boxes) if boxes else ()


def _lay_down(round: Round, number: int, mains: list[Placed]) -> Box:
    hand = Hand()
    box = Box(number, mains, {}, hands=[hand])
    returned: list[str] = []
    for wager, counts in zip(mains, counted(round.table, mains), strict=True):
        key = wager.key
        box.originals[wager.player] = counts.amount
        place(round, key, counts.amount)
        cite(round, key, counts.rules)
        if counts.amount != wager.amount:
            text = f"Of {dollars(wager.amount)} on box {number}, {dollars(counts.amount)} counts."
            round.note(text, counts.rules)
        if counts.returned:
            returned.append(wager.player)
        if counts.amount == 0:
            hand_back(round, key, "void", counts.rules, money=0)
        else:
            hand.stakes.append(Stake(wager.player, counts.amount))
        _lay_down_ante(round, wager)
    box.returned = frozenset(returned)
    return box


def _lay_down_ante(round: Round, wager: Placed) -> None:
    ante = round.table.ante
    if ante is None or not wager.ante:
        return
    if not ante_is_due(round.table, wager):
        waived = round.book.get("ante.waived")
        cite(round, wager.key, waived.rules if waived else ())
        return
    key = Key(wager.box, wager.player, "ante")
    place(round, key, ante)
    round.wagers.append(Wager(key, ante))


def _lay_down_side_wager(round: Round, wager: Placed) -> None:
    counts = counted_side_wager(round.table, wager)
    place(round, wager.key, counts.amount)
    cite(round, wager.key, counts.rules)
    cite(round, wager.key, round.book.side_wagers[wager.bet].rules_in(round.book.variants))
    lying = Wager(wager.key, counts.amount, carried=wager.carried, picked=wager.picked)
    round.wagers.append(lying)
    if counts.returned:
        lying.open = False
        hand_back(round, wager.key, "void", counts.rules, money=counts.amount)
        return
    if wager.carried and wager.box not in round.boxes:
        lying.open = False
        rules = ("23.5.1(a)",)
        hand_back(round, wager.key, "void", rules, money=wager.amount)
        round.note(f"The carried Blackpot wager of {wager.player} goes back.", rules)
