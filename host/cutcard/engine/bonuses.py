"""Crown Pontoon's special hands and the Super Bonus (Crown 10.5.1, 10.6)."""

from __future__ import annotations

from fractions import Fraction

from cutcard.engine.ledger import Key
from cutcard.engine.payments import cite, pay
from cutcard.engine.state import Box, Hand, Round, Stake
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading


def odds_of_21(round: Round, hand: Hand) -> tuple[Fraction, Rules]:
    """Return the odds of a 21 that was not doubled: by its cards at Pontoon, 1:1 elsewhere."""
    entry = round.book.get(f"bonus.{special_hand(hand)}")
    if entry is None:
        return Fraction(1), ()
    denied = hand.from_split and _are_suited_sevens(round, hand)
    return entry.odds, entry.rules + (
        round.book.rules("super_bonus.not_after_split") if denied else ()
    )


def special_hand(hand: Hand) -> str:
    """Return the row of 10.6 for a hand of 21."""
    ranks = sorted(card.rank for card in hand.cards)
    if ranks in (["6", "7", "8"], ["7", "7", "7"]):
        return f"{''.join(ranks)}-{_suits(hand)}"
    return {5: "five-cards", 6: "six-cards"}.get(
        len(hand.cards), "seven-cards" if len(hand.cards) > 6 else "other"
    )


def is_super_bonus(round: Round, hand: Hand) -> bool:
    """Return whether it is three suited sevens against a seven, not split and not doubled.

    Crown 10.5.2(d), 10.5.3(a).
    """
    return _are_suited_sevens(round, hand) and not hand.from_split and not hand.doubled


def _are_suited_sevens(round: Round, hand: Hand) -> bool:
    return (
        round.book.get("super_bonus.prize") is not None
        and [card.rank for card in hand.cards] == ["7", "7", "7"]
        and len({card.suit for card in hand.cards}) == 1
        and bool(round.dealer)
        and round.dealer[0].rank == "7"
    )


def pay_super_bonus(round: Round, box: Box, stake: Stake) -> None:
    """Pay the Super Bonus by the size of the original wager."""
    book = round.book
    wager = box.originals[stake.player]
    if wager < book["super_bonus.least_wager"].value * 100:
        return
    large = wager >= book["super_bonus.large_wager"].value * 100
    prize = book["super_bonus.large_prize" if large else "super_bonus.prize"]
    pay(round, Key(box.number, stake.player, "main"), Fraction(prize.value * 100), prize.rules)
    round.super_bonus_boxes |= {box.number}


def pay_others_their_bonus(round: Round) -> None:
    """Pay the share of a Super Bonus to every other original wager, won or lost, but not void."""
    if not round.super_bonus_boxes:
        return
    others = round.book["super_bonus.others"]
    for box in round.boxes.values():
        if box.number in round.super_bonus_boxes:
            continue
        for wager in box.mains:
            if set(round.parts.get(wager.key, ())) == {"void"}:
                continue
            rules = (*others.rules, reading("super-bonus-once"))
            pay(round, wager.key, Fraction(others.value * 100), rules)


def cite_bonus_not_paid(round: Round) -> None:
    """Cite the rule by which a void round pays the other wagers no share of a Super Bonus."""
    for box in round.boxes.values() if round.super_bonus_boxes else ():
        for wager in box.mains if box.number not in round.super_bonus_boxes else ():
            rules = round.book["super_bonus.others"].rules
            cite(round, wager.key, (*rules, reading("super-bonus-in-a-void-round")))


def _suits(hand: Hand) -> str:
    suits = {card.suit for card in hand.cards}
    if len(suits) > 1:
        return "mixed"
    return "spades" if suits == {"s"} else "suited"
