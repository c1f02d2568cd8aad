"""The compiler without what no kernel of the analysis asks for: it starts sooner."""

from __future__ import annotations

import sys

# What numba looks for when it starts, to see whether it can offer `np.cov`, or functions of C.
NOT_ASKED_FOR = ("scipy.linalg.cython_blas", "cffi")


def only_what_is_asked_for() -> None:
    """While numba looks there is none of it. Whoever wants it later, in a kernel or not, has it."""
    hidden = [name for name in NOT_ASKED_FOR if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import numba.core.typing.cffi_utils
        import numba.np.arraymath  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]
