"""How busy this computer is: what is emulated on it is as much slower."""

from __future__ import annotations

import os


def crowd() -> float:
    """How many want each core at present, at least one."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
