"""Decisions in turn: hit, stand, double, split, surrender, and players that follow on the box."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutcard.engine import allowed
from cutcard.engine.choices import rules_of_late_options
from cutcard.engine.events import Act
from cutcard.engine.ledger import Key, dollars
from cutcard.engine.payments import cite, hand_back, lose, place
from cutcard.engine.refusal import OutOfTurnError, RefusedError
from cutcard.engine.settlement import give_up_half
from cutcard.engine.side_betting import settle_side_wagers, take_payout
from cutcard.engine.state import Box, FollowOption, Hand, Round, Stake
from cutcard.engine.turn import InTurn, caller, hand_in_turn, needs_card
from cutcard.rulebooks.readings import reading


def decide(round: Round, act: Act) -> None:
    """Carry out a decision for the hand in turn, by its caller or by a player that follows."""
    if is_following(round, act):
        _follow(round, act)
        return
    if act.kind not in _DECISIONS:
        raise OutOfTurnError(
            f"{act.kind} is only possible after a split of the box",
            round.book.rules("split.designate"),
        )
    if _asks_for_second_card(round, act):
        return
    turn = _turn_of(round, act)
    who = caller(round, turn.box, turn.hand)
    if act.player is not None and act.player != who:
        raise RefusedError(
            f"{who} calls box {turn.box.number}, not {act.player}", _rules_of_caller(round, act)
        )
    round.subsequent_deal_begun = True
    _DECISIONS[act.kind](round, turn.box, turn.hand, who or "", act)
    _close_riding_offers(round, turn.box)
    turn.box.decided = True


def _asks_for_second_card(round: Round, act: Act) -> bool:
    """Return whether the act asks for the second card of a hand with one card, dealt in any case.

    Crown 9.8.1, Singapore 5.16.1.
    """
    turn = hand_in_turn(round)
    if turn is None or act.kind != "hit" or act.box not in (None, turn.box.number):
        return False
    hand = turn.hand
    return hand.awaits_card and len(hand.cards) == 1 and not hand.from_split


def _turn_of(round: Round, act: Act) -> InTurn:
    turn = hand_in_turn(round)
    if turn is not None and act.box in (None, turn.box.number):
        if not needs_card(round, turn.box, turn.hand):
            return turn
        why = "a card is due before the next decision"
        rules = round.book.rules("draw.forced") + _rules_against(round, act)
        if act.player not in (None, caller(round, turn.box, turn.hand)):
            rules += _rules_of_caller(round, act)
        raise OutOfTurnError(why, rules)
    place_ = f"box {turn.box.number}" if turn else "no player"
    raise OutOfTurnError(f"it is {place_}'s turn to decide", _rules_against(round, act))


def _rules_against(round: Round, act: Act) -> tuple[str, ...]:
    """Return the rules for refusing an act out of turn, also those that finished the hand named."""
    against = {
        "double": allowed.against_double,
        "split": allowed.against_split,
        "surrender": allowed.against_surrender,
    }.get(act.kind)
    rules: list[str] = []
    for number in sorted(round.boxes):
        box = round.boxes[number]
        for hand in box.hands if act.box in (None, number) else ():
            refusal = against(round, box, hand) if against else None
            rules += (*(refusal.rules if refusal else ()), *allowed.why_finished(round, hand))
    return (*dict.fromkeys(rules), *round.book.rules("boxes.turns"))


def _hit(round: Round, box: Box, hand: Hand, who: str, act: Act) -> None:
    if hand.split_ace:
        raise RefusedError(
            "a split ace gets only one card", round.book.rules("split.aces_one_card")
        )
    _leave_unsplit(round, box, hand)
    hand.awaits_card = True
    round.note(f"{who} draws to hand {box.place_of(hand)}.", round.book.rules("boxes.turns"))


def _stand(round: Round, box: Box, hand: Hand, who: str, act: Act) -> None:
    if refusal := allowed.against_stand(round, hand):
        raise refusal
    _leave_unsplit(round, box, hand)
    hand.stood = True
    round.note(
        f"{who} stands on {hand.total}, hand {box.place_of(hand)}.", round.book.rules("boxes.turns")
    )
    settle_side_wagers(round)


def _double(round: Round, box: Box, hand: Hand, who: str, act: Act) -> None:
    if refusal := allowed.against_double(round, box, hand):
        raise refusal
    stake = hand.stake_of(who)
    assert stake is not None
    free = act.free and allowed.double_is_free(round, hand)
    _add_to_stake(round, box, hand, stake, act, free=free)
    _leave_unsplit(round, box, hand)
    hand.doubled = hand.awaits_card = True
    if round.book.flag("double.hard_aces"):
        hand.hard_aces_in = 2
        if any(card.rank == "A" for card in hand.cards[:2]):
            cite(round, Key(box.number, who, "main"), round.book.rules("double.hard_aces"))
    _open_following(round, "double", box, hand)


def _add_to_stake(
    round: Round, box: Box, hand: Hand, stake: Stake, act: Act, *, free: bool
) -> None:
    """Add the second wager of a double: money up to the maximum, or a free bet."""
    book, key = round.book, Key(box.number, stake.player, "main")
    original = box.originals[stake.player]
    if free:
        if act.amount is not None and act.amount != original:
            raise RefusedError(
                "a free double must be for the full wager", book.rules("double.free")
            )
        stake.tokens += original
        stake.doubled = original
        _count_token(round, box, stake.player)
        cite(round, key, book.rules("double.free"))
    else:
        if allowed.double_is_free(round, hand) and not book.flag("double.paid_instead"):
            raise RefusedError(
                "this double is free: no money may be added", book.rules("double.free")
            )
        amount = _amount_of_double(round, box, stake, act)
        place(round, key, amount)
        stake.money += amount
        stake.doubled = amount
        _cite_paid_for(round, key, "double.paid_instead")
    stake.followed = True
    text = f"{stake.player} doubles {'free' if free else 'for ' + dollars(stake.doubled)}"
    rules = allowed.rules_of_double(round, hand)
    cite(round, key, rules)
    round.note(f"{text} on {hand.total}, hand {box.place_of(hand)}.", rules)


def _amount_of_double(round: Round, box: Box, stake: Stake, act: Act) -> int:
    book, table = round.book, round.table
    most = box.originals[stake.player] + round.riding_of(box.number, stake.player)
    of_riding = round.riding_rules(box.number, stake.player, "double")
    amount = most if act.amount is None else act.amount
    if amount > most or amount <= 0:
        rules = book.rules("double.most") + of_riding
        raise RefusedError(f"a double may add up to {dollars(most)}", rules)
    least = {"increment": table.increment, "minimum": table.minimum}.get(book["double.least"].value)
    if least is not None and amount < least:
        raise RefusedError(f"a double adds at least {dollars(least)}", book.rules("double.least"))
    cite(round, Key(box.number, stake.player, "main"), book.rules("double.most") + of_riding)
    return amount


def _split(round: Round, box: Box, hand: Hand, who: str, act: Act) -> None:
    if refusal := allowed.against_split(round, box, hand):
        raise refusal
    free = act.free and allowed.split_is_free(round, hand)
    _check_split_wager(round, box, hand, who, act, free=free)
    ace = hand.cards[0].rank == "A"
    if hand.cards[0].rank != hand.cards[1].rank:
        _cite_if_there(round, box, who, "split.unlike")
    _cite_if_there(round, box, who, "split.silent")
    second = Hand(cards=[hand.cards.pop()], from_split=True, split_ace=ace)
    hand.from_split, hand.split_ace = True, ace
    order = next(place for place, other in enumerate(box.hands) if other is hand)
    box.hands.insert(order + 1, second)
    _stake_on_split(round, box, second, who, free)
    _open_following(round, "split", box, hand)
    settle_side_wagers(round)


def _check_split_wager(
    round: Round, box: Box, hand: Hand, who: str, act: Act, *, free: bool
) -> None:
    book = round.book
    if not free and allowed.split_is_free(round, hand) and not book.flag("split.paid_instead"):
        raise RefusedError("this split is free: no money may be added", book.rules("split.free"))
    needed = box.originals[who] + round.riding_of(box.number, who)
    if not free and act.amount is not None and act.amount != needed:
        rules = book.rules("split.wager") + round.riding_rules(box.number, who, "split")
        raise RefusedError(f"a split needs exactly {dollars(needed)}", rules)


def _stake_on_split(round: Round, box: Box, second: Hand, who: str, free: bool) -> None:
    key, original = Key(box.number, who, "main"), box.originals[who]
    if free:
        second.stakes.append(Stake(who, 0, tokens=original))
        _count_token(round, box, who)
        cite(round, key, round.book.rules("split.free"))
    else:
        amount = original + round.riding_of(box.number, who)
        wager_rules = round.book.rules("split.wager")
        cite(round, key, wager_rules + round.riding_rules(box.number, who, "split"))
        _cite_paid_for(round, key, "split.paid_instead")
        place(round, key, amount)
        second.stakes.append(Stake(who, amount))
    order = {mains.player: number for number, mains in enumerate(box.mains)}
    second.stakes.sort(key=lambda stake: order[stake.player])
    text = f"{who} splits box {box.number}{', free' if free else ''}."
    round.note(text, round.book.rules("split.free" if free else "split.allowed"))


def _surrender(round: Round, box: Box, hand: Hand, who: str, act: Act) -> None:
    """Surrender in turn (Pontoon): half is lost at the end, or all to the dealer's Pontoon."""
    if refusal := allowed.against_surrender(round, box, hand):
        raise refusal
    _give_up(round, box, hand, who)
    if round.further_card_dealt:
        _cite_if_there(round, box, who, "surrender.cards")
    hand.stood = True
    _open_following(round, "surrender", box, hand)
    settle_side_wagers(round)


