"""Planted defects invisible in single values, neighbours and bits: late echoes, low bits."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Bytes, Decks, Draws, compiled
from rng_certification.planted import bits, draws, generators, shuffles

Random = np.random.Generator
LCG48 = (0x5DEECE66D, 11, (1 << 48) - 1)  # drand48 and java.util.Random


def echo(random: Random, size: int, span: int, lag: int, share: float, step: int = 0) -> Draws:
    """Some draws repeat an earlier draw at a fixed distance, or that draw plus a constant."""
    made = draws.good(random, size, span)
    places = lag + np.flatnonzero(random.random(size - lag) < share)
    made[places] = (made[places - lag] + np.uint32(step)) % np.uint32(span)
    return made


def congruential_48(random: Random, size: int, span: int) -> Draws:
    """The words of a 48-bit generator, shifted by 16 bits and reduced modulo N."""
    words = generators.linear_congruential(int(random.integers(1 << 40)), size, *LCG48)
    return ((words >> np.uint64(16)) % np.uint64(span)).astype(np.uint32)


def high_bits_of_48(random: Random, size: int, span: int) -> Draws:
    """The 24 highest bits of the same generator: pairs of them are on a lattice."""
    words = generators.linear_congruential(int(random.integers(1 << 40)), size, *LCG48)
    return (words >> np.uint64(24)).astype(np.uint32)


def scaled_48(random: Random, size: int, span: int) -> Draws:
    """The 31 highest bits of the same generator scaled to N, a common practice."""
    words = generators.linear_congruential(int(random.integers(1 << 40)), size, *LCG48)
    scaled = (words >> np.uint64(17)) * np.uint64(span) >> np.uint64(31)
    return scaled.astype(np.uint32)


def scaled_minstd(random: Random, size: int, span: int) -> Draws:
    """The minimal standard generator, scaled to N."""
    words = generators.minstd(int(random.integers(1 << 30)), size)
    return (words * np.uint64(span) // np.uint64(generators.MERSENNE)).astype(np.uint32)


def one_value_echoes(random: Random, size: int, span: int, lag: int, share: float) -> Draws:
    """Value 7, and no other, sometimes recurs after a fixed number of draws."""
    made = draws.good(random, size, span)
    places = np.flatnonzero(made[:-lag] == 7)
    made[places[random.random(len(places)) < share] + lag] = 7
    return made


def high_words_of_xorshift(random: Random, size: int, span: int) -> Draws:
    """The high halves of xorshift128+, in which only the lowest bit is linear."""
    words = generators.xorshift128_plus(int(random.integers(1, 1 << 60)), size)
    return (words >> np.uint64(32)).astype(np.uint32)


def echoing_bits(random: Random, size: int, lag: int, share: float) -> Bytes:
    """Some bits are copies of the bit at a fixed distance before them."""
    made = np.unpackbits(bits.good(random, size))
    places = lag + np.flatnonzero(random.random(len(made) - lag) < share)
    made[places] = made[places - lag]
    return np.packbits(made)


def weights_stay(random: Random, size: int, share: float) -> Bytes:
    """Some words of 64 bits are the word before with its bits in another order."""
    made = np.unpackbits(bits.good(random, size)).reshape(-1, 64)
    for word in 1 + np.flatnonzero(random.random(len(made) - 1) < share):
        made[word] = random.permutation(made[word - 1])
    return np.packbits(made)


@compiled
def _rc4(keys: Bytes, length: int) -> Bytes:
    out = np.empty((len(keys), length), dtype=np.uint8)
    state = np.empty(256, dtype=np.int64)
    for row in range(len(keys)):
        for i in range(256):
            state[i] = i
        j = 0
        for i in range(256):
            j = (j + state[i] + keys[row, i % keys.shape[1]]) & 255
            state[i], state[j] = state[j], state[i]
        i = j = 0
        for place in range(length):
            i = (i + 1) & 255
            j = (j + state[i]) & 255
            state[i], state[j] = state[j], state[i]
            out[row, place] = state[(state[i] + state[j]) & 255]
    return out


def rc4_stream(key: bytes, size: int) -> Bytes:
    """RC4 with one key, from its first byte on."""
    stream: Bytes = _rc4(np.frombuffer(key, dtype=np.uint8).reshape(1, -1), size)[0]
    return stream


def rc4(random: Random, size: int, length: int) -> Bytes:
    """RC4 with a new key after a fixed number of bytes: the second byte is zero twice as often."""
    keys = bits.good(random, size // length * 16).reshape(-1, 16)
    return _rc4(keys, length).ravel()


def opens_with_the_last(random: Random, size: int, cards: int, share: float) -> Decks:
    """Some packs begin with the last card of the pack before."""
    decks = shuffles.good(random, size, cards)
    for record in 1 + np.flatnonzero(random.random(size - 1) < share):
        _put(decks[record], 0, int(decks[record - 1, -1]))
    return decks


def pair_stays(random: Random, size: int, cards: int, share: float) -> Decks:
    """Cards ten and eleven of a pack are sometimes at these places of the next, in order."""
    decks = shuffles.good(random, size, cards)
    for record in 1 + np.flatnonzero(random.random(size - 1) < share):
        first, second = decks[record - 1, 10:12]
        place = int(random.integers(cards - 1))
        _put(decks[record], place, int(first))
        _put(decks[record], place + 1, int(second))
    return decks


def no_ace_first(random: Random, size: int, cards: int, share: float) -> Decks:
    """Some packs that begin with an ace are shuffled again."""
    decks = shuffles.good(random, size, cards)
    again = (decks[:, 0] % 13 == 0) & (random.random(size) < share)
    decks[again] = shuffles.good(random, int(again.sum()), cards)
    return decks


def aces_at(random: Random, size: int, cards: int, place: int, more: float) -> Decks:
    """Aces are more likely at one place, by this share."""
    decks = shuffles.good(random, size, cards)
    for record in np.flatnonzero(random.random(size) < more / 12):
        _put(decks[record], place, 13 * int(random.integers(cards // 13)))
    return decks


def _put(deck: Decks, place: int, card: int) -> None:
    """Exchange the card with the card at this place."""
    deck[int(np.argmax(deck == card))] = deck[place]
    deck[place] = card
