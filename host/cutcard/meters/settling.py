"""Outcomes: the dealer records a round, and the meters pay (21.8 to 21.10, 24.7 to 24.9).

All hands of a round are simultaneous and recorded in one change, so that winners of one prize share
it; rounds of different tables are paid in the order in which they are recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from cutcard.engine.side_wagers.jackpots import shared_prize
from cutcard.meters import systems, wagering
from cutcard.meters.errors import NoWagerError, Rules, UnknownHandError
from cutcard.meters.ledger import HOUSE, Turn, meter_account
from cutcard.meters.systems import System
from cutcard.meters.terms import quoted
from cutcard.meters.wagering import MeterWager
from cutcard.rulebooks.readings import reading
from cutcard.rulebooks.side_wagers.catalogue import MeterShare

BY = {"cards": "awarded", "picked": "picked"}  # the ways to win a prize, and their rules


def settle(turn: Turn, table: str, round: int, hands: Mapping[int, str]) -> None:
    """Record the outcome of a round: the winning boxes with their hands; the others have lost."""
    waiting = wagering.waiting(turn.database, table, round)
    for box in hands:
        wagering.find(turn.database, table, round, box)
    if not waiting:
        raise NoWagerError(
            f"no jackpot wager waits for an outcome in round {round} at table {table}",
            "No outcome can be recorded; `cutcard meter history` shows the past ones.",
        )
    system = systems.find(turn.database, next(iter(waiting.values())).system)
    _check_hands(system, hands)
    turn.post(
        "outcome",
        table,
        system.name,
        Fraction(0),
        system.rules("in_turn"),
        table=table,
        round=round,
        hands={str(box): hand for box, hand in sorted(hands.items())},
        meters=_values(turn, system),
    )
    won = {box: (waiting[box], hand) for box, hand in sorted(hands.items())}
    for hand, share in system.side.meter_share.items():
        winners = [placed for placed, theirs in won.values() if theirs == hand]
        if winners:
            _pay_from_meter(turn, system, hand, share, winners)
    for placed, hand in won.values():
        if hand not in system.side.meter_share:
            _pay_odds(turn, system, hand, placed)
    for box, placed in waiting.items():
        if box in won:
            wagering.give_back(turn, placed, system.side.wins[won[box][1]])
        wagering.close(turn, placed, "settled")


def pick(turn: Turn, table: str, round: int, box: int) -> None:
    """Pay the box that the jackpot system picked at random: Lucky Player, or the Mystery Jackpot.

    It is not simultaneous with the prizes for hands, and is paid in addition (21.10.2(c),
    24.9.2(b)).
    """
    placed = wagering.find(turn.database, table, round, box)
    system = systems.find(turn.database, placed.system)
    hand = picked_hand(system)
    turn.post(
        "picked",
        table,
        system.name,
        Fraction(0),
        system.rules("picked"),
        table=table,
        round=round,
        box=box,
        meters=_values(turn, system),
    )
    if hand in system.side.meter_share:
        _pay_from_meter(turn, system, hand, system.side.meter_share[hand], [placed], by="picked")
    else:
        _pay_odds(turn, system, hand, placed, by="picked")
    wagering.give_back(turn, placed, system.side.wins[hand])


def void(turn: Turn, table: str, round: int) -> None:
    """Void a round: settled prizes stand, other wagers are returned (21.11.2, 24.10.2)."""
    waiting = wagering.waiting(turn.database, table, round)
    if not waiting:
        raise NoWagerError(
            f"no jackpot wager waits for an outcome in round {round} at table {table}",
            "Settled wagers stand.",
        )
    for placed in waiting.values():
        system = systems.find(turn.database, placed.system)
        wagering.give_back(turn, placed, system.rules("void"))
        wagering.close(turn, placed, "void")
    turn.post(
        "void", table, system.name, Fraction(0), system.rules("void"), table=table, round=round
    )


def _values(turn: Turn, system: System) -> dict[str, str]:
    """Return the values of the meters at the time of settlement, for the record (21.5.4(d))."""
    return {
        name: str(systems.standing(turn.database, system.name, name).value)
        for name in system.meter_names
    }


def picked_hand(system: System) -> str:
    return next(hand for hand in ("mystery", "lucky-player") if hand in system.side.wins)


def _check_hands(system: System, hands: Mapping[int, str]) -> None:
    dealt = [hand for hand in system.side.wins if hand != picked_hand(system)]
    for hand in hands.values():
        if hand not in dealt:
            raise UnknownHandError(
                f"{system.bet} does not pay for {quoted(hand)}",
                f"It pays for {', '.join(dealt)}.",
                (system.side.pay_rule,),
            )


def _pay_from_meter(
    turn: Turn,
    system: System,
    hand: str,
    share: MeterShare,
    winners: list[MeterWager],
    by: str = "cards",
) -> None:
    """Pay each winner an equal part of the sum that the meter would have paid in turn."""
    side = system.side
    now = systems.standing(turn.database, system.name, share.meter)
    each, after = shared_prize(now.meter, share.share, len(winners), system.payable)
    rules = side.wins[hand] + system.rules("prize") + system.rules(BY[by])
    if len(winners) > 1:
        rules += side.shared
    if len(winners) > 2 and side.rounded_to is not None:
        rules += (reading("crown-several-suited-aces"),)
    rules = tuple(dict.fromkeys(rules))  # a rule with two parts is cited once
    account = meter_account(system.name, share.meter)
    for placed in winners:
        _pay(
            turn,
            system=system,
            placed=placed,
            hand=hand,
            by=by,
            source=account,
            cents=each,
            rules=rules,
        )
    left = now.value - each * len(winners)
    if after.value > left:
        turn.post("reset", HOUSE, account, after.value - left, side.reset, seed=str(now.seed))
        systems.require(turn, system.name, share.meter, now.seed)
    else:
        paid = each * len(winners)
        systems.require(turn, system.name, share.meter, now.required - paid)


def _pay_odds(turn: Turn, system: System, hand: str, placed: MeterWager, by: str = "cards") -> None:
    """Pay a prize at fixed odds from the house; the meter is not affected."""
    odds = system.side.columns[0].odds[hand] * placed.cents
    rules = system.side.wins[hand] + system.rules(BY[by])
    _pay(
        turn, system=system, placed=placed, hand=hand, by=by, source=HOUSE, cents=odds, rules=rules
    )


def _pay(
    turn: Turn,
    system: System,
    placed: MeterWager,
    hand: str,
    by: str,
    source: str,
    cents: Fraction,
    rules: Rules,
) -> None:
    """Pay a prize, rounded up to a payable amount; the house pays the rounding."""
    where = {"table": placed.table, "round": placed.round, "box": placed.box, "hand": hand}
    unit = 1 if system.side.rounded_to is not None else system.payable
    paid = ceil(cents / unit) * unit
    turn.database.do(
        "INSERT INTO prizes (table_name, round, box, by, hand, cents)"
        " VALUES (:t, :round, :box, :by, :hand, :cents)",
        t=placed.table,
        round=placed.round,
        box=placed.box,
        by=by,
        hand=hand,
        cents=paid,
    )
    kind = "odds" if source == HOUSE else "prize"
    turn.post(kind, source, placed.owner, cents, rules, **where)
    if paid != cents:
        rounding = (reading("paid-up"),)
        turn.post("rounding", HOUSE, placed.owner, paid - cents, rounding, **where)
