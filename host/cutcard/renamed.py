"""Deprecated aliases for public names that were renamed."""

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
        return _current(sys.modules[package], package, old, names[old])

    return attribute


def renamed_members(owner: str, names: Mapping[str, str]) -> Callable[[Any, str], Any]:
    """Return the `__getattr__` of the class `owner` that maps each old member to the new one."""

    def attribute(self: Any, old: str) -> Any:
        if old not in names:
            raise AttributeError(f"{owner!r} object has no attribute {old!r}")
        return _current(self, owner, old, names[old])

    return attribute


def _current(owner: Any, shown: str, old: str, new: str) -> Any:
    """Warn the caller of `__getattr__` about the old name, and return the value of the new one."""
    message = f"{shown}.{old} is deprecated and will be removed: use {shown}.{new}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    return getattr(owner, new)
