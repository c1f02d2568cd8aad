"""Placing the wagers before the first card: the amounts that count, and returned amounts."""

from __future__ import annotations

from cutcard.engine.interim import ante_is_due
from cutcard.engine.ledger import Key, dollars
from cutcard.engine.limits import counted, counted_side_wager
from cutcard.engine.payments import cite, hand_back, place
from cutcard.engine.state import DEALER, Box, Hand, Placed, Round, Stake, Wager


def usual_deal_order(round: Round) -> tuple[str, ...]:
    """Return the usual order: a card to each box with a wager, the dealer, a second to each box."""
    boxes = [str(number) for number in sorted(round.boxes)]
    return (*boxes, DEALER, *boxes) if boxes else ()


def lay_down(round: Round, number: int, mains: list[Placed]) -> Box:
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


def lay_down_side_wager(round: Round, wager: Placed) -> None:
    counts = counted_side_wager(round.table, wager)
    place(round, wager.key, counts.amount)
    cite(round, wager.key, counts.rules)
    side = round.book.side_wagers[wager.bet]
    cite(round, wager.key, side.rules_in(round.book.variants))
    lying = Wager(wager.key, counts.amount, carried=wager.carried, picked=wager.picked)
    round.wagers.append(lying)
    if counts.returned:
        lying.open = False
        hand_back(round, wager.key, "void", counts.rules, money=counts.amount)
        return
    if wager.carried and wager.box not in round.boxes:
        lying.open = False
        rules = side.carried["without_main"]
        hand_back(round, wager.key, "void", rules, money=wager.amount)
        round.note(f"The carried {side.title} wager of {wager.player} goes back.", rules)
