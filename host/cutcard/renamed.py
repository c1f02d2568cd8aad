"""Deprecated aliases for names of a public package that were renamed."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def renamed(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package that maps each old name to the new name.

    An access to an old name warns with the new one. The aliases of a version are removed with the
    next version.
    """

    def attribute(old: str) -> Any:
        if old not in names:
            raise AttributeError(f"module {package!r} has no attribute {old!r}")
        new = names[old]
        message = f"{package}.{old} is deprecated and will be removed: use {package}.{new}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[package], new)

    return attribute
