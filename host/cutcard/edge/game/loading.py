"""The compiler without what no kernel of the analysis asks for: it starts sooner."""

from __future__ import annotations

import sys

LINEAR_ALGEBRA = "scipy.linalg.cython_blas"


def without_linear_algebra() -> None:
    """numba loads scipy's linear algebra when it starts, to see whether it can offer `np.cov`.

    While it looks there is none. Whoever wants it later, in a kernel or not, still finds it.
    """
    if LINEAR_ALGEBRA in sys.modules:
        return
    sys.modules[LINEAR_ALGEBRA] = None  # type: ignore[assignment]
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[LINEAR_ALGEBRA]