def _give_up(round: Round, box: Box, hand: Hand, who: str) -> None:
    stake = hand.stake_of(who)
    assert stake is not None
    kind = round.book["surrender.kind"]
    round.note(f"{who} surrenders on box {box.number}.", kind.rules)
    if kind.value == "final":
        give_up_half(round, box, hand, stake, ())
    else:
        stake.surrendered = True


def surrender_before_turns(round: Round, act: Act) -> None:
    """Surrender between the initial deal and the first further card (Vegas, Singapore)."""
    book = round.book
    kind = book["surrender.kind"]
    turn = hand_in_turn(round)
    number = act.box if act.box is not None else (turn.box.number if turn else None)
    box = round.boxes.get(number) if number is not None else None
    if box is None or not box.hands:
        raise OutOfTurnError("name the box that surrenders", kind.rules)
    hand = box.hands[0]
    if refusal := allowed.against_surrender(round, box, hand):
        raise refusal
    begun = round.subsequent_deal_begun or round.further_card_dealt
    if begun and "surrender" not in round.late_options:
        raise RefusedError("the subsequent deal has begun", kind.rules)
    who = act.player or caller(round, box, hand)
    stake = hand.stake_of(who) if who else None
    if who is None or stake is None or not stake.open or stake.surrendered:
        settled_by = round.cited.get(Key(box.number, who or "", "main"), kind.rules)
        raise RefusedError(f"{who} has no open wager on box {box.number}", settled_by)
    alone = book["surrender.alone"]
    first = hand.stake_of(box.mains[0].player)
    if not alone.value and first is not stake and first is not None and not first.surrendered:
        raise RefusedError(f"{box.mains[0].player} calls the box", alone.rules)
    called = who == caller(round, box, hand)
    _give_up(round, box, hand, who)
    if alone.value and len(box.mains) > 1:
        cite(round, Key(box.number, who, "main"), alone.rules)
        if called and hand.has_open_stake:
            _cite_if_there(round, box, caller(round, box, hand) or "", "surrender.passes")
    if begun:
        cite(round, Key(box.number, who, "main"), rules_of_late_options(round))
    if len(hand.cards) > 2:
        cite(round, Key(box.number, who, "main"), (reading("singapore-late-surrender"),))
    if kind.value != "final":
        hand.stood = True
    hand.awaits_card = hand.awaits_card and hand.has_open_stake
    settle_side_wagers(round)


