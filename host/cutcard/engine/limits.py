"""How much of a wager counts: minimum, maximum, personal limits and the totals of a box."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cutcard.engine.state import Placed, Table
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading


class LimitShare(NamedTuple):
    """The amount of a wager that is in play, whether it is returned in any case, and the rules."""

    amount: int
    returned: bool
    rules: Rules


def counted(table: Table, mains: Iterable[Placed]) -> list[LimitShare]:
    """Return how much of each main wager of one box counts, in order from the dealer.

    If one limit applies to the box, the caller has priority (Crown 5.9.1(d), New Zealand 14.2).
    """
    result: list[LimitShare] = []
    wagers = list(mains)
    room = _room_on_box(table, wagers)
    for place, wager in enumerate(wagers):
        amount, rules = _up_to_maximum(table, wager)
        if room is not None:
            if amount > room[0]:
                others = _rules(table, "limits.per_area_others") if place else ()
                amount, rules = room[0], rules + room[1] + others
            room = (room[0] - amount, room[1])
        returned, why = _returned(table, wager)
        result.append(LimitShare(amount, returned, rules + why))
    return result


def counted_side_wager(table: Table, wager: Placed) -> LimitShare:
    """Apply the sign's minimum and maximum to a side wager, if the rulebook limits side wagers.

    A fixed stake on the sign is both.
    """
    least = table.stakes.get(wager.bet, table.side_minimum.get(wager.bet, wager.amount))
    most = table.stakes.get(wager.bet, table.side_maximum.get(wager.bet, wager.amount))
    if wager.amount > most and not _silent(table):
        return LimitShare(most, False, _rules(table, "limits.over_maximum"))
    if wager.amount < least and _returns_small_wagers(table):
        return LimitShare(wager.amount, wager.warned, _rules(table, "limits.under_minimum"))
    return LimitShare(wager.amount, False, ())


def is_under_minimum(table: Table, wager: Placed) -> bool:
    """Return whether a wager is under the sign's minimum.

    Such a wager is settled once, and its player is warned.
    """
    if wager.bet == "main":
        return table.minimum is not None and wager.amount < table.minimum
    least = table.stakes.get(wager.bet, table.side_minimum.get(wager.bet, 0))
    return wager.amount < least


def _up_to_maximum(table: Table, wager: Placed) -> tuple[int, Rules]:
    caps: list[tuple[int, Rules]] = []
    if wager.limit is not None:
        caps.append((wager.limit, _rules(table, "limits.personal")))
    elif table.maximum is not None and table.limit_per == "player":
        caps.append((table.maximum, _rules(table, "limits.over_maximum")))
    if table.player_maximum is not None:
        caps.append((table.player_maximum, _rules(table, "limits.over_maximum")))
    if not caps or _silent(table):
        return wager.amount, ()
    cap, rules = min(caps)
    if wager.amount > cap:
        return cap, rules
    beyond = table.maximum is not None and wager.amount > table.maximum
    return wager.amount, rules if beyond else ()


def _room_on_box(table: Table, wagers: list[Placed]) -> tuple[int, Rules] | None:
    if _silent(table):
        return None
    caps: list[tuple[int, Rules]] = []
    personal = [wager.limit for wager in wagers if wager.limit is not None]
    if personal:
        caps.append((max(personal), _rules(table, "limits.personal")))
    elif table.limit_per == "box" and table.maximum is not None:
        caps.append((table.maximum, _rules(table, "limits.per_area", "limits.over_maximum")))
    if table.box_maximum is not None:
        caps.append((table.box_maximum, _rules(table, "limits.per_area", "limits.over_maximum")))
    return min(caps) if caps else None


def _returned(table: Table, wager: Placed) -> tuple[bool, Rules]:
    under = is_under_minimum(table, wager)
    rules = _rules(table, "limits.under_minimum") if under else ()
    if not under or not _returns_small_wagers(table):
        return False, rules
    return (True, (*rules, reading("warned-wager-plays"))) if wager.warned else (False, rules)


def _returns_small_wagers(table: Table) -> bool:
    return table.book.says("limits.under_minimum", "settled-once-then-returned")


def _silent(table: Table) -> bool:
    return not table.book.says("limits.over_maximum", "counts-to-maximum")


def _rules(table: Table, *keys: str) -> Rules:
    return tuple(rule for key in keys if (entry := table.book.get(key)) for rule in entry.rules)
