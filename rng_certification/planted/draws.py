"""Planted defects in draws from a range."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Draws
from rng_certification.planted import generators

Random = np.random.Generator


def good(random: Random, size: int, span: int) -> Draws:
    return random.integers(0, span, size, dtype=np.uint32)


def remainder_of_a_byte(random: Random, size: int, span: int) -> Draws:
    return random.integers(0, 256, size, dtype=np.uint32) % np.uint32(span)


def clamped_byte(random: Random, size: int, span: int) -> Draws:
    """Bytes above the largest multiple of N become the last value instead of being rejected."""
    words = random.integers(0, 256, size, dtype=np.uint32)
    above = words >= 256 // span * span
    words %= np.uint32(span)
    words[above] = span - 1
    return words


def remainder_of_a_word(random: Random, size: int, span: int) -> Draws:
    return random.integers(0, 1 << 32, size, dtype=np.uint32) % np.uint32(span)


def scaled_16_bits(random: Random, size: int, span: int) -> Draws:
    """A 16-bit number scaled to N: some values are slightly more frequent than others."""
    return random.integers(0, 1 << 16, size, dtype=np.uint32) * np.uint32(span) >> np.uint32(16)


def one_never(random: Random, size: int, span: int) -> Draws:
    """Value 7 never occurs; its neighbour replaces it."""
    draws = good(random, size, span)
    draws[draws == 7] = 8
    return draws


def one_likelier(random: Random, size: int, span: int, by: float) -> Draws:
    """Value 7 is more likely by this share, all others slightly less."""
    draws = good(random, size, span)
    again = random.random(size, dtype=np.float32) < by / (span - 1)
    draws[again] = 7
    return draws


def correlated(random: Random, size: int, span: int, correlation: float) -> Draws:
    """With this chance a draw repeats the one before it."""
    draws = good(random, size, span)
    for i in np.flatnonzero(random.random(size, dtype=np.float32) < correlation):
        draws[i] = draws[i - 1]
    return draws


def never_twice(random: Random, size: int, span: int) -> Draws:
    """A number never repeats immediately, because the programmer thought that it looks bad."""
    steps = random.integers(1, span, size)
    return (np.cumsum(steps) % span).astype(np.uint32)


def shared_by_two(random: Random, size: int, span: int) -> Draws:
    """Two tables that share one stream, so that each number is drawn at both."""
    return np.repeat(good(random, size // 2, span), 2)


def repeating_after(random: Random, size: int, span: int, period: int) -> Draws:
    return np.resize(good(random, period, span), size)


def stuck_for_a_while(random: Random, size: int, span: int, length: int) -> Draws:
    draws = good(random, size, span)
    draws[size // 3 : size // 3 + length] = draws[size // 3]
    return draws


def leaning_every(random: Random, size: int, span: int, period: int) -> Draws:
    """At regular intervals, a draw is from the lower half of the range three times of four."""
    draws = good(random, size, span)
    places = draws[::period]
    upper = (places >= span // 2) & (random.random(len(places)) < 0.5)
    places[upper] -= np.uint32(span // 2)
    return draws


def without_replacement(random: Random, size: int, span: int) -> Draws:
    """Dealt from a bag that is refilled when empty: too even to be random."""
    bags = np.broadcast_to(np.arange(span, dtype=np.uint32), (size // span, span))
    return random.permuted(bags, axis=1).ravel()


def clock_seeds(random: Random, size: int, span: int) -> Draws:
    """A perfect generator, seeded again every 50 draws with the second of the day."""
    seeds = random.integers(0, 86_400, size // 50).astype(np.uint64)
    numbers = np.repeat(seeds << np.uint64(20), 50) + np.tile(
        np.arange(50, dtype=np.uint64), size // 50
    )
    return (generators.spread(numbers) % np.uint64(span)).astype(np.uint32)


def congruential(random: Random, size: int, span: int) -> Draws:
    """A full-period generator of 32 bits: a number does not repeat before all have occurred."""
    seed = int(random.integers(1 << 31))
    return generators.linear_congruential(seed, size, 1664525, 1013904223, 0xFFFFFFFF).astype(
        np.uint32
    )


def mersenne_twister(random: Random, size: int, span: int) -> Draws:
    """The high bits of MT19937's words, scaled."""
    twister = np.random.MT19937(int(random.integers(1 << 31)))
    words = twister.random_raw(size).astype(np.uint64)
    return (words * np.uint64(span) >> np.uint64(32)).astype(np.uint32)


def randu(random: Random, size: int, span: int) -> Draws:
    return generators.randu(int(random.integers(1 << 20)), size).astype(np.uint32)
