"""The bench's clock: virtual milliseconds that jump from event to event, or real time."""

from __future__ import annotations

import time

from cutcard_firmware.core.devices.sensors import WRAP

START = WRAP - 3000  # a board's clock at every start on the bench: it soon wraps


def board_time(since_start: int) -> int:
    """Return the value of a board's clock, this many milliseconds after its start."""
    return (START + since_start) & (WRAP - 1)


class VirtualClock:
    """A clock that jumps to the next event."""

    real = False

    def reached(self, moment: int) -> bool:
        return True

    def seconds_until(self, moment: int) -> float:
        return 0.0

    def passed(self, now: int) -> int:
        """Return the time if no event has occurred since `now`."""
        return now

    def skip(self, milliseconds: int) -> None:
        """Do nothing: a virtual clock delays no event."""


class RealClock:
    """A clock that follows the wall clock; events wait for it."""

    real = True

    def __init__(self) -> None:
        self._began = time.monotonic()

    def reached(self, moment: int) -> bool:
        return self.passed(0) >= moment

    def seconds_until(self, moment: int) -> float:
        return max(0.0, self._began + moment / 1000 - time.monotonic())

    def passed(self, now: int) -> int:
        return int((time.monotonic() - self._began) * 1000)

    def skip(self, milliseconds: int) -> None:
        """Advance the clock: events due in that time occur immediately."""
        self._began -= milliseconds / 1000


Clock = VirtualClock | RealClock


def clock(name: str) -> Clock:
    if name == "virtual":
        return VirtualClock()
    if name == "real":
        return RealClock()
    raise ValueError(f"{name!r} is no clock: use virtual or real")
