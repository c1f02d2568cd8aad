"""Defects that were invented after the tests and their weights were settled.

Each was recorded with its sample before its first trial, and then measured on unused seeds
(`power.py`): no test was built for these defects. The results, misses among them, are in
docs/evidence/certification.md.
"""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Bytes, Decks, Draws
from rng_certification.jackpot.press_columns import PressColumns, press_places
from rng_certification.planted import bits, draws, jackpot, shuffles
from rng_certification.planted.draws import Random


def zero_now_and_then(random: Random, size: int, span: int, period: int) -> Draws:
    """A buffer that is cleared too soon: at regular intervals one draw is zero."""
    made = draws.good(random, size, span)
    made[int(random.integers(period)) :: period] = 0
    return made


def rejected_and_used(random: Random, size: int, span: int) -> Draws:
    """Words of 16 bits above the largest multiple of N are halved instead of rejected."""
    words = random.integers(0, 1 << 16, size, dtype=np.uint32)
    above = words >= (1 << 16) // span * span
    words[above] //= np.uint32(2)
    return words % np.uint32(span)


def three_add_up(random: Random, size: int, span: int, share: float) -> Draws:
    """Some draws are the sum of the two before them, modulo N."""
    made = draws.good(random, size, span)
    for place in 2 + np.flatnonzero(random.random(size - 2) < share):
        made[place] = (int(made[place - 1]) + int(made[place - 2])) % span
    return made


def drifting(random: Random, size: int, span: int, most: float) -> Draws:
    """The lower half becomes more likely over time, from fair to this share."""
    made = draws.good(random, size, span)
    upper = made >= span // 2
    moved = upper & (random.random(size) < most * np.arange(size) / size)
    made[moved] -= np.uint32(span // 2)
    return made


def two_streams_by_turns(random: Random, size: int) -> Bytes:
    """Bytes of one good stream; one in 50 is followed by its complement 4 KiB later."""
    made = bits.good(random, size)
    lag = 4096
    places = lag + np.flatnonzero(random.random(size - lag) < 0.02)
    made[places] = ~made[places - lag]
    return made


def bytes_of_even_parity(random: Random, size: int, share: float) -> Bytes:
    """Random bytes; a share of them has the highest bit set for even parity."""
    made = bits.good(random, size)
    odd = np.unpackbits(made[:, None], axis=1).sum(axis=1) % 2 == 1
    made[odd & (random.random(size) < share)] ^= 0x80
    return made


def cut_but_not_shuffled(random: Random, size: int, cards: int, share: float) -> Decks:
    """Some packs are the pack before, cut at a random place and not shuffled."""
    decks = shuffles.good(random, size, cards)
    for record in 1 + np.flatnonzero(random.random(size - 1) < share):
        decks[record] = np.roll(decks[record - 1], int(random.integers(cards)))
    return decks


def a_suit_clumps(random: Random, size: int, cards: int, share: float) -> Decks:
    """In some packs two neighbours of different suits are exchanged for two of the same suit."""
    decks = shuffles.good(random, size, cards)
    for record in np.flatnonzero(random.random(size) < share):
        place = int(random.integers(cards - 2))
        suit = decks[record, place] // 13
        alike = np.flatnonzero(decks[record, place + 2 :] // 13 == suit)
        if len(alike):
            other = place + 2 + int(alike[0])
            decks[record, [place + 1, other]] = decks[record, [other, place + 1]]
    return decks


def same_prize_at_once(random: Random, size: int, within: int, share: float) -> Bytes:
    """A press soon after another at a different table sometimes gets the same prize."""
    places = press_places(int(random.integers(1 << 30)), size, jackpot.TABLES)
    pressed = PressColumns(*places, draws.good(random, size, jackpot.PRIZES.total))
    soon = np.diff(pressed.times, prepend=-within) < within
    for place in np.flatnonzero(soon & (random.random(size) < share)):
        pressed.draws[place] = pressed.draws[place - 1]
    return np.frombuffer(pressed.as_bytes(), dtype=np.uint8)


def better_at_night(random: Random, size: int, by: float) -> Bytes:
    """From midnight to six a share of the worse half of the prizes is drawn again."""
    places = press_places(int(random.integers(1 << 30)), size, jackpot.TABLES)
    pressed = PressColumns(*places, draws.good(random, size, jackpot.PRIZES.total))
    night = pressed.times // 3_600_000 % 24 < 6
    again = night & (pressed.draws >= jackpot.PRIZES.total // 2) & (random.random(size) < by)
    pressed.draws[again] = draws.good(random, int(again.sum()), jackpot.PRIZES.total)
    return np.frombuffer(pressed.as_bytes(), dtype=np.uint8)
