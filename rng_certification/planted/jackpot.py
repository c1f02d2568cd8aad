"""Planted defects in jackpot buttons: Madness 21, at one table or at four of one controller."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Bytes, Counts, Draws
from rng_certification.jackpot.presses_battery import press_places
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.jackpot.subject import as_records
from rng_certification.planted.draws import Random, good

PRIZES = find_prizes("madness-21")
TABLES = 4


def last_never(random: Random, size: int) -> Draws:
    """A table that is off by one at its end."""
    return good(random, size, PRIZES.total - 1)


def first_never(random: Random, size: int) -> Draws:
    """A table counted from 1: the best prize is never paid."""
    return good(random, size, PRIZES.total - 1) + np.uint32(1)


def better_rarer(random: Random, size: int, by: float) -> Draws:
    """A share of the prizes above $20 is drawn again."""
    draws = good(random, size, PRIZES.total)
    better = int(np.sum(np.array(PRIZES.numbers)[np.array(PRIZES.amounts) > 20]))
    again = (draws < better) & (random.random(size) < by)
    draws[again] = good(random, int(again.sum()), PRIZES.total)
    return draws


def never_twice(random: Random, size: int) -> Draws:
    """A prize is never paid twice in a row: drawn anew if its row is the last one."""
    draws = good(random, size, PRIZES.total)
    levels = PRIZES.levels(draws)
    same = np.flatnonzero(levels[1:] == levels[:-1]) + 1
    draws[same] = good(random, len(same), PRIZES.total)
    return draws


def _pressed(random: Random, size: int) -> tuple[Counts, Counts, Draws]:
    tables, boxes = press_places(int(random.integers(1 << 30)), size, TABLES)
    return tables, boxes, good(random, size, PRIZES.total)


def shared_stream(random: Random, size: int) -> Bytes:
    """Tables 1 and 2 draw the same numbers, each when its turn comes."""
    tables, boxes, draws = _pressed(random, size)
    first, second = np.flatnonzero(tables == 0), np.flatnonzero(tables == 1)
    shared = min(len(first), len(second))
    draws[second[:shared]] = draws[first[:shared]]
    return _bytes(tables, boxes, draws)


def one_box_worse(random: Random, size: int, by: float) -> Bytes:
    """Box 3 loses a share of its better prizes."""
    tables, boxes, draws = _pressed(random, size)
    half = PRIZES.total // 2
    worse = (boxes == 2) & (draws < half) & (random.random(size) < by)
    draws[worse] += np.uint32(half)
    return _bytes(tables, boxes, draws)


def one_table_worse(random: Random, size: int) -> Bytes:
    """Table 4's best prize is never paid."""
    tables, boxes, draws = _pressed(random, size)
    draws[(tables == 3) & (draws == 0)] = 1
    return _bytes(tables, boxes, draws)


def _bytes(tables: Counts, boxes: Counts, draws: Draws) -> Bytes:
    return np.frombuffer(as_records(tables, boxes, draws), dtype=np.uint8)
