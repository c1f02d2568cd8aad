"""What a round came to: one line a wager."""

from __future__ import annotations

from typing import NamedTuple

from cutcard.engine.ledger import Key, net
from cutcard.engine.state import Round
from cutcard.rulebooks.book import Rules


class WagerResult(NamedTuple):
    """A wager over all hands of its box: what it did, in cents, and the rules that say so."""

    key: Key
    result: str
    net: int
    rules: Rules


def results(round: Round) -> list[WagerResult]:
    """Every wager of the round in the order it was placed."""
    keys = [wager.key for wager in round.placed]
    keys += [wager.key for wager in round.wagers if wager.key not in keys]
    return [
        WagerResult(key, _result(round, key), net(round.postings, key), round.cited.get(key, ()))
        for key in dict.fromkeys(keys)
    ]


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
