"""One overall deadline for a call, however many retries and reconnections it takes."""

from __future__ import annotations

import time


class Deadline:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
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
        time.sleep(min(seconds, self.left))
