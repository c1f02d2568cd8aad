"""One way to compile a kernel, so that the options are decided once.

Kernels are cached beside their source: the first run on a machine compiles, later ones load.
They count in integers only; p-values are made outside, by `scipy.special`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from numba.extending import intrinsic

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Draws = npt.NDArray[np.uint32]
Decks = npt.NDArray[np.uint16]


def compiled(kernel: Kernel) -> Kernel:
    """`numba.njit`, cached, with the kernel's own type kept for mypy."""
    return cast(Kernel, numba.njit(cache=True, nogil=True, boundscheck=False)(kernel))


@intrinsic
def _ones_in(typing_context: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return numba.types.int64(numba.types.uint64), emit


# The number of ones in a 64-bit word, as the processor counts them.
ones_in = cast(Callable[[Any], int], _ones_in)


@numba.njit(inline="always")
def _whole(number: Any) -> Any:
    return np.int64(number)


# A signed 64-bit number, whatever it was: signed and unsigned together would become a float.
whole = cast(Callable[[Any], int], _whole)
