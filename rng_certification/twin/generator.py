"""Requests of 256 bytes to Hash_DRBG, and draws from them, as in the firmware's core.

V and C are 440-bit numbers. Here each is 14 words of 32 bits, shifted left by one byte. The words
of V are then the words of the hashed message, and sums are sums of complete words.
"""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Bytes, Counts, Draws, Floats, compiled, whole
from rng_certification.twin.instructions import HERE, compress_here
from rng_certification.twin.lanes import hash_lanes
from rng_certification.twin.sha256 import Word32s, compress, compress_scheduled, schedule

REQUEST_BYTES = 256
# The second block of the hash that hides the past is always the same: it has only the length.
_SECOND_BLOCK = np.zeros(64, dtype=np.uint32)
_SECOND_BLOCK[15] = 448
schedule(_SECOND_BLOCK)


@compiled
def _add(number: Word32s, addend: Word32s) -> None:
    """number += addend modulo 2^448."""
    carry = np.uint64(0)
    for i in range(13, -1, -1):
        carry += np.uint64(number[i]) + np.uint64(addend[i])
        number[i] = np.uint32(carry & np.uint64(0xFFFFFFFF))
        carry >>= np.uint64(32)


@compiled
def _add_small(number: Word32s, addend: int, scratch: Word32s) -> None:
    """number += addend * 256, for an addend below 2^56."""
    for i in range(12):
        scratch[i] = np.uint32(0)
    scratch[13] = np.uint32((addend << 8) & 0xFFFFFFFF)
    scratch[12] = np.uint32((addend >> 24) & 0xFFFFFFFF)
    _add(number, scratch)


@compiled
def _said(word: np.uint32, out: Bytes, at: int) -> None:
    """Return a word as four bytes, the highest first."""
    for j in range(4):
        out[at + j] = (word >> np.uint32(24 - 8 * j)) & np.uint32(255)


@compiled
def _output(v: Word32s, out: Bytes) -> None:
    """Return the hashes of V, V + 1 .. V + 7, computed together in the lanes of a vector."""
    data = v.copy()
    scratch = np.empty(14, dtype=np.uint32)
    lanes = np.empty((16, 8), dtype=np.uint32)
    for lane in range(8):
        for i in range(14):
            lanes[i, lane] = data[i]
        lanes[13, lane] |= np.uint32(0x80)
        lanes[14, lane] = np.uint32(0)
        lanes[15, lane] = np.uint32(440)
        _add_small(data, 1, scratch)
    hash_lanes(lanes)
    for lane in range(8):
        for i in range(8):
            _said(lanes[i, lane], out, 32 * lane + 4 * i)


@compiled
def past_hidden(state: Word32s, words: Word32s, rounds: Word32s) -> None:
    """Work two blocks into the state: one of `words`, which has room for 64, and the length."""
    compress(state, words, rounds)
    compress_scheduled(state, _SECOND_BLOCK, rounds)


@compiled
def past_hidden_by_instructions(state: Word32s, words: Word32s, rounds: Word32s) -> None:
    compress_here(state, words)
    compress_here(state, _SECOND_BLOCK)


_past_hidden = past_hidden_by_instructions if HERE else past_hidden


@compiled
def request(
    v: Word32s, c: Word32s, counter: int, out: Bytes, start: Word32s, rounds: Word32s
) -> None:
    """Make one request: fill the buffer and step the state on. The caller counts."""
    _output(v, out)
    scratch = np.empty(14, dtype=np.uint32)
    words = np.empty(64, dtype=np.uint32)
    state = np.empty(8, dtype=np.uint32)
    # the hash of 3 and V, two blocks long
    for i in range(8):
        state[i] = start[i]
    before = np.uint32(3)
    for i in range(14):
        words[i] = np.uint32((before << np.uint32(24)) | (v[i] >> np.uint32(8)))
        before = v[i]
    words[14] = np.uint32(0x80000000)
    words[15] = np.uint32(0)
    _past_hidden(state, words, rounds)
    for i in range(14):
        scratch[i] = np.uint32(0)
    for i in range(8):
        scratch[5 + i] |= state[i] >> np.uint32(24)
        scratch[6 + i] = np.uint32((state[i] << np.uint32(8)) & np.uint32(0xFFFFFFFF))
    _add(v, scratch)
    _add(v, c)
    _add_small(v, counter, scratch)


