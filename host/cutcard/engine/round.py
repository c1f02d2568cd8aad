"""The round: `start` places the wagers, `step` takes one event, `finish` settles the rest.

A round is never changed: `step` works on a copy, so a refused event leaves the round unchanged, and
the same events result in the same round.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from cutcard.engine import bonuses, decisions, options
from cutcard.engine.books.buttons import press
from cutcard.engine.books.noticing import notice
from cutcard.engine.choices import lapse, rule
from cutcard.engine.dealers_hand import (
    dealer_is_finished,
    dealer_may_draw,
)
from cutcard.engine.dealing import check_place, put
from cutcard.engine.events import (
    LATE,
    Act,
    Deal,
    Event,
    Irregularity,
    Metered,
    Press,
    Ruling,
    Settled,
)
from cutcard.engine.interim import settle_interim
from cutcard.engine.laying_down import lay_down, lay_down_side_wager, usual_deal_order
from cutcard.engine.phases import close_following, enter_subsequent_deal, press_on, settle_down
from cutcard.engine.refusal import IncompleteError, OutOfTurnError
from cutcard.engine.settlement import (
    settle_hands,
)
from cutcard.engine.side_betting import (
    cite_dealer_hand_wagers,
    read_meter,
    settle_side_wagers,
    take_payout,
    unread_meter,
)
from cutcard.engine.state import DEALER, Phase, Placed, Round, RoundSteps, Table
from cutcard.engine.tables import check_values
from cutcard.engine.turn import hand_in_turn, next_card_goes_to


def start(table: Table, placed: Sequence[Placed], deal_order: Sequence[str] = ()) -> Round:
    """Return a round with its wagers on the layout and no card dealt.

    Raises RefusedError for a number of decks that the rulebook does not have, and BadValueError for
    a wager that is neither "main" nor a side wager of the rulebook.

    `deal_order` is the actual order of the initial deal if it is known to be wrong (a box passed
    over, or cards dealt to a box without a wager).
    """
    check_values(table, placed)
    round = Round(table, tuple(placed), (), fold=RoundSteps(start, step))
    for number in sorted({wager.box for wager in placed if wager.bet == "main"}):
        mains = [wager for wager in placed if wager.box == number and wager.bet == "main"]
        round.boxes[number] = lay_down(round, number, mains)
    for wager in placed:
        if wager.bet != "main":
            lay_down_side_wager(round, wager)
    round.deal_order = tuple(deal_order) or usual_deal_order(round)
    round.meters = {meter: Fraction(cents) for meter, cents in table.meters.items()}
    if not round.deal_order:
        round.phase = Phase.SUBSEQUENT_DEAL
    return round


def step(round: Round, event: Event) -> Round:
    """Return the round after one more event.

    Raises RefusedError if the rules do not allow the event; the old round is never changed.
    """
    new = round.copy()
    _take(new, event)
    if settle_down(new) and not isinstance(event, Irregularity | Ruling):
        lapse(new)
    new.record = (*round.record, event)
    return new


def finish(round: Round) -> Round:
    """Return the settled round. Raises IncompleteError if a card or a decision is still owed."""
    new = round.copy()
    if new.over:
        lapse(new)
        return new
    _chosen_first(new)
    close_following(new)
    enter_subsequent_deal(new)
    press_on(new)
    _settle_round(new)
    return new


def _chosen_first(round: Round) -> None:
    """Raise IncompleteError if a choice is still open at the end of a record.

    A missing ruling counts as the default only after play has continued.
    """
    waits = owed(round)
    if waits is not None and any(choice.must_be_made for choice in round.choices):
        raise IncompleteError(waits)


def go_on(round: Round) -> Round:
    """Return the round after optional choices lapse, with the cards that are out in their places.

    The next event does this automatically; a live table needs the result before it calls for a
    card.
    """
    new = round.copy()
    if not new.over and not any(choice.required for choice in new.choices):
        if new.ahead:
            close_following(new)
        press_on(new)
    return new


def owed(round: Round) -> str | None:
    """Return what the round waits for, in words, or None if `finish` can settle it."""
    undecided = [choice for choice in round.choices if choice.must_be_made]
    if undecided:
        choice = undecided[-1]
        ways = ", ".join(f"{o.ruling} ({o.by or 'any person'})" for o in choice.options)
        return f"a ruling on {choice.irregularity.kind}: {ways}"
    if round.over or _all_withdrawn(round):
        return None
    if round.phase is Phase.BEFORE_INTERIM:
        after = round.copy()
        enter_subsequent_deal(after)
        later = owed(after)
        return None if later is None else f"the interim settlement, then {later}"
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
    return f"the reading of the meter {meter}" if meter is not None else None


def _all_withdrawn(round: Round) -> bool:
    """Return whether no wager is left, so that the initial deal need not be completed (5.30.1)."""
    lying = any(wager.open for wager in round.wagers) or any(
        hand.has_open_stake for box in round.boxes.values() for hand in box.hands
    )
    return round.phase is Phase.INITIAL_DEAL and bool(round.placed) and not lying


def _take(round: Round, event: Event) -> None:
    if isinstance(event, Irregularity):
        for place_ in (*event.hands, *map(str, filter(None, event.boxes)), event.to or DEALER):
            check_place(round, place_)
        notice(round, event)
        return
    if isinstance(event, Ruling):
        if event.kind == "refuse-card":
            enter_subsequent_deal(round)
        rule(round, event)
        return
    if round.over:
        raise OutOfTurnError(f"the round is {round.phase.value}")
    if isinstance(event, Metered):
        read_meter(round, event)
        return
    if isinstance(event, Act) and event.kind == LATE:
        options.refuse_late_wager(round, event)
    _ruled_first(round)
    press_on(round, device_deals=isinstance(event, Deal))
    if isinstance(event, Deal):
        _deal(round, event)
    elif isinstance(event, Act):
        _act(round, event)
    elif isinstance(event, Press):
        enter_subsequent_deal(round)
        press(round, event)
    else:
        _settled(round, event)


def _ruled_first(round: Round) -> None:
    for choice in round.choices:
        if choice.required:
            ways = ", ".join(option.ruling for option in choice.options)
            raise OutOfTurnError(
                f"a ruling on {choice.irregularity.kind} is required first: {ways}", choice.rules
            )


def _settled(round: Round, event: Settled) -> None:
    if event.what == "interim":
        if round.phase is not Phase.BEFORE_INTERIM:
            raise OutOfTurnError(
                "the interim settlement is only possible right after the initial deal"
            )
        settle_interim(round)
    else:
        enter_subsequent_deal(round)
        _settle_round(round)


def _act(round: Round, act: Act) -> None:
    if act.kind == "insure":
        options.insure(round, act)
        return
    if round.phase is Phase.INITIAL_DEAL:
        raise OutOfTurnError("the initial deal is not complete", round.book.rules("boxes.turns"))
    enter_subsequent_deal(round)
    press_on(round)
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
            close_following(round)
            press_on(round)
        decisions.decide(round, act)


def _deal(round: Round, event: Deal) -> None:
    enter_subsequent_deal(round)
    close_following(round)
    press_on(round, device_deals=True)
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
    if event.to == DEALER and due != DEALER:
        round.astray += (event.card,)
    put(round, event.card, event.to or due or DEALER)


def _settle_round(round: Round) -> None:
    waits = owed(round)
    if waits is not None:
        raise IncompleteError(waits)
    lapse(round)
    for wager in round.wagers:
        if wager.may_ride:
            take_payout(round, wager, round.book.side_wagers[wager.key.bet].riding["kept"])
    round.phase = Phase.DEALT
    cite_dealer_hand_wagers(round)
    settle_hands(round)
    settle_side_wagers(round)
    bonuses.pay_others_their_bonus(round)
    if round.dealer and not dealer_is_finished(round):
        round.note("The dealer draws no further card.", round.book.rules("dealer.needless"))
    lapse(round)
    round.choices.clear()
    round.phase = Phase.SETTLED