def is_following(round: Round, act: Act) -> bool:
    following = round.following
    if following is None or act.player is None:
        return False
    box = round.boxes[following.box]
    hand = box.hands[following.hand]
    return (
        act.box in (None, following.box)
        and act.kind in (following.kind, "designate")
        and act.player != caller_at(round, box, hand)
        and act.player in box.originals
    )


def caller_at(round: Round, box: Box, hand: Hand) -> str | None:
    """Return the caller of the decision that is being followed, also after a surrender."""
    for wager in box.mains:
        stake = hand.stake_of(wager.player)
        if stake is not None and (stake.open or stake.surrendered):
            return wager.player
    return None


def _follow(round: Round, act: Act) -> None:
    following = round.following
    assert following is not None
    assert act.player is not None
    box = round.boxes[following.box]
    hand = box.hands[following.hand]
    stake = hand.stake_of(act.player)
    if stake is None or not stake.open:
        raise RefusedError(
            f"{act.player} has no open wager on this hand", round.book.rules("boxes.caller")
        )
    if act.kind == "double":
        if stake.followed:
            raise RefusedError(
                f"{act.player} has already doubled", round.book.rules("double.follow")
            )
        free = act.free and allowed.double_is_free(round, hand)
        _add_to_stake(round, box, hand, stake, act, free=free)
        key = Key(box.number, stake.player, "main")
        cite(round, key, round.book.rules("double.follow"))
    elif act.kind == "split":
        second = box.hands[following.hand + 1]
        if second.stake_of(act.player) is not None:
            raise RefusedError(f"{act.player} has already split", round.book.rules("split.allowed"))
        free = act.free and allowed.split_is_free(round, hand)
        _check_split_wager(round, box, hand, act.player, act, free=free)
        _stake_on_split(round, box, second, act.player, free)
        _cite_if_there(round, box, act.player, "split.follow_free" if free else "split.follow")
    elif act.kind == "surrender":
        stake.surrendered = True
    else:
        _designate(round, box, hand, stake, act)


