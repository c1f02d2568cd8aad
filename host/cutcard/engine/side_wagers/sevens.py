"""Sevens in the first three cards: Super Sevens (New Zealand 15), Magnificent Sevens (Crown 13)."""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cards import Card
from cutcard.rulebooks.readings import reading
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


def super_sevens(
    cards: Sequence[Card], table: PayTable, *, split: bool = False, complete: bool = False
) -> WagerOutcome | None:
    """Pay the sevens at the start of the hand, up to three; None while a card can still be added.

    A pair of sevens that is split is paid immediately, whatever the next card is (15.5).
    """
    run = _opening_sevens(cards)
    if len(run) < min(len(cards), 3) or len(run) == 3:
        return table.pays(_name(run)) if run else table.lost()
    if split:
        return table.pays(_name(run)).citing("15.5")
    return table.pays(_name(run)) if complete else None


def magnificent_sevens(
    cards: Sequence[Card], table: PayTable, *, split: bool = False, complete: bool = False
) -> WagerOutcome | None:
    """Pay two or three sevens; the third card is the next to the box, split or not (13.5.1(a)).

    A hand that takes no third card has its two sevens (13.3.1(b)). None: not decided yet.
    """
    run = _opening_sevens(cards)
    if len(cards) >= 1 and not run:
        return table.lost("13.3.2(a)")
    if len(cards) >= 2 and len(run) == 1:
        return table.lost("13.3.2(b)")
    if len(cards) > 2 or (complete and len(run) == 2):
        won = table.pays(_name(run))
        third = cards[2].suit if len(cards) > 2 else ""
        if won.hand == "two-sevens-suited" and third != run[0].suit:
            won = won.citing(reading("magnificent-two-sevens"))
        return won.citing("13.5.1(a)") if split else won
    return None


def _opening_sevens(cards: Sequence[Card]) -> list[Card]:
    run: list[Card] = []
    for card in cards[:3]:
        if card.rank != "7":
            break
        run.append(card)
    return run


def _name(run: Sequence[Card]) -> str:
    count = {1: "one-seven", 2: "two-sevens", 3: "three-sevens"}[len(run)]
    suited = len(run) > 1 and len({card.suit for card in run}) == 1
    return f"{count}-suited" if suited else count
