"""Generators that were once in use, and their faults."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Words, compiled

MERSENNE = (1 << 31) - 1


@compiled
def linear_congruential(
    seed: int, number: int, multiplier: int, increment: int, mask: int
) -> Words:
    """x <- a x + c modulo a power of two."""
    out = np.empty(number, dtype=np.uint64)
    x = np.uint64(seed)
    for i in range(number):
        x = (x * np.uint64(multiplier) + np.uint64(increment)) & np.uint64(mask)
        out[i] = x
    return out


def minstd(seed: int, number: int) -> Words:
    """Lewis, Goodman and Miller's, the minimal standard of Park and Miller: modulo a prime."""
    return _multiplicative(seed % (MERSENNE - 1) + 1, number, 16807)


@compiled
def _multiplicative(seed: int, number: int, multiplier: int) -> Words:
    out = np.empty(number, dtype=np.uint64)
    x = np.uint64(seed)
    for i in range(number):
        x = x * np.uint64(multiplier) % np.uint64(MERSENNE)
        out[i] = x
    return out


def randu(seed: int, number: int) -> Words:
    """IBM's: odd seeds, multiplier 65539; three in a row lie on fifteen planes."""
    return linear_congruential(2 * seed + 1, number, 65539, 0, 0x7FFFFFFF)


def ansi_c(seed: int, number: int) -> Words:
    """The example of the C standard: the lowest bit alternates."""
    return linear_congruential(seed, number, 1103515245, 12345, 0x7FFFFFFF)


@compiled
def xorshift32(seed: int, number: int) -> Words:
    """Marsaglia's: linear, 32 bits of state."""
    out = np.empty(number, dtype=np.uint64)
    x = np.uint64(seed | 1) & np.uint64(0xFFFFFFFF)
    for i in range(number):
        x ^= (x << np.uint64(13)) & np.uint64(0xFFFFFFFF)
        x ^= x >> np.uint64(17)
        x ^= (x << np.uint64(5)) & np.uint64(0xFFFFFFFF)
        out[i] = x
    return out


@compiled
def xorshift128(seed: int, number: int) -> Words:
    """Marsaglia's with 128 bits of state: good to the eye, linear all the same."""
    out = np.empty(number, dtype=np.uint64)
    low = np.uint64(0xFFFFFFFF)
    x, y, z, w = np.uint64(seed) & low, np.uint64(362436069), np.uint64(521288629), np.uint64(7)
    for i in range(number):
        t = (x ^ (x << np.uint64(11))) & low
        x, y, z = y, z, w
        w = w ^ (w >> np.uint64(19)) ^ t ^ (t >> np.uint64(8))
        out[i] = w
    return out


@compiled
def xorshift128_plus(seed: int, number: int) -> Words:
    """Vigna's, once the generator of browsers: the sum of two linear halves of its state."""
    out = np.empty(number, dtype=np.uint64)
    x, y = np.uint64(seed), np.uint64(0x9E3779B97F4A7C15)
    for i in range(number):
        t = x ^ (x << np.uint64(23))
        x = y
        y = t ^ x ^ (t >> np.uint64(17)) ^ (x >> np.uint64(26))
        out[i] = x + y
    return out


def spread(number: Words) -> Words:
    """64 well-mixed bits of each number: a perfect generator, if only its seeds were many."""
    number = number + np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = number ^ (number >> np.uint64(31))
    return mixed
