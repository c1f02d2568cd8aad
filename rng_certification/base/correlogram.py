"""The correlation of a stream with itself at every lag up to a million, by Fourier transforms.

Streams of any length need only a fixed amount of memory: each piece is compared with itself and
with the piece before it. Zero padding prevents the end of a piece from wrapping to its beginning.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import fft

LONGEST = 1 << 20

Series = npt.NDArray[Any]


class Correlogram:
    """Sums of products of terms that are `lag` apart, for all lags up to `longest`.

    Feed pieces of at most `piece` terms, floats or complex; the later term is conjugated.
    """

    def __init__(self, piece: int, longest: int = LONGEST) -> None:
        self.longest = longest
        self.terms = 0
        self._size = fft.next_fast_len(piece + longest, real=True)
        self._first: Series | None = None  # the last piece, held back because it needs less padding
        self._history: Series | None = None
        self._spectrum: Series | None = None

    def feed(self, series: Series) -> None:
        self.terms += len(series)
        if self._first is None and self._history is None:
            self._first = series
            return
        if self._first is not None:
            first, self._first = self._first, None
            self._add(first)
        self._add(series)

    def products(self) -> Series:
        """Return one sum for each lag from 0 to half the number of terms, or to the longest lag."""
        lags = min(self.longest, self.terms // 2)
        if self._first is not None:
            size = fft.next_fast_len(len(self._first) + lags, real=True)
            spectrum = self._power(self._first, self._first, size)
            return self._back(spectrum, self._first, size)[: lags + 1]
        if self._spectrum is None or self._history is None:
            return np.zeros(1)
        return self._back(self._spectrum, self._history, self._size)[: lags + 1]

    def _add(self, series: Series) -> None:
        before = self._history if self._history is not None else series[:0]
        joined = np.concatenate((before, series))
        self._history = joined[
            -self.longest :
        ].copy()  # a view would keep the entire array in memory
        alone = joined.copy()
        alone[: len(before)] = 0
        power = self._power(joined, alone, self._size)
        if self._spectrum is None:
            self._spectrum = power
        else:
            self._spectrum += power

    @staticmethod
    def _power(earlier: Series, later: Series, size: int) -> Series:
        transform = fft.fft if np.iscomplexobj(earlier) else fft.rfft
        first = transform(earlier, size)
        second = first if earlier is later else transform(later, size)
        product: Series = np.conj(first)
        product *= second
        return product

    @staticmethod
    def _back(spectrum: Series, like: Series, size: int) -> Series:
        back: Series = fft.ifft(spectrum) if np.iscomplexobj(like) else fft.irfft(spectrum, size)
        return back
