"""Generators once in general use, and their faults."""

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
    """IBM's: odd seeds, multiplier 65539; successive triples are on fifteen planes."""
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
    """Marsaglia's with 128 bits of state: it looks random, but is linear."""
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


@compiled
def xoroshiro128_plus(seed: int, number: int) -> Words:
    """Blackman and Vigna's: rotations instead of shifts, and the same sum."""
    out = np.empty(number, dtype=np.uint64)
    x, y = np.uint64(seed), np.uint64(0x9E3779B97F4A7C15)
    for i in range(number):
        out[i] = x + y
        y ^= x
        x = (x << np.uint64(24) | x >> np.uint64(40)) ^ y ^ (y << np.uint64(16))
        y = y << np.uint64(37) | y >> np.uint64(27)
    return out


@compiled
def congruential_64(seed: int, number: int) -> Words:
    """Knuth's multiplier modulo 2^64; the output is the high half."""
    out = np.empty(number, dtype=np.uint64)
    x = np.uint64(seed)
    for i in range(number):
        x = x * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        out[i] = x
    return out


def pcg32(seed: int, number: int) -> Words:
    """O'Neill's: the same generator, its words shifted and rotated by their own highest bits."""
    state = congruential_64(seed, number)
    mixed = ((state >> np.uint64(18)) ^ state) >> np.uint64(27) & np.uint64(0xFFFFFFFF)
    turn = state >> np.uint64(59)
    back = (np.uint64(32) - turn) & np.uint64(31)
    turned: Words = (mixed >> turn | mixed << back) & np.uint64(0xFFFFFFFF)
    return turned


@compiled
def _sums_of_earlier(out: Words, short: int, long: int) -> None:
    for i in range(long, len(out)):
        out[i] = (out[i - short] + out[i - long]) & np.uint64(0xFFFFFFFF)


def mitchell_moore(seed: int, number: int) -> Words:
    """Each word is the sum of the words 24 and 55 before it, modulo 2^32."""
    out = np.zeros(number + 55, dtype=np.uint64)
    out[:55] = spread(np.arange(seed, seed + 55, dtype=np.uint64)) & np.uint64(0xFFFFFFFF)
    _sums_of_earlier(out, 24, 55)
    return out[55:]


def spread(number: Words) -> Words:
    """Return 64 well-mixed bits of each number: a perfect generator, except for its few seeds."""
    number = number + np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = number ^ (number >> np.uint64(31))
    return mixed
