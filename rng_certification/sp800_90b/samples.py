"""Noise samples for SP 800-90B: symbols of an alphabet, and their bits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rng_certification.base.compiled import Bytes, Counts
from rng_certification.base.reading import UnusableDataError

SAMPLE_BITS = range(1, 9)


@dataclass(frozen=True)
class Samples:
    """Noise samples, one in each byte.

    `bits` is the width of the source's samples, not the width that the data happens to need: a
    source of 8 bits with 100 different values is still a source of 8 bits.
    """

    raw: Bytes
    bits: int

    @staticmethod
    def of(data: bytes | Bytes, bits: int, offset: int = 0) -> Samples:
        """Return samples from bytes. Raises UnusableDataError if a byte does not fit the width."""
        raw = np.frombuffer(data, dtype=np.uint8) if isinstance(data, bytes) else data
        if len(raw) and int(raw.max()) >> bits:
            bad = int(np.argmax(raw >= 1 << bits))
            raise UnusableDataError(
                f"sample {offset + bad} is {raw[bad]}, not one of {bits} "
                f"bit{'s' * (bits > 1)} (0 .. {(1 << bits) - 1}); one sample per byte, in "
                "its lowest bits",
                offset + bad,
            )
        return Samples(np.ascontiguousarray(raw), bits)

    def __len__(self) -> int:
        return len(self.raw)

    @cached_property
    def counts(self) -> Counts:
        return np.bincount(self.raw, minlength=1 << self.bits)

    @cached_property
    def alphabet(self) -> int:
        """The number of different values."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def symbols(self) -> Bytes:
        """Return the values numbered from 0 without gaps, in their order."""
        numbers = (np.cumsum(self.counts > 0) - 1).astype(np.uint8)
        mapped: Bytes = numbers[self.raw]
        return mapped

    @cached_property
    def bitstring(self) -> Samples:
        """Return the samples' bits in sequence, the highest of each first."""
        if self.bits == 1:
            return self
        wide = np.unpackbits(self.raw[:, None], axis=1)[:, 8 - self.bits :]
        return Samples(np.ascontiguousarray(wide.ravel()), 1)
