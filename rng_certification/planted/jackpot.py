"""Planted defects in jackpot buttons: Madness 21, at one table or at four of one controller."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Bytes, Draws
from rng_certification.jackpot.press_columns import PAUSE, PressColumns, press_places
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.planted.draws import Random, good

PRIZES = find_prizes("madness-21")
TABLES = 4


def last_never(random: Random, size: int) -> Draws:
    """A prize table that is off by one at its end."""
    return good(random, size, PRIZES.total - 1)


def first_never(random: Random, size: int) -> Draws:
    """A prize table counted from 1: the best prize is never paid."""
    return good(random, size, PRIZES.total - 1) + np.uint32(1)


def better_rarer(random: Random, size: int, by: float) -> Draws:
    """A share of the prizes above $20 is drawn again."""
    draws = good(random, size, PRIZES.total)
    better = int(np.sum(np.array(PRIZES.numbers)[np.array(PRIZES.amounts) > 20]))
    again = (draws < better) & (random.random(size) < by)
    draws[again] = good(random, int(again.sum()), PRIZES.total)
    return draws


def never_twice(random: Random, size: int) -> Draws:
    """A prize is never paid twice in succession: drawn again if its row is the last one."""
    draws = good(random, size, PRIZES.total)
    levels = PRIZES.levels(draws)
    same = np.flatnonzero(levels[1:] == levels[:-1]) + 1
    draws[same] = good(random, len(same), PRIZES.total)
    return draws


def _pressed(random: Random, size: int) -> PressColumns:
    places = press_places(int(random.integers(1 << 30)), size, TABLES)
    return PressColumns(*places, good(random, size, PRIZES.total))


def shared_stream(random: Random, size: int) -> Bytes:
    """Tables 1 and 2 draw the same numbers, each at its turn."""
    pressed = _pressed(random, size)
    first, second = np.flatnonzero(pressed.tables == 0), np.flatnonzero(pressed.tables == 1)
    shared = min(len(first), len(second))
    pressed.draws[second[:shared]] = pressed.draws[first[:shared]]
    return _bytes(pressed)


def one_box_worse(random: Random, size: int, by: float) -> Bytes:
    """Box 3 loses a share of its better prizes."""
    pressed = _pressed(random, size)
    half = PRIZES.total // 2
    worse = (pressed.boxes == 2) & (pressed.draws < half) & (random.random(size) < by)
    pressed.draws[worse] += np.uint32(half)
    return _bytes(pressed)


def one_table_worse(random: Random, size: int) -> Bytes:
    """Table 4's best prize is never paid."""
    pressed = _pressed(random, size)
    pressed.draws[(pressed.tables == 3) & (pressed.draws == 0)] = 1
    return _bytes(pressed)


def worse_after_quick_press(random: Random, size: int, by: float) -> Bytes:
    """After a press within two seconds of the last, at any table, some good prizes are lost."""
    pressed = _pressed(random, size)
    half = PRIZES.total // 2
    hurried = np.diff(pressed.times, prepend=-PAUSE) < 2_000
    hurried &= (pressed.draws < half) & (random.random(size) < by)
    pressed.draws[hurried] += np.uint32(half)
    return _bytes(pressed)


def better_with_patience(random: Random, size: int, by: float) -> Bytes:
    """The longer a table waited for its own press, the better the prizes."""
    pressed = _pressed(random, size)
    for table in range(TABLES):
        here = np.flatnonzero(pressed.tables == table)
        waited = np.argsort(np.argsort(np.diff(pressed.times[here], prepend=0))) / len(here)
        again = here[random.random(len(here)) < by * waited]
        other = good(random, len(again), PRIZES.total)
        pressed.draws[again] = np.minimum(pressed.draws[again], other)
    return _bytes(pressed)


def best_after_a_minute(random: Random, size: int) -> Bytes:
    """The best prize is exchanged with a draw after a wait of a minute at the same table."""
    pressed = _pressed(random, size)
    for table in range(TABLES):
        here = np.flatnonzero(pressed.tables == table)
        late = np.diff(pressed.times[here], prepend=0) > 60_000
        best = here[~late & (pressed.draws[here] == 0)]
        instead = random.choice(here[late], len(best), replace=False)
        pressed.draws[best], pressed.draws[instead] = pressed.draws[instead], 0
    return _bytes(pressed)


def by_the_millisecond(random: Random, size: int, by: float) -> Bytes:
    """Some draws take their sixteenth of the range from the clock's milliseconds."""
    pressed = _pressed(random, size)
    chosen = np.flatnonzero(random.random(size) < by)
    share = PRIZES.total // 16
    place = pressed.draws[chosen] % np.uint32(share)
    pressed.draws[chosen] = (pressed.times[chosen] % 16 * share).astype(np.uint32) + place
    return _bytes(pressed)


def _bytes(pressed: PressColumns) -> Bytes:
    return np.frombuffer(pressed.as_bytes(), dtype=np.uint8)
