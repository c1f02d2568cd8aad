"""A strategy for the kernel: for every hand the wished plays, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutcard.edge.simulate.drawing import inlined
from cutcard.edge.simulate.game import TO_12, KernelGame
from cutcard.edge.strategy import ROWS as FILE_ROWS
from cutcard.edge.strategy import UPS as FILE_UPS
from cutcard.edge.strategy import BadStrategyError, Strategy
from rng_certification.base.compiled import Words, compiled

# The ways to play a hand; a wish is up to four of them, the first in the lowest three bits.
STAND, HIT, DOUBLE, SPLIT, SURRENDER = range(1, 6)
WAY_BITS, WAY = 3, 7
EXCEPTED = 1 << 13  # in a wish: some hands of this total are played in another way

MONEY, TOKEN = 0, 1  # the kind of the hand's own stake
# A hand's state: its hard total; 10 + its soft total; 32 + the value of a pair.
SOFT, PAIR = 10, 32
STATES = PAIR + 11
UPS = 11  # the dealer's card by points, from 1

# A hand by its composition: the number of cards of each value, five bits each, and these bits.
_UP, _STAKE, _SUITS, _DOUBLED = 50, 54, 56, 58
ANY_SUITS, MIXED, SUITED, SPADES = range(4)

NEVER, ALWAYS, WHEN_IT_GAINS = range(3)

Actions = npt.NDArray[np.int16]
Flags = npt.NDArray[np.int8]


class Play(NamedTuple):
    """A strategy for one game.

    `actions` by stake, state and the dealer's card; `rescue` by the state of a doubled hand and the
    dealer's card; `insure` by the values of the two cards, low first. `keys` and `wishes` are a
    hash table of the hands with a play other than their total's.
    """

    actions: Actions
    rescue: Flags
    insure: Flags
    even_money: int
    keys: Words
    wishes: Actions


def no_play() -> Play:
    """Return a strategy that always stands."""
    return Play(
        np.full((2, STATES, UPS), STAND, dtype=np.int16),
        np.zeros((STATES, UPS), dtype=np.int8),
        np.zeros((11, 11), dtype=np.int8),
        0,
        *hashed({}),
    )


def wish(*ways: int) -> int:
    """Return a wish of up to four ways, the preferred one first."""
    return sum(way << WAY_BITS * place for place, way in enumerate(ways))


def composition(values: Mapping[int, int]) -> int:
    """Return a hand by the number of cards of each value."""
    return sum(number << 5 * (value - 1) for value, number in values.items())


def hashed(exceptions: Mapping[int, int]) -> tuple[Words, Actions]:
    """Return keys and wishes in open addressing, half empty."""
    size = 1 << (2 * len(exceptions)).bit_length()
    keys, wishes = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int16)
    for key, wished in exceptions.items():
        at = int(_hash(np.uint64(key), size))
        while keys[at]:
            at = (at + 1) & (size - 1)
        keys[at], wishes[at] = key, wished
    return keys, wishes


@compiled
def _hash(key: Any, size: int) -> Any:
    mixed = (key ^ (key >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & (size - 1)


@compiled
def _found(keys: Any, size: int, key: Any) -> int:
    """Return the place of a key; -1 if it is missing."""
    at = _hash(key, size)
    while keys[at] != np.uint64(0):
        if keys[at] == key:
            return int(at)
        at = (at + 1) & (size - 1)
    return -1


@inlined
def hand_state(total: int, points: int, pair: int) -> int:
    """Return the place of a hand in `actions`."""
    if pair != 0:
        return PAIR + pair
    return total if total == points else SOFT + total


def key_of(values: int, up: int, stake: int, suits: int, doubled: bool) -> int:
    """Return an exception's key, from the hand's `composition`."""
    return values | up << _UP | stake << _STAKE | suits << _SUITS | int(doubled) << _DOUBLED


@compiled
def exception(
    keys: Any, wishes: Any, size: int, held: Any, cards: int, up: int, stake: int, doubled: int
) -> int:
    """Return the wish for exactly these cards; -1 if their total decides."""
    values = 0
    suits = SPADES if held[0] // 13 == 3 else SUITED
    for i in range(cards):
        rank = held[i] % 13
        values += 1 << 5 * (rank if rank < 9 else 9)
        if held[i] // 13 != held[0] // 13:
            suits = MIXED
    key = values | up << _UP | stake << _STAKE | doubled << _DOUBLED
    at = _found(keys, size, np.uint64(key | suits << _SUITS))
    if at < 0:
        at = _found(keys, size, np.uint64(key))
    return int(wishes[at]) if at >= 0 else -1


_LETTERS = {"S": STAND, "H": HIT, "D": DOUBLE, "P": SPLIT, "R": SURRENDER}
_SUITS_NAMED = {"": ANY_SUITS, "mixed": MIXED, "suited": SUITED, "spades": SPADES}


def play_of(strategy: Strategy, game: KernelGame) -> Play:
    """Return a strategy's tables for the kernel.

    Raises BadStrategyError for a hand on which it stands although the rules of this game require a
    draw.
    """
    play = no_play()
    for kind, stake in ((MONEY, "money"), (TOKEN, "token")):
        for up in FILE_UPS:
            for row in FILE_ROWS["hard"]:
                play.actions[kind, int(row), value_of(up)] = _chain(
                    strategy, stake, "hard", row, up
                )
                _may_stand(game, row, up, strategy.cell(stake, "hard", row, up))
            for row in FILE_ROWS["soft"]:
                state = SOFT + int(row)
                play.actions[kind, state, value_of(up)] = _chain(strategy, stake, "soft", row, up)
            for row in FILE_ROWS["pair"]:
                state = PAIR + value_of(row)
                play.actions[kind, state, value_of(up)] = _pair(strategy, stake, row, up)
    for name, more in (("hard", 0), ("soft", SOFT)):
        for total in FILE_ROWS[name]:
            for up in FILE_UPS:
                withdraws = strategy.withdraws(name, total, up)
                play.rescue[int(total) + more, value_of(up)] = withdraws
    play.insure[:] = {"never": NEVER, "always": ALWAYS, "when it gains": WHEN_IT_GAINS}[
        strategy.insurance
    ]
    keys, wishes = hashed(dict(_exceptions(strategy, play)))
    return play._replace(even_money=int(strategy.even_money == "always"), keys=keys, wishes=wishes)


def value_of(rank: str) -> int:
    """Return the points of a column or of a card in a file: A is 1, T is ten."""
    return {"A": 1, "T": 10}.get(rank) or int(rank)


def _chain(strategy: Strategy, stake: str, kind: str, row: str, up: str) -> int:
    return wish(*(_LETTERS[letter] for letter in strategy.cell(stake, kind, row, up)))


def _pair(strategy: Strategy, stake: str, row: str, up: str) -> int:
    """Return the wish of a pair: its own cell comes before its total's, without repeated ways."""
    kind, total = ("soft", "12") if row == "A" else ("hard", str(2 * value_of(row)))
    first = strategy.cell(stake, "pair", row, up).strip("-")
    rest = (letter for letter in strategy.cell(stake, kind, total, up) if letter not in first)
    return wish(*(_LETTERS[letter] for letter in (*first, *rest)))


def _may_stand(game: KernelGame, row: str, up: str, cell: str) -> None:
    if game.forced == TO_12 and int(row) <= 11 and cell.endswith("S"):
        raise BadStrategyError(
            f"hard {row} against {up} stands, and a hand of 11 or less must draw here"
        )


def _exceptions(strategy: Strategy, play: Play) -> Iterator[tuple[int, int]]:
    """Yield each exception with its key; the cell of its total is marked."""
    for each in strategy.exceptions:
        values = [value_of(card) for card in each.cards]
        points, up = sum(values), value_of(each.up)
        stake = MONEY if each.stake == "money" else TOKEN
        counted = composition({value: values.count(value) for value in set(values)})
        key = key_of(counted, up, stake, _SUITS_NAMED[each.suits], each.doubled)
        if each.doubled:
            for state in (points, min(points + 10, 21) + SOFT):
                play.rescue[min(state, STATES - 1), up] |= 2
            yield key, int(each.do == "W")
            continue
        total = points + 10 if 1 in values and points <= 11 else points
        pair = values[0] if len(values) == 2 and values[0] == values[1] else 0
        play.actions[stake, hand_state(total, points, pair), up] |= EXCEPTED
        yield key, wish(*(_LETTERS[letter] for letter in each.do))
