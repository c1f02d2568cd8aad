"""Compilation of kernels by numba, with the same options for all.

Compiled kernels are cached next to their source: the first run on a machine compiles them, later
runs load them. Kernels count in integers only; `scipy.special` computes the p-values outside.
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
    """Apply `numba.njit` with caching, and preserve the kernel's type for mypy."""
    dispatcher = numba.njit(cache=True, nogil=True, boundscheck=False)(kernel)
    _include_called_kernels_in_stamp(dispatcher)
    return cast(Kernel, dispatcher)


def _include_called_kernels_in_stamp(dispatcher: Any) -> None:
    """Recompile a cached kernel if a kernel that it calls has changed.

    numba compares only the time stamp of the kernel's own file. This adds the stamps of the files
    of the called kernels.
    """
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


# Return the number of ones in a 64-bit word, with the processor's instruction.
ones_in = cast(Callable[[Any], int], _ones_in)


@numba.njit(inline="always")
def _whole(number: Any) -> Any:
    return np.int64(number)


# Convert to a signed 64-bit number: a signed with an unsigned number would give a float.
whole = cast(Callable[[Any], int], _whole)
