"""How kernels of the house edge are compiled by numba, with the options decided once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(kernel: Kernel) -> Kernel:
    """`numba.njit`, cached beside its source, with the kernel's own type kept for mypy."""
    return cast(Kernel, numba.njit(cache=True, nogil=True, boundscheck=False)(kernel))
