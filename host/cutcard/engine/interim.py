"""The interim settlement: between the initial deal and the first further card."""

from __future__ import annotations

from cutcard.engine.payments import hand_back, lose
from cutcard.engine.settlement import settle_blackjack
from cutcard.engine.side_betting import settle_side_wagers
from cutcard.engine.state import Box, Phase, Placed, Round, Table, Wager
from cutcard.engine.voiding import return_hand, rules_of_void_hand, undo
from cutcard.rulebooks.readings import reading


def settle_interim(round: Round) -> None:
    """Settle antes, side wagers, then certain Blackjacks (Crown 7.4.1, 15.4.2)."""
    round.phase = Phase.SUBSEQUENT_DEAL
    _void_boxes_without_ante(round)
    for wager in round.wagers:
        if wager.open and wager.key.bet == "ante":
            _collect_ante(round, wager)
    settle_side_wagers(round)
    pay_certain_blackjacks(round)
    settle_side_wagers(round)


def pay_certain_blackjacks(round: Round) -> None:
    """Pay Blackjacks that the dealer cannot match, or that the rulebook pays immediately."""
    for number in sorted(round.boxes):
        _pay_blackjack(round, round.boxes[number])


def _pay_blackjack(round: Round, box: Box) -> None:
    paid = round.book["blackjack.paid"]
    certain = bool(round.dealer) and round.dealer[0].points not in (1, 10)
    for hand in box.hands:
        if hand.is_blackjack and not hand.gone and (certain or paid.value == "always"):
            settle_blackjack(round, box, hand, paid.rules)
            round.note(f"The Blackjack on box {box.number} is paid.", paid.rules)


def ante_is_due(table: Table, main: Placed) -> bool:
    """Return whether a main wager needs the sign's ante: it does unless it is large enough."""
    if not table.book.flag("ante.placed") or table.ante is None:
        return False
    return table.ante_waived_from is None or main.amount < table.ante_waived_from


def _collect_ante(round: Round, wager: Wager) -> None:
    wager.open = False
    lose(round, wager.key, round.book.rules("ante.collected"), money=wager.amount)


def _void_boxes_without_ante(round: Round) -> None:
    """Void every wager on a box that got cards without an ante (New Zealand 18.7)."""
    if not round.book.says("ante.missing", "void"):
        return
    for box in round.boxes.values():
        missing = [main for main in box.mains if not main.ante and ante_is_due(round.table, main)]
        if not missing:
            continue
        rules = round.book.rules("ante.missing")
        if len(box.mains) > 1:
            rules += (reading("ante-missing-empties-the-box"),)
        for hand in box.hands:
            return_hand(round, box, hand, rules)
        for wager in round.wagers:
            if wager.key.box == box.number and wager.open and wager.key.bet != "ante":
                if own := rules_of_void_hand(round, wager.key.bet):
                    undo(round, wager.key, own + rules)
                else:
                    wager.open = False
                    hand_back(round, wager.key, "void", rules, money=wager.amount)
        round.note(f"Box {box.number} was dealt without an ante: void.", rules)
