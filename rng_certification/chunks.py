"""A stream that comes in pieces of any size, handed on in pieces of one size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Records = npt.NDArray[Any]


class Rechunked:
    """Calls `work` with each full piece; `rest` is what is left at the end."""

    def __init__(self, size: int, work: Callable[[Records], None]) -> None:
        self._size = size
        self._work = work
        self._waiting: list[Records] = []
        self._number = 0

    def feed(self, records: Records) -> None:
        self._waiting.append(records)
        self._number += len(records)
        if self._number < self._size:
            return
        joined = np.concatenate(self._waiting)
        whole = self._number // self._size * self._size
        for start in range(0, whole, self._size):
            self._work(joined[start : start + self._size])
        self._waiting = [joined[whole:]]
        self._number -= whole

    def rest(self) -> Records:
        left = np.concatenate(self._waiting) if self._waiting else np.empty(0, dtype=np.uint8)
        self._waiting, self._number = [], 0
        return left
