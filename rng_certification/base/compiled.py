"""How kernels are compiled by numba, with the options decided once.

Kernels are cached beside their source: the first run on a machine compiles, later ones load.
They count in integers only; p-values are made outside, by `scipy.special`.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
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
    dispatcher = numba.njit(cache=True, nogil=True, boundscheck=False)(kernel)
    _include_called_kernels_in_stamp(dispatcher)
    return cast(Kernel, dispatcher)


def _include_called_kernels_in_stamp(dispatcher: Any) -> None:
    """numba takes a cached kernel for fresh while its own file is the same. It is built of what it
    calls as well, from other files: their stamps go into its own."""
    kernel = dispatcher.py_func
    stamps = []
    for name in kernel.__code__.co_names:
        called = kernel.__globals__.get(name)
        cached = getattr(getattr(called, "_cache", None), "_cache_file", None)
        function = getattr(called, "py_func", None) or getattr(called, "_defn", None)
        if cached is not None:
            stamps.append(cached._source_stamp)
        elif function is not None:
            stamps.append(Path(function.__code__.co_filename).read_bytes())
    own = getattr(dispatcher._cache, "_cache_file", None)
    if own is not None and stamps:
        own._source_stamp = sha256(repr((own._source_stamp, stamps)).encode()).digest()


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
