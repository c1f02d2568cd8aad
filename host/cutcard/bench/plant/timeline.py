"""The queue of future events in the machine, by time in milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

Action = Callable[[], None]
Event = list[Any]  # [time, order, action]; a cancelled one has no action


class Timeline:
    """Future events; events at the same time run in the order in which they were added."""

    def __init__(self) -> None:
        self.now = 0
        self._heap: list[Event] = []
        self._order = 0

    def after(self, milliseconds: int, action: Action) -> Event:
        self._order += 1
        event: Event = [self.now + milliseconds, self._order, action]
        heappush(self._heap, event)
        return event

    def cancel(self, event: Event | None) -> None:
        if event is not None:
            event[2] = None

    def left(self, event: Event) -> int:
        """Return the milliseconds until the event."""
        return int(event[0] - self.now)

    def next_time(self) -> int | None:
        """Return the time of the next event; None if everything is at rest."""
        heap = self._heap
        while heap:
            if heap[0][2] is not None:
                return heap[0][0]  # type: ignore[no-any-return]
            heappop(heap)
        return None

    def run_next(self) -> None:
        """Run the next event. `next_time` must have found one."""
        event = heappop(self._heap)
        self.now = event[0]
        action = event[2]
        event[2] = None
        action()