def cite_undecided_followers(round: Round, following: FollowOption) -> None:
    """Cite the rules for players that did not follow a double or a split.

    After a split their wager stays on the first hand; a doubled hand takes one card.
    """
    box = round.boxes[following.box]
    hand = box.hands[following.hand]
    who = caller(round, box, hand)
    for stake in hand.stakes:
        if stake.player == who or not stake.open:
            continue
        if following.kind == "double" and not stake.followed:
            if not round.book.says("double.not_followed", "1:1"):
                _cite_if_there(round, box, stake.player, "double.not_followed")
        elif following.kind == "split":
            split = box.hands[following.hand + 1].stake_of(stake.player) is not None
            _cite_if_there(round, box, stake.player, "" if split else "split.designate")


def _cite_paid_for(round: Round, key: Key, topic: str) -> None:
    """Cite the rule for paying where the bet would be free (New Zealand 20.5)."""
    if round.book.flag(topic):
        cite(round, key, round.book.rules(topic))


def _cite_if_there(round: Round, box: Box, player: str, topic: str) -> None:
    entry = round.book.get(topic)
    cite(round, Key(box.number, player, "main"), entry.rules if entry else ())


def _designate(round: Round, box: Box, hand: Hand, stake: Stake, act: Act) -> None:
    """Assign a wager to one of the two hands if its player did not split with the caller."""
    following = round.following
    assert following is not None
    entry = round.book["split.designate"]
    if following.kind != "split":
        raise RefusedError("no hand was split", entry.rules)
    second = box.hands[following.hand + 1]
    chosen = {following.hand + 1: hand, following.hand + 2: second}.get(act.hand or 1)
    if chosen is None:
        raise RefusedError(f"hand {act.hand} was not formed by this split", entry.rules)
    if chosen is second and not entry.value:
        raise RefusedError("the wager must stay with the first hand", entry.rules)
    if second.stake_of(stake.player) is not None:
        raise RefusedError(f"{stake.player} has split with the caller", entry.rules)
    if chosen is second:
        hand.stakes.remove(stake)
        second.stakes.append(stake)
    cite(round, Key(box.number, stake.player, "main"), entry.rules)
    round.note(f"{stake.player} plays on hand {act.hand or 1}.", entry.rules)


