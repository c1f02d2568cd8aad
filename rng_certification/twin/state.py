"""The working state of the firmware's random source, read and written in one place.

The firmware keeps its state private and has no method that exports it, because a device must never
reveal it and a method would take memory. The twin continues from the state of the firmware's
source, so it needs that state. All access to the firmware's private fields is here, and
`rng_certification/tests/test_twin.py` fails if these fields change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutcard_firmware.core.random.source import RandomSource
from rng_certification.base.compiled import Bytes, Counts
from rng_certification.twin.sha256 import Word32s


@dataclass(frozen=True)
class SourceState:
    """The generator's state, the output buffer and the position in it, for a batch of draws."""

    v: Word32s  # [V] of SP 800-90A, 55 bytes as 14 words shifted left by a byte
    c: Word32s  # [C], in the same way
    buffer: Bytes  # the firmware's own buffer, changed in place
    place: Counts  # the next byte of the buffer, and [reseed_counter]


def take_state(source: RandomSource) -> SourceState:
    """Return the current state of the source."""
    generator = source._drbg
    return SourceState(
        v=_words(generator._v),
        c=_words(generator._c),
        buffer=np.frombuffer(source._buffer, dtype=np.uint8),
        place=np.array([source._at, generator._counter], dtype=np.int64),
    )


def put_state(source: RandomSource, state: SourceState) -> None:
    """Set the state of the source to this one, with the used output erased."""
    generator = source._drbg
    at, counter = (int(number) for number in state.place)
    generator._v[:] = _bytes(state.v)
    generator._counter = counter
    source._at = at
    source._buffer[:at] = bytes(at)


def reseed(source: RandomSource) -> None:
    """Reseed the source's generator from its noise, as a request does when one is due."""
    source._drbg.reseed(source._entropy(source._entropy_samples))


def resists_prediction(source: RandomSource) -> bool:
    """Return whether every request is preceded by a reseed."""
    return source._prediction_resistance


def reseed_interval(source: RandomSource) -> int:
    """Return the number of requests for each seed."""
    return source._drbg._interval


def _words(number: bytearray) -> Word32s:
    """Return 55 bytes as 14 words, shifted left by a byte."""
    return np.frombuffer(bytes(number) + b"\0", dtype=">u4").astype(np.uint32)


def _bytes(words: Word32s) -> bytes:
    return words.astype(">u4").tobytes()[:-1]
