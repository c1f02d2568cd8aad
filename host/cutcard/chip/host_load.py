"""How busy this computer is: what is emulated on it is as much slower."""

from __future__ import annotations

import os

MOST = 4.0  # whoever waits for what never comes waits as much longer


def crowd() -> float:
    """How many want each core at present, at least one."""
    return min(MOST, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
