"""The generators of the table: their authors, and their output from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from rng_certification.base.compiled import Bytes, Draws, Words
from rng_certification.planted import generators, hidden
from rng_certification.twin import streams

LCG48 = hidden.LCG48
PIECE = 1 << 18  # words converted to bytes in one step


@dataclass(frozen=True)
class KnownGenerator:
    """A generator: `words(seed, number)` gives its outputs, each below `span`."""

    name: str
    title: str
    standing: str  # "good", "historical" or "broken"
    span: int
    words: Callable[[int, int], Words]

    def draws(self, seed: int, number: int) -> tuple[Draws, int]:
        """Return outputs as draws; of 64-bit outputs the high half."""
        words = self.words(seed, number)
        if self.span == 1 << 64:
            return (words >> np.uint64(32)).astype(np.uint32), 1 << 32
        return words.astype(np.uint32), self.span

    def stream(self, seed: int, size: int) -> bytes:
        """Return the given number of output bytes as a stream."""
        return b"".join(self.pieces(seed, size))[:size]

    def pieces(self, seed: int, size: int) -> Iterator[bytes]:
        """Yield outputs as bytes, the lowest first; of 31-bit outputs the highest sixteen bits."""
        form = {1 << 64: "<u8", 1 << 32: "<u4"}.get(self.span, "<u2")
        words = self.words(seed, -(-size // np.dtype(form).itemsize))
        for first in range(0, len(words), PIECE):
            piece = words[first : first + PIECE]
            if form == "<u2":
                piece = piece * np.uint64(1 << 16) // np.uint64(self.span)
            yield piece.astype(form).tobytes()


def _as_words(data: bytes | Bytes) -> Words:
    return np.frombuffer(bytes(data), dtype="<u4").astype(np.uint64)


def _chacha(seed: int, number: int) -> Words:
    key = sha256(f"known {seed}".encode()).digest()
    cipher = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
    return _as_words(cipher.update(bytes(4 * number)))


def _hash_of_a_counter(seed: int, number: int) -> Words:
    start = f"known {seed} ".encode()
    blocks = (sha256(start + i.to_bytes(8, "big")).digest() for i in range(-(-number // 8)))
    return _as_words(b"".join(blocks))[:number]


def _ours(seed: int, number: int) -> Words:
    source = streams.start(f"known {seed}")
    return _as_words(np.concatenate(list(streams.raw_bytes(source, 4 * number))))


def _mersenne_twister(seed: int, number: int) -> Words:
    return np.random.MT19937(seed).random_raw(number).astype(np.uint64)


def _sfc64(seed: int, number: int) -> Words:
    return np.random.SFC64(seed).random_raw(number).astype(np.uint64)


def _philox(seed: int, number: int) -> Words:
    return np.random.Philox(seed).random_raw(number).astype(np.uint64)


def _splitmix(seed: int, number: int) -> Words:
    step = np.uint64(0x9E3779B97F4A7C15)
    return generators.spread(np.arange(number, dtype=np.uint64) * step + np.uint64(seed))


def _congruential_32(seed: int, number: int) -> Words:
    return generators.linear_congruential(seed, number, 69069, 1, 0xFFFFFFFF)


def _high_of_48(seed: int, number: int) -> Words:
    """Return the 32 high bits, as `mrand48` and java.util.Random's `nextInt` do."""
    return generators.linear_congruential(seed, number, *LCG48) >> np.uint64(16)


def _high_of_64(seed: int, number: int) -> Words:
    return generators.congruential_64(seed, number) >> np.uint64(32)


def _high_of_xorshift(seed: int, number: int) -> Words:
    return generators.xorshift128_plus(seed, number) >> np.uint64(32)


def _rc4(seed: int, number: int) -> Words:
    return _as_words(hidden.rc4_stream(sha256(f"known {seed}".encode()).digest(), 4 * number))


def _rc4_new_keys(seed: int, number: int) -> Words:
    size = -(-4 * number // 16) * 16
    return _as_words(hidden.rc4(np.random.default_rng(seed), size, 16))[:number]


def _counter(seed: int, number: int) -> Words:
    return np.arange(seed, seed + number, dtype=np.uint64) & np.uint64(0xFFFFFFFF)


_WORD, _LONG = 1 << 32, 1 << 64
KNOWN = (
    KnownGenerator(
        "hash-drbg", "Hash_DRBG with SHA-256, cutcard's own (the twin)", "good", _WORD, _ours
    ),
    KnownGenerator("chacha20", "ChaCha20 (Bernstein 2008)", "good", _WORD, _chacha),
    KnownGenerator("sha256-counter", "SHA-256 of a counter", "good", _WORD, _hash_of_a_counter),
    KnownGenerator("philox", "Philox 4x64-10 (Salmon and others 2011)", "good", _LONG, _philox),
    KnownGenerator("sfc64", "SFC64 (Doty-Humphrey 2010)", "good", _LONG, _sfc64),
    KnownGenerator("pcg32", "PCG32 XSH RR (O'Neill 2014)", "good", _WORD, generators.pcg32),
    KnownGenerator("splitmix64", "SplitMix64 (Steele and others 2014)", "good", _LONG, _splitmix),
    KnownGenerator(
        "rc4", "RC4, one key, from its first byte (Rivest 1987)", "historical", _WORD, _rc4
    ),
    KnownGenerator(
        "mt19937",
        "MT19937 (Matsumoto and Nishimura 1998)",
        "historical",
        _WORD,
        _mersenne_twister,
    ),
    KnownGenerator(
        "xorshift128+",
        "xorshift128+ (Vigna 2014)",
        "historical",
        _LONG,
        generators.xorshift128_plus,
    ),
    KnownGenerator(
        "xorshift128+-high",
        "xorshift128+, its high words",
        "historical",
        _WORD,
        _high_of_xorshift,
    ),
    KnownGenerator(
        "xoroshiro128+",
        "xoroshiro128+ (Blackman and Vigna 2016)",
        "historical",
        _LONG,
        generators.xoroshiro128_plus,
    ),
    KnownGenerator(
        "mitchell-moore",
        "lagged Fibonacci 24, 55 (Mitchell and Moore 1958)",
        "historical",
        _WORD,
        generators.mitchell_moore,
    ),
    KnownGenerator(
        "lcg64-high", "LCG of 64 bits, its high words (Knuth)", "historical", _WORD, _high_of_64
    ),
    KnownGenerator(
        "lcg48", "LCG of 48 bits, its 32 high bits (drand48)", "historical", _WORD, _high_of_48
    ),
    KnownGenerator(
        "xorshift128", "xorshift128 (Marsaglia 2003)", "historical", _WORD, generators.xorshift128
    ),
    KnownGenerator(
        "xorshift32", "xorshift32 (Marsaglia 2003)", "historical", _WORD, generators.xorshift32
    ),
    KnownGenerator(
        "minstd",
        "MINSTD, 16807 (Lewis and others 1969)",
        "historical",
        generators.MERSENNE,
        generators.minstd,
    ),
    KnownGenerator(
        "ansi-c",
        "the example generator of the C standard",
        "historical",
        1 << 31,
        generators.ansi_c,
    ),
    KnownGenerator(
        "lcg32", "LCG 69069 of 32 bits (Marsaglia 1972)", "historical", _WORD, _congruential_32
    ),
    KnownGenerator("randu", "RANDU (IBM 1963)", "broken", 1 << 31, generators.randu),
    KnownGenerator(
        "rc4-new-keys", "RC4, with a new key every 16 bytes", "broken", _WORD, _rc4_new_keys
    ),
    KnownGenerator("counter", "a counter", "broken", _WORD, _counter),
)
