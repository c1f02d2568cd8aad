"""Options outside the turns: insurance, even money, and letting a won side wager ride."""

from __future__ import annotations

from fractions import Fraction
from typing import NoReturn

from cutcard.engine.choices import rules_of_late_options
from cutcard.engine.events import Act, Deal
from cutcard.engine.ledger import LAYOUT, Key, Posting, dollars, player_account
from cutcard.engine.payments import cite, place
from cutcard.engine.refusal import OutOfTurnError, RefusedError
from cutcard.engine.settlement import (
    EVEN,
    Verdict,
    blackjack_odds,
    settle_riding,
    settle_stake,
)
from cutcard.engine.state import Box, Phase, Round, Stake, Wager
from cutcard.engine.voiding import return_wager
from cutcard.rulebooks.book import Rules


def refuse_late_wager(round: Round, act: Act) -> NoReturn:
    """Refuse a wager placed or increased after the first card (Singapore 5.3, New Zealand 5.5).

    A side wager can have a separate rule for it, as Any Pair does (15C.4).
    """
    if not any(isinstance(event, Deal) for event in round.record):
        raise OutOfTurnError("no card is dealt yet: place it with the wagers of the round")
    late = round.book.get("limits.late")
    side = round.book.side_wagers.get(act.bet or "")
    before = (side.placed.before_rule,) if side and side.placed.before_rule else ()
    lies = Key(act.box or 0, act.player or "", act.bet or "main")
    more = any(placed.key == lies for placed in round.placed)
    raise RefusedError(
        f"the first card is dealt: no wager may be {'increased' if more else 'placed'} now",
        before + (late.rules if late else ()),
    )


def insure(round: Round, act: Act) -> None:
    """Place a wager that the dealer's second card counts ten, up to half the initial wager.

    If an irregularity leaves the option open after its time (New Zealand 16.11, Singapore 5.12.2,
    5.26), it is in `round.late_options`.
    """
    book = round.book
    box, player, owner = _insured(round, act)
    shown = book["insurance.dealers_card"]
    if not round.dealer or round.dealer[0].rank != shown.value:
        raise RefusedError("insurance is offered only against an ace", shown.rules)
    _in_time(round, box)
    hand = box.hands[0]
    if hand.is_blackjack and not book.flag("insurance.with_blackjack"):
        raise RefusedError(
            "a Blackjack may not be insured at this table", book.rules("insurance.with_blackjack")
        )
    if owner != player and not book.flag("insurance.for_another"):
        rules = book.rules("insurance.for_another")
        raise RefusedError(f"{player} may not insure the wager of {owner}", rules)
    most = book["insurance.most"].odds * box.originals[owner]
    amount = Fraction(act.amount) if act.amount is not None else most
    half = book.rules("insurance.most" if owner == player else "insurance.for_another")
    half += round.riding_rules(box.number, owner, "insurance")
    _fitting(round, amount, most, half)
    _not_taken(round, box, owner, player)
    key = Key(box.number, player, "insurance")
    place(round, key, int(amount))
    if owner != player:
        cite(round, key, book.rules("insurance.for_another"))
    _cite_each_for_himself(round, box, key, "insurance.each")
    if round.subsequent_deal_begun or round.further_card_dealt:
        cite(round, key, rules_of_late_options(round))
    for wager in round.wagers:
        if wager.key == key and wager.open:
            wager.amount += int(amount)
            wager.covers += (owner,)
            return
    round.wagers.append(Wager(key, int(amount), covers=(owner,)))
    text = f"{player} insures box {box.number} for {dollars(int(amount))}."
    round.note(text, book.rules("insurance.dealers_card"))


def _cite_each_for_himself(round: Round, box: Box, key: Key, topic: str) -> None:
    """Cite the rule giving each player on a shared box this option (New Zealand 14.3(f), (g))."""
    entry = round.book.get(topic)
    if entry is not None and len(box.mains) > 1:
        cite(round, key, entry.rules)


def _insured(round: Round, act: Act) -> tuple[Box, str, str]:
    """Return the box, the player that insures, and the player that owns the option."""
    rules = round.book.rules("insurance.dealers_card")
    number = act.box if act.box is not None else min(round.boxes, default=0)
    box = round.boxes.get(number)
    if box is None or not box.hands:
        raise RefusedError(f"box {number} has no initial wager", rules)
    player = act.player or box.mains[0].player
    owner = act.for_player or player
    hand = box.first_hand_of(owner)
    settled = hand is not None and hand.gone and not hand.has_open_stake
    if hand is None or (settled and len(box.hands) == 1):
        raise RefusedError(f"{owner} has no initial wager on box {number}", rules)
    return box, player, owner


def _in_time(round: Round, box: Box) -> None:
    late = not round.late_options.isdisjoint(("insurance", f"insurance {box.number}"))
    until = round.book["insurance.until"]
    if round.phase is Phase.INITIAL_DEAL:
        raise OutOfTurnError("insurance is offered after the initial deal", until.rules)
    gone = {
        "further-card": round.further_card_dealt,
        "subsequent-deal": round.subsequent_deal_begun or round.further_card_dealt,
    }[until.value]
    if (gone and not late) or len(round.dealer) > 1:
        rules = until.rules + rules_of_late_options(round)
        raise RefusedError("it is too late to insure", rules)


