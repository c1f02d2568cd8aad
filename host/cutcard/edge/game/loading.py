"""Load the compiler without parts that the analysis does not use, so that it starts faster."""

from __future__ import annotations

import sys

# Looked up by numba at its start, for `np.cov` and C functions.
NOT_ASKED_FOR = ("scipy.linalg.cython_blas", "cffi")


def load_numba_without_extras() -> None:
    """Import numba while its optional dependencies are hidden, so that it loads faster."""
    hidden = [name for name in NOT_ASKED_FOR if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import numba.core.typing.cffi_utils
        import numba.np.arraymath  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]
