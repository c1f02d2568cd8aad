"""The double-entry ledger of one round: every cent leaves one account and enters another.

The accounts are the players, the layout (wagers on the table), the house, the meters and the next
round (a wager that stays on the layout). At the end of a round the layout is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

LAYOUT, HOUSE, METERS, NEXT_ROUND = "layout", "house", "meters", "next round"


class Key(NamedTuple):
    """Box, player and bet: the key of a wager and of its result."""

    box: int
    player: str
    bet: str


class Posting(NamedTuple):
    """An amount in cents for one wager, from one account to another."""

    key: Key
    source: str
    target: str
    cents: int


def player_account(player: str) -> str:
    return f"player {player}"


def balance(postings: Iterable[Posting], account: str) -> int:
    """Return the cents that an account has gained; negative if it has lost."""
    return sum(
        (posting.target == account) * posting.cents - (posting.source == account) * posting.cents
        for posting in postings
    )


def net(postings: Iterable[Posting], key: Key) -> int:
    """Return the owner's gain on a wager in cents, including money left for the next round."""
    own = (player_account(key.player), NEXT_ROUND)
    return sum(
        (posting.target in own) * posting.cents - (posting.source in own) * posting.cents
        for posting in postings
        if posting.key == key
    )


def collected(postings: Iterable[Posting], key: Key) -> int:
    """Return the cents that the house took for a wager and has not put back on the layout."""
    ways = {(LAYOUT, HOUSE): 1, (HOUSE, LAYOUT): -1}
    return sum(
        ways.get((posting.source, posting.target), 0) * posting.cents
        for posting in postings
        if posting.key == key
    )


def dollars(cents: int) -> str:
    """Return `$12.50`, or `$12` without cents."""
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    return f"{sign}${cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")