def _fitting(round: Round, amount: Fraction, most: Fraction, half: Rules) -> None:
    """Refuse an amount over half the initial wager, without money riding on it, or not payable.

    `half` are the rules of that limit: insurance for another player has its own (Singapore 3.27.3).
    """
    book = round.book
    if amount > most or amount <= 0:
        raise RefusedError(f"insurance may be at most half the wager, {dollars(int(most))}", half)
    if amount.denominator != 1:
        raise RefusedError("enter the amount: half of the wager is not an exact cent", half)
    payable = book["insurance.payable"]
    unit = round.table.chip
    if payable.value and unit is not None and (2 * amount) % unit:
        raise RefusedError("this insurance cannot be paid in chips", payable.rules)


def _not_taken(round: Round, box: Box, owner: str, player: str) -> None:
    """Refuse to insure a wager twice, by its owner (half is the maximum) or by another player."""
    for wager in round.wagers:
        key = wager.key
        if wager.open and key[::2] == (box.number, "insurance") and owner in wager.covers:
            alone = key.player == owner == player
            topic = "insurance.most" if alone else "insurance.for_another"
            text = f"the wager of {owner} on box {box.number} is already insured"
            raise RefusedError(text, round.book.rules(topic))


def even_money(round: Round, act: Act) -> None:
    """Pay a Blackjack against an ace 1:1 now, whatever the dealer's second card."""
    book = round.book
    offered = book["even_money.offered"]
    if offered.value == "no":
        raise RefusedError("even money is not offered", offered.rules)
    if offered.value == "at-3:2" and blackjack_odds(round) != Fraction(3, 2):
        raise RefusedError("even money is offered only if a Blackjack pays 3:2", offered.rules)
    box, stake = _blackjack_of(round, act)
    begun = round.subsequent_deal_begun and book.says("insurance.until", "subsequent-deal")
    if begun or round.further_card_dealt or not round.dealer or round.dealer[0].rank != "A":
        raise RefusedError(
            "even money is offered only for a Blackjack against an ace", offered.rules
        )
    hand = box.hands[0]
    settle_stake(round, box, hand, stake, Verdict("win", EVEN, offered.rules))
    hand.gone = not hand.has_open_stake
    _cite_each_for_himself(round, box, Key(box.number, stake.player, "main"), "even_money.each")
    round.note(f"{stake.player} takes even money on box {box.number}.", offered.rules)
    insurance = book["even_money.insurance"]
    for wager in round.wagers:
        if wager.open and wager.key == Key(box.number, stake.player, "insurance"):
            if insurance.value == "returned":
                return_wager(round, wager, insurance.rules)
            else:
                cite(round, wager.key, insurance.rules)


def _blackjack_of(round: Round, act: Act) -> tuple[Box, Stake]:
    rules = round.book.rules("even_money.offered")
    numbers = [act.box] if act.box is not None else sorted(round.boxes)
    for number in numbers:
        box = round.boxes.get(number)
        if box is None or not box.hands or not box.hands[0].is_blackjack:
            continue
        stake = box.hands[0].stake_of(act.player or box.mains[0].player)
        if stake is not None and stake.open:
            return box, stake
    raise RefusedError("there is no open Blackjack to pay", rules)


def keep_riding(round: Round, act: Act) -> None:
    """Leave part or all of a won House Money or Let It Ride on the layout with the hand."""
    wager = _won_wager(round, act)
    rules = round.book.side_wagers[wager.key.bet].riding
    amount = wager.riding if act.amount is None else act.amount
    if amount <= 0 or amount > wager.riding:
        raise RefusedError(f"between $0.01 and {dollars(wager.riding)} may ride", rules["rides"])
    box = round.boxes[wager.key.box]
    combined = amount + box.originals.get(wager.key.player, 0)
    limits = (round.table.maximum, round.table.player_maximum, round.table.box_maximum)
    if any(limit is not None and combined > limit for limit in limits):
        raise RefusedError(
            "the wager and the money riding on it would exceed the maximum", rules["most"]
        )
    back, wager.riding, wager.may_ride = wager.riding - amount, amount, False
    if back:
        player = player_account(wager.key.player)
        round.postings.append(Posting(wager.key, LAYOUT, player, back))
    cite(round, wager.key, rules["rides"])
    text = f"{wager.key.player} lets {dollars(amount)} ride on box {box.number}."
    round.note(text, rules["rides"])
    stake = box.hands[0].stake_of(wager.key.player)
    if box.hands[0].is_blackjack and stake is not None and not stake.open:
        early = round.dealer[0].rank == "A" and not round.book.says("blackjack.paid", "always")
        paid = Verdict("win", EVEN if early else blackjack_odds(round), ())
        settle_riding(round, wager.key, paid, dealer_blackjack=False)


def _won_wager(round: Round, act: Act) -> Wager:
    for wager in round.wagers:
        key = wager.key
        named = act.box in (None, key.box) and act.player in (None, key.player)
        if named and act.bet in (None, key.bet) and wager.may_ride:
            return wager
    bet = round.book.side_wagers.get(act.bet or "")
    rules = (bet.riding["too_late"] + bet.riding["rides"]) if bet and bet.riding else ()
    raise RefusedError("no won wager waits for its owner's choice", rules)
