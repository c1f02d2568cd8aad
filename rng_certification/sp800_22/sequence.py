"""A packed sequence of bits: the first bit of a byte is its highest, as in NIST's tool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rng_certification.base.compiled import Bytes, Words, compiled, ones_in


@dataclass(frozen=True)
class BitSequence:
    """`bits` bits, as bytes and as 64-bit words, with a word of zeros after the last.

    All bits after the last one are zero in both.
    """

    bits: int
    packed: Bytes
    words: Words

    @staticmethod
    def of(data: bytes | Bytes, bits: int | None = None) -> BitSequence:
        given = np.frombuffer(data, dtype=np.uint8) if isinstance(data, bytes) else data
        bits = 8 * len(given) if bits is None else bits
        used = -(-bits // 8)
        padded = np.zeros(8 * (-(-used // 8) + 1), dtype=np.uint8)
        padded[:used] = given[:used]
        if bits % 8:
            padded[used - 1] &= (0xFF00 >> bits % 8) & 0xFF
        return BitSequence(bits, padded[:used], padded.view(">u8").astype(np.uint64))


@compiled
def window(words: Words, at: int) -> np.uint64:
    """Return the 64 bits from bit `at` on, the first of them highest."""
    place = at >> 6
    shift = np.uint64(at & 63)
    bits: np.uint64 = words[place] << shift
    bits |= (words[place + 1] >> np.uint64(1)) >> (np.uint64(63) - shift)
    return bits


@compiled
def ones_between(words: Words, start: int, end: int) -> int:
    """Count the ones among the bits start .. end-1."""
    first, last = start >> 6, end >> 6
    head = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(start & 63)
    tail = ~(np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(end & 63))
    if first == last:
        return ones_in(words[first] & head & tail)
    total = ones_in(words[first] & head)
    for place in range(first + 1, last):
        total += ones_in(words[place])
    return total + ones_in(words[last] & tail)