@compiled
def bytes_of_a_draw(span: int) -> int:
    return 2 if span <= 0x100 else 3 if span <= 0x10000 else 4 if span <= 0x1000000 else 5


@compiled
def share_of_a_value(span: int) -> float:
    """Return how many numbers of this many bytes map to each value.

    Truncated floating-point quotients of integers below 2^53 are exact, and several times faster.
    """
    return float((1 << 8 * bytes_of_a_draw(span)) // span)


def shares(most: int) -> Floats:
    """Return the share of a value, for every number of values up to `most`."""
    return np.array([0.0, *(share_of_a_value(span) for span in range(1, most + 1))])


def values_a_number(most: int) -> Floats:
    """Return the inverse of each share, because a product takes a third of the time of a quotient.

    Half is added to the number first, so that rounding cannot move a product across an integer: the
    nearest integer is half a value's part away.
    """
    inverse: Floats = np.append(0.0, 1 / shares(most)[1:])
    return inverse


@compiled
def within(size: int, buffer: Bytes, at: int) -> int:
    """Return bytes of the buffer as a number."""
    number = whole(buffer[at]) << 8 | whole(buffer[at + 1])
    for i in range(2, size):
        number = number << 8 | whole(buffer[at + i])
    return number


@compiled
def across(
    size: int,
    v: Word32s,
    c: Word32s,
    buffer: Bytes,
    place: Counts,
    start: Word32s,
    rounds: Word32s,
) -> int:
    """Return bytes as a number if the buffer ends within them, or before them."""
    number = 0
    for _ in range(size):
        if place[0] == 256:
            request(v, c, place[1], buffer, start, rounds)
            place[1] += 1
            place[0] = 0
        number = number << 8 | whole(buffer[place[0]])
        place[0] += 1
    return number


@compiled
def fill_draws(
    span: int,
    out: Draws,
    done: int,
    v: Word32s,
    c: Word32s,
    buffer: Bytes,
    place: Counts,
    interval: int,
    start: Word32s,
    rounds: Word32s,
) -> int:
    """Draw into out[done:] until it is full or a reseed is due; return the number of draws done.

    `place`: the next byte of the buffer, and the generator's counter. A reseed before the first
    byte of a draw is equivalent to one before the request that the draw needs: reading the buffer
    does not change the state.

    The eight lines that take a number are copied into each kernel. In a separate function, which
    the compiler does not inline, draws had a seventh of the rate and cards less than half.
    """
    if span == 1:
        out[done:] = 0
        return len(out)
    size, share = bytes_of_a_draw(span), share_of_a_value(span)
    while done < len(out):
        if place[0] + size <= 256:
            number = within(size, buffer, place[0])
            place[0] += size
        elif place[1] > interval:
            break
        else:
            number = across(size, v, c, buffer, place, start, rounds)
        value = int(number / share)
        if value < span:
            out[done] = value
            done += 1
    return done


@compiled
def fill_bytes(
    out: Bytes,
    done: int,
    v: Word32s,
    c: Word32s,
    buffer: Bytes,
    place: Counts,
    interval: int,
    start: Word32s,
    rounds: Word32s,
) -> int:
    """Raw output into out[done:], until it is full or a reseed is due."""
    while done < len(out):
        if place[0] == 256:
            if place[1] > interval:
                break
            request(v, c, place[1], buffer, start, rounds)
            place[1] += 1
            place[0] = 0
        number = min(256 - place[0], len(out) - done)
        for i in range(number):
            out[done + i] = buffer[place[0] + i]
        place[0] += number
        done += number
    return done
