"""One compression of SHA-256 (FIPS 180-4), compiled."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import compiled

Word32s = np.ndarray[tuple[int], np.dtype[np.uint32]]


def _fractions(power: float, number: int) -> list[int]:
    """The first 32 bits of the fractional parts of roots of the first primes."""
    primes = [n for n in range(2, 400) if all(n % d for d in range(2, n))][:number]
    # integer roots of p * 2^(32 k) are exact; floating point is not
    degree = round(1 / power)
    return [_root(prime << (32 * degree), degree) & 0xFFFFFFFF for prime in primes]


def _root(number: int, degree: int) -> int:
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle)
    return low


START = np.array(_fractions(1 / 2, 8), dtype=np.uint32)
ROUNDS = np.array(_fractions(1 / 3, 64), dtype=np.uint32)


@compiled
def _turn(word: np.uint32, right: int) -> np.uint32:
    return np.uint32((word >> np.uint32(right)) | (word << np.uint32(32 - right)))


@compiled
def compress(state: Word32s, words: Word32s, rounds: Word32s) -> None:
    """Work a block of 16 words, the first of 64 in `words`, into the state."""
    schedule(words)
    compress_scheduled(state, words, rounds)


@compiled
def schedule(words: Word32s) -> None:
    """Compute the other 48 words of a block from its 16.

    Sums of 32-bit words have 64 bits here; each is truncated before it is stored.
    """
    for t in range(16, 64):
        early, late = words[t - 15], words[t - 2]
        early_mix = _turn(early, 7) ^ _turn(early, 18) ^ (early >> np.uint32(3))
        late_mix = _turn(late, 17) ^ _turn(late, 19) ^ (late >> np.uint32(10))
        words[t] = np.uint32(words[t - 16] + early_mix + words[t - 7] + late_mix)


@compiled
def compress_scheduled(state: Word32s, words: Word32s, rounds: Word32s) -> None:
    """Work a block into the state; all of its 64 words are already computed."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    e, f, g, h = state[4], state[5], state[6], state[7]
    for t in range(64):
        chosen = g ^ (e & (f ^ g))
        stirred = _turn(e, 6) ^ _turn(e, 11) ^ _turn(e, 25)
        first = np.uint32(h + stirred + chosen + rounds[t] + words[t])
        most = (a & b) | (c & (a | b))
        second = np.uint32((_turn(a, 2) ^ _turn(a, 13) ^ _turn(a, 22)) + most)
        h, g, f, e = g, f, e, np.uint32(d + first)
        d, c, b, a = c, b, a, np.uint32(first + second)
    state[0] = np.uint32(state[0] + a)
    state[1] = np.uint32(state[1] + b)
    state[2] = np.uint32(state[2] + c)
    state[3] = np.uint32(state[3] + d)
    state[4] = np.uint32(state[4] + e)
    state[5] = np.uint32(state[5] + f)
    state[6] = np.uint32(state[6] + g)
    state[7] = np.uint32(state[7] + h)
