"""The working state of the firmware's random source, read and put back through one door.

The firmware keeps its state private and has no method that hands it out: on a device nothing may
ask for it, and a method would take memory. The twin goes on where the firmware's source is, so it
must know that state. Everything that it knows of the firmware's private fields stands here, and
`rng_certification/tests/test_twin.py` fails when the firmware's fields are not these any more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutcard_firmware.core.random.source import RandomSource
from rng_certification.base.compiled import Bytes, Counts
from rng_certification.twin.sha256 import Word32s


@dataclass(frozen=True)
class SourceState:
    """What a batch of draws works on: the generator's state, the output buffer, the place in it."""

    v: Word32s  # [V] of SP 800-90A, 55 bytes as 14 words shifted left by a byte
    c: Word32s  # [C], in the same way
    buffer: Bytes  # the firmware's own buffer, changed in place
    place: Counts  # the next byte of the buffer, and [reseed_counter]


def take_state(source: RandomSource) -> SourceState:
    """The state that the source is in now."""
    generator = source._drbg
    return SourceState(
        v=_words(generator._v),
        c=_words(generator._c),
        buffer=np.frombuffer(source._buffer, dtype=np.uint8),
        place=np.array([source._at, generator._counter], dtype=np.int64),
    )


def put_state(source: RandomSource, state: SourceState) -> None:
    """Let the source go on from this state, with the output that was taken erased."""
    generator = source._drbg
    at, counter = (int(number) for number in state.place)
    generator._v[:] = _bytes(state.v)
    generator._counter = counter
    source._at = at
    source._buffer[:at] = bytes(at)


def reseed(source: RandomSource) -> None:
    """Reseed the source's generator from its noise, as a request does when one is due."""
    source._drbg.reseed(source._entropy())


def resists_prediction(source: RandomSource) -> bool:
    """Whether every request is preceded by a reseed."""
    return source._prediction_resistance


def reseed_interval(source: RandomSource) -> int:
    """How many requests one seed serves."""
    return source._drbg._interval


def _words(number: bytearray) -> Word32s:
    """55 bytes as 14 words, shifted left by a byte."""
    return np.frombuffer(bytes(number) + b"\0", dtype=">u4").astype(np.uint32)


def _bytes(words: Word32s) -> bytes:
    return words.astype(">u4").tobytes()[:-1]
