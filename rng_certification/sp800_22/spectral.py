"""The discrete Fourier transform test (SP 800-22, 2.6).

A transform of n = rows x columns consists of two rounds of short ones. The library processes
several of these at a time, which takes a third of the time of one long transform. Half of the rows
is enough, because the other half mirrors them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import erfc

from rng_certification.base.compiled import Bytes, Floats, compiled
from rng_certification.sp800_22.sequence import BitSequence

Spectrum = npt.NDArray[np.complex128]


@compiled
def _write_signs(data: Bytes, signs: Floats) -> None:
    for at in range(len(signs)):
        signs[at] = 2.0 * ((data[at >> 3] >> (7 - (at & 7))) & 1) - 1.0


@dataclass(frozen=True)
class _Grid:
    """The two rounds for one length, with reused memory: fresh pages cost as much as the work."""

    signs: Floats
    spectrum: Spectrum
    turns: Spectrum  # factors applied to the results of the first round before the second

    @property
    def rows(self) -> int:
        return 2 * (len(self.spectrum) - 1)


@lru_cache(maxsize=2)
def _grid(bits: int) -> _Grid:
    """Return an even number of rows, as near to a square as the divisors of n allow."""
    rows = max(d for d in range(2, int(bits**0.5) + 1, 2) if bits % d == 0)
    columns = bits // rows
    steps = np.outer(np.arange(rows // 2 + 1), np.arange(columns)) % bits
    turns: Spectrum = np.exp(-2j * np.pi * steps / bits)
    return _Grid(np.empty(bits), np.empty_like(turns), turns)


@compiled
def _below(spectrum: Spectrum, rows: int, limit: float) -> int:
    """Count the first n/2 frequencies below the limit; k1 + rows * k2 is [k1, k2]."""
    columns = spectrum.shape[1]
    half = rows * columns // 2
    count = 0
    for row in range(rows // 2 + 1):
        mirrored = 0 < row < rows // 2
        for column in range(columns):
            if mirrored or row + rows * column < half:
                value = spectrum[row, column]
                count += value.real * value.real + value.imag * value.imag < limit
    return count


def peaks_below(sequence: BitSequence) -> int:
    """Return N1: the number of the first n/2 peaks below the limit that 95 % do not reach."""
    grid = _grid(sequence.bits)
    _write_signs(sequence.packed, grid.signs)
    np.fft.rfft(grid.signs.reshape(grid.rows, -1), axis=0, out=grid.spectrum)
    np.multiply(grid.spectrum, grid.turns, out=grid.spectrum)
    np.fft.fft(grid.spectrum, axis=1, out=grid.spectrum)
    return _below(grid.spectrum, grid.rows, np.log(1 / 0.05) * sequence.bits)


def spectral(sequence: BitSequence) -> float:
    n = sequence.bits
    surplus = peaks_below(sequence) - 0.95 * n / 2
    return float(erfc(abs(surplus) / np.sqrt(n / 4 * 0.95 * 0.05) / np.sqrt(2)))