def withdraw_double(round: Round, act: Act) -> None:
    """Return the doubled part and lose the original wager (Crown Pontoon 10.5.2(e))."""
    entry = round.book["double.withdrawn"]
    if not entry.value:
        raise RefusedError("a doubled wager may not be withdrawn", entry.rules)
    if len(round.dealer) > 1:
        raise RefusedError("it is too late to withdraw: the dealer has drawn", entry.rules)
    found = _doubled_last(round, act)
    if found is None:
        raise RefusedError("no doubled hand is open", entry.rules)
    box, stake = found
    stake.open = False
    key = Key(box.number, stake.player, "main")
    if len(box.originals) > 1:
        cite(round, key, round.book.rules("double.withdrawn_by_each"))
    lose(round, key, entry.rules, money=stake.money - stake.doubled)
    hand_back(round, key, "stand-off", entry.rules, money=stake.doubled)
    round.note(f"{stake.player} takes the doubled part back.", entry.rules)


def _doubled_last(round: Round, act: Act) -> tuple[Box, Stake] | None:
    """Return the stake for a withdrawal: on the named hand, or on the hand doubled last.

    Hands are played from the dealer's left and a double ends its hand, so the hand doubled last is
    the last one in that order.
    """
    for number in sorted(round.boxes, reverse=True):
        box = round.boxes[number]
        for place_, hand in reversed(list(enumerate(box.hands, start=1))):
            if act.box not in (None, number) or act.hand not in (None, place_):
                continue
            player = act.player or caller(round, box, hand)
            stake = hand.stake_of(player) if player else None
            if stake is not None and stake.open and stake.followed and not hand.awaits_card:
                return box, stake
    return None


def _open_following(round: Round, kind: str, box: Box, hand: Hand) -> None:
    """Hold the next card if other players on the box may follow the decision."""
    order = next(place for place, other in enumerate(box.hands) if other is hand)
    following = FollowOption(kind, box.number, order)
    if may_be_followed(round, following):
        round.following = following


def may_be_followed(round: Round, following: FollowOption) -> bool:
    """Return whether a player other than the caller still has a wager on the hand."""
    box = round.boxes[following.box]
    hand = box.hands[following.hand]
    who = caller(round, box, hand)
    return any(stake.open and stake.player != who for stake in hand.stakes)


def _leave_unsplit(round: Round, box: Box, hand: Hand) -> None:
    """Remember a pair that was not split: it bars later splits of this value (Crown 7.5.6(e))."""
    if allowed.against_split(round, box, hand) is None:
        box.unsplit = hand.cards[0].points


def _count_token(round: Round, box: Box, player: str) -> None:
    box.tokens[player] = box.tokens.get(player, 0) + 1
    if round.following is None:
        box.callers_tokens += 1


def _close_riding_offers(round: Round, box: Box) -> None:
    """Pay out side wagers of players that decide on the hand before they choose (16.14, 16.15)."""
    for wager in round.wagers:
        if wager.may_ride and wager.key.box == box.number:
            rules = round.book.side_wagers[wager.key.bet].riding
            take_payout(round, wager, rules["kept"] + rules["too_late"])


def _rules_of_caller(round: Round, act: Act) -> tuple[str, ...]:
    book = round.book
    extra = {
        "double": "double.not_alone",
        "split": "split.not_alone",
        "surrender": "surrender.alone",
    }.get(act.kind)
    entry = book.get(extra) if extra else None
    return book.rules("boxes.caller") + (entry.rules if entry else ())


_DECISIONS: Mapping[str, Callable[[Round, Box, Hand, str, Act], None]] = {
    "hit": _hit,
    "stand": _stand,
    "double": _double,
    "split": _split,
    "surrender": _surrender,
}
