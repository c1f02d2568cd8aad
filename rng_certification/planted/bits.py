"""Planted defects in raw bits, as bytes."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Bytes
from rng_certification.planted import generators

Random = np.random.Generator


def good(random: Random, size: int) -> Bytes:
    return np.frombuffer(random.bytes(size), dtype=np.uint8).copy()


def leaning(random: Random, size: int, share: float) -> Bytes:
    """Bits that are one with this chance."""
    return np.packbits(random.random(8 * size, dtype=np.float32) < share)


def sticky(random: Random, size: int, correlation: float) -> Bytes:
    """Bits that equal the bit before slightly more often than not."""
    changes = random.random(8 * size, dtype=np.float32) < (1 - correlation) / 2
    return np.packbits(np.cumsum(changes) & 1)


def stuck_stretch(random: Random, size: int, length: int = 4096) -> Bytes:
    data = good(random, size)
    data[size // 3 : size // 3 + length] = 0
    return data


def copied_stretch(random: Random, size: int, length: int = 4096) -> Bytes:
    """A buffer that was sent twice."""
    data = good(random, size)
    data[-length:] = data[size // 5 : size // 5 + length]
    return data


def zero_byte_every(random: Random, size: int, period: int) -> Bytes:
    data = good(random, size)
    data[::period] = 0
    return data


def stuck_bit_every(random: Random, size: int, period: int) -> Bytes:
    data = good(random, size)
    data[17::period] |= 4
    return data


def repeating_after(random: Random, size: int, period: int) -> Bytes:
    return np.resize(good(random, period), size)


def alternating(random: Random, size: int) -> Bytes:
    return np.full(size, 0x55, dtype=np.uint8)


def counter(random: Random, size: int) -> Bytes:
    return np.arange(size // 4, dtype="<u4").view(np.uint8)


def evened_out(random: Random, size: int) -> Bytes:
    """Bytes with exactly four ones each: frequencies that fit too well."""
    balanced = np.array([v for v in range(256) if v.bit_count() == 4], dtype=np.uint8)
    return balanced[random.integers(0, len(balanced), size)]


def randu(random: Random, size: int) -> Bytes:
    words = generators.randu(int(random.integers(1 << 20)), size // 3)
    return (words >> np.uint64(7)).astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3].ravel()


def low_bits_of_ansi_c(random: Random, size: int) -> Bytes:
    words = generators.ansi_c(int(random.integers(1 << 20)), size)
    return (words & np.uint64(255)).astype(np.uint8)


def xorshift32(random: Random, size: int) -> Bytes:
    words = generators.xorshift32(int(random.integers(1, 1 << 31)), size // 4)
    return words.astype("<u4").view(np.uint8)


def xorshift128(random: Random, size: int) -> Bytes:
    words = generators.xorshift128(int(random.integers(1, 1 << 31)), size // 4)
    return words.astype("<u4").view(np.uint8)


def mersenne_twister(random: Random, size: int) -> Bytes:
    """MT19937: only tests of linear algebra find it."""
    twister = np.random.Generator(np.random.MT19937(int(random.integers(1 << 31))))
    return np.frombuffer(twister.bytes(size), dtype=np.uint8)


def two_devices_in_turn(random: Random, size: int) -> Bytes:
    """Two devices that were started with one seed, read alternately, 16 bytes each."""
    stream = good(random, size // 2).reshape(-1, 16)
    return np.repeat(stream, 2, axis=0).ravel()


def sum_that_leans(random: Random, size: int, mask: int, share: float) -> Bytes:
    """Words of 16 bits with a biased parity of the bits in `mask`.

    A share of the words with an odd sum loses it, by changing a random one of these bits. No single
    bit is biased, and no word is noticeably more frequent.
    """
    words = good(random, size).view(np.uint16)
    places = np.flatnonzero([mask >> place & 1 for place in range(16)])
    odd = np.zeros(len(words), dtype=bool)
    for place in places:
        odd ^= (words >> np.uint16(place) & 1).astype(bool)
    chosen = np.flatnonzero(odd & (random.random(len(words)) < share))
    words[chosen] ^= np.uint16(1) << random.choice(places, len(chosen)).astype(np.uint16)
    return words.view(np.uint8)
