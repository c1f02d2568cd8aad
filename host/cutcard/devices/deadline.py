"""One overall deadline for a call, however many retries and reconnections it takes."""

from __future__ import annotations

import os
import time

from cutcard.chip.host_load import crowd

EMULATED = 20.0  # seconds that an emulated board may take for one of its own, if it has a core
_pace = float(os.environ.get("CUTCARD_PACE", "1"))


def use_emulated_board_time() -> None:
    """Count seconds in the time of the emulated board from now on in this process.

    Another process that uses an emulated board sets CUTCARD_PACE.
    """
    global _pace
    _pace = max(_pace, EMULATED)


class Deadline:
    """A moment that lies some seconds ahead; an emulated board is given more of them."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._pace = _pace * crowd() if _pace > 1 else _pace
        self._end = time.monotonic() + seconds * self._pace

    @property
    def left(self) -> float:
        return self.wait / self._pace

    @property
    def wait(self) -> float:
        """The same on the clock of this computer, for whoever waits by that."""
        return max(0.0, self._end - time.monotonic())

    @property
    def over(self) -> bool:
        return self.left == 0.0

    def within(self, seconds: float) -> Deadline:
        """A deadline so many seconds from now, but never later than this one."""
        return Deadline(min(seconds, self.left))

    def at_least(self, seconds: float) -> Deadline:
        """This deadline, or one so many seconds from now if that is later."""
        return Deadline(max(seconds, self.left))

    def pause(self, seconds: float) -> None:
        """Wait before a retry, for things that give no sign when they are ready."""
        time.sleep(min(seconds, self.left) * self._pace)
