"""Hands that a counter plays differently from some true count on, for the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cutcard.edge.simulate.kernel import MOST_COUNT
from cutcard.edge.simulate.strategy import (
    ALWAYS,
    DOUBLE,
    HIT,
    MONEY,
    NEVER,
    PAIR,
    SPLIT,
    STAND,
    SURRENDER,
    Play,
    value_of,
    wish,
)

INSURANCE = "insurance"
_LETTERS = {"S": STAND, "H": HIT, "D": DOUBLE, "P": SPLIT, "R": SURRENDER}


class Deviation(NamedTuple):
    """One hand against one dealer's card: `above` is played from a count on.

    `kind` is "hard", "pair" or "insurance". `above` and `below` are chains of letters as in a
    strategy file; empty for insurance. `from_count` is in tag points for each deck left.
    """

    kind: str
    row: str
    up: str
    from_count: int
    above: str
    below: str


def varied(play: Play, deviations: Sequence[Deviation]) -> Play:
    """Return the strategy with a table for each true count; unchanged without deviations."""
    if not deviations:
        return play
    actions, insure = [], []
    for count in range(-MOST_COUNT, MOST_COUNT + 1):
        table, insured = play.actions.copy(), play.insure.copy()
        for each in (Deviation(*one) for one in deviations):
            reached = count >= each.from_count
            if each.kind == INSURANCE:
                insured[:] = ALWAYS if reached else NEVER
                continue
            state = value_of(each.row) + PAIR if each.kind == "pair" else int(each.row)
            letters = each.above if reached else each.below
            table[MONEY, state, value_of(each.up)] = wish(*(_LETTERS[one] for one in letters))
        actions.append(table)
        insure.append(insured)
    return play._replace(actions=np.concatenate(actions), insure=np.concatenate(insure))
