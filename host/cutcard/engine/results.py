"""The result of a round, or its result so far: one line for each wager."""

from __future__ import annotations

from typing import NamedTuple

from cutcard.engine.ledger import Key, net
from cutcard.engine.state import Phase, Round
from cutcard.rulebooks.book import Rules

OPEN = "open"


class WagerResult(NamedTuple):
    """The result of a wager over all hands of its box: its net in cents, and the rules.

    The result of an undecided wager is `OPEN`, with a net of 0.
    """

    key: Key
    result: str
    net: int
    rules: Rules


def came_to(round: Round) -> str:
    """Return the state of a round: `complete`, `void`, or `open` while it is not finished."""
    if not round.over:
        return OPEN
    return "void" if round.phase is Phase.VOID else "complete"


def results(round: Round) -> list[WagerResult]:
    """Return a line for every wager of the round, in the order in which they were placed."""
    keys = [wager.key for wager in round.placed]
    keys += [wager.key for wager in round.wagers if wager.key not in keys]
    return [_line(round, key) for key in dict.fromkeys(keys)]


def _line(round: Round, key: Key) -> WagerResult:
    rules = round.cited.get(key, ())
    if not round.over and _is_open(round, key):
        return WagerResult(key, OPEN, 0, rules)
    return WagerResult(key, _result(round, key), net(round.postings, key), rules)


def _is_open(round: Round, key: Key) -> bool:
    """Return whether any money or free bet of the wager is undecided."""
    if any(wager.open for wager in round.wagers if wager.key == key):
        return True
    box = round.boxes.get(key.box) if key.bet == "main" else None
    stakes = [hand.stake_of(key.player) for hand in box.hands] if box is not None else []
    return any(stake is not None and stake.open for stake in stakes)


def _result(round: Round, key: Key) -> str:
    parts = set(round.parts.get(key, ()))
    if parts == {"void"}:
        return "void"
    for kind in ("surrendered", "carried"):
        if kind in parts:
            return kind
    cents = net(round.postings, key)
    if cents == 0:
        return "stand-off"
    return "win" if cents > 0 else "lose"
