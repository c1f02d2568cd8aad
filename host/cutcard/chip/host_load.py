"""The load of this computer: emulated boards run slower by this factor."""

from __future__ import annotations

import os

MOST = 4.0  # the maximum: a wait without an end becomes longer by this factor


def crowd() -> float:
    """Return the number of processes per core that want to run, at least one."""
    return min(MOST, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
