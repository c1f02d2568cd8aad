"""One overall deadline for a call, with all its retries and reconnections."""

from __future__ import annotations

import os
import time

from cutcard.chip.host_load import crowd

EMULATED = 20.0  # seconds of this computer for one emulated second, if a core is free
_pace = float(os.environ.get("CUTCARD_PACE", "1"))


def use_emulated_board_time() -> None:
    """Count seconds in the time of the emulated board from now on in this process.

    Another process that uses an emulated board sets CUTCARD_PACE.
    """
    global _pace
    _pace = max(_pace, EMULATED)


class Deadline:
    """A time limit from now; calls to an emulated board get more of this computer's time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._pace = _pace * crowd() if _pace > 1 else _pace
        self._end = time.monotonic() + seconds * self._pace

    @property
    def left(self) -> float:
        return self.wait / self._pace

    @property
    def wait(self) -> float:
        """Return the remaining seconds on this computer's clock."""
        return max(0.0, self._end - time.monotonic())

    @property
    def over(self) -> bool:
        return self.left == 0.0

    def within(self, seconds: float) -> Deadline:
        """Return a deadline in `seconds` seconds, but never later than this one."""
        return Deadline(min(seconds, self.left))

    def at_least(self, seconds: float) -> Deadline:
        """Return this deadline, or one in `seconds` seconds if that is later."""
        return Deadline(max(seconds, self.left))

    def pause(self, seconds: float) -> None:
        """Wait before a retry, for resources that give no sign when they are ready."""
        time.sleep(min(seconds, self.left) * self._pace)
