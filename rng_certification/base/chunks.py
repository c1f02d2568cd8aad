"""Split a stream of pieces of any size into pieces of one size."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Records = npt.NDArray[Any]


class Rechunked:
    """A splitter: `feed` returns each full piece; `rest` returns the remainder at the end.

    The pieces are returned and not passed to a callback of the owner. A callback would be a
    reference cycle, which keeps the owner and its tables in memory until the next garbage
    collection.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: list[Records] = []
        self._number = 0

    def feed(self, records: Records) -> list[Records]:
        self._waiting.append(records)
        self._number += len(records)
        if self._number < self._size:
            return []
        joined = np.concatenate(self._waiting)
        whole = self._number // self._size * self._size
        self._waiting = [joined[whole:]]
        self._number -= whole
        return [joined[start : start + self._size] for start in range(0, whole, self._size)]

    def rest(self) -> Records:
        left = np.concatenate(self._waiting) if self._waiting else np.empty(0, dtype=np.uint8)
        self._waiting, self._number = [], 0
        return left
