"""Laboratory mode: raw noise, raw output and scaled draws over the wire, in pieces.

A device enters it with no cards inside (a controller with no offers) and reports it. Output in this
mode decides nothing: every exit begins with a new seed of the random source, and `state.EXPORTED`
ensures this across faults and power cuts. This module is in memory only during the mode.
"""

import struct

from ..storage import state as st
from .device import LABORATORY
from ..random.source import CHUNK_SAMPLES

MOST_BYTES = 192  # of one reply: with its head and tag it fits a frame

given = {"noise": 0, "output": 0, "draws": 0}  # bytes so far, so that a host detects a gap


def enter(device):
    state = device.state
    state.set(st.BACK_TO, state.get(st.MODE))
    state.set(st.MODE, LABORATORY)
    state.set(st.EXPORTED, 1)
    device.emit("laboratory", 1)


def leave(device):
    """Leave laboratory mode with a newly seeded source: no earlier output decides later draws."""
    device.source.restart()
    device.left_laboratory()


def restart(device):
    """Start the board anew, when this command has its reply. The next start keeps its first
    samples for a laboratory."""
    device.ended = True


def noise(device, size):
    """Return raw samples, one bit each, the first one highest.

    They are tested like all others and used for no other purpose. The samples that a start out of
    this mode took for its start-up test come first, if the host entered for them.
    """
    chunk = CHUNK_SAMPLES // 8
    size = min(size, MOST_BYTES) // chunk * chunk
    out = bytearray(size)
    for start in range(0, size, chunk):
        samples = device.first_noise[:CHUNK_SAMPLES]
        device.first_noise = device.first_noise[CHUNK_SAMPLES:]
        if not samples:
            samples = device.source.sample()
        for i in range(CHUNK_SAMPLES):
            out[start + i // 8] |= (samples[i] & 1) << 7 - i % 8
    return _piece("noise", out)


def output(device, size):
    """Return the generator's bytes, as draws would take them."""
    out = bytearray(min(size, MOST_BYTES))
    for i in range(len(out)):
        out[i] = device.source.take(1)
    return _piece("output", out)


def draws(device, span, number):
    """Return draws from 0 to span-1, little-endian, in as many bytes as needed; span 0 is 2^32."""
    span = span or 1 << 32
    width = 1 if span <= 0x100 else 2 if span <= 0x10000 else 4
    out = bytearray()
    for _ in range(min(number, MOST_BYTES // width)):
        out.extend(struct.pack("<I", device.source.below(span))[:width])
    return _piece("draws", out)


def _piece(what, out):
    at = given[what]
    given[what] += len(out)
    return at, out
