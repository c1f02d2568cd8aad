"""Events in order, without gaps or duplicates, each recorded before it is acknowledged."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import takewhile

from cutcard.devices.events import Event


class Inbox:
    """Sort numbered events.

    `last` is the number of the last event taken: all earlier events are taken too, and the host
    acknowledges it. It is None until this host knows the first unacknowledged event of the device
    (a new start without a record of the previous one).
    """

    def __init__(self, last: int | None, record: Callable[[Event], None] | None) -> None:
        self.last = last
        self._record = record
        self._ahead: dict[int, Event] = {}
        self._queue: deque[Event] = deque()
        self.repeated = 0
        self._deaf = False

    def deafen(self) -> None:
        """Take no more events."""
        self._deaf = True

    def put(self, event: Event) -> None:
        """Take an event, or store it until its predecessors have arrived."""
        if self._deaf:
            return
        if event.number in self._ahead or (self.last is not None and event.number <= self.last):
            self.repeated += 1
            return
        self._ahead[event.number] = event
        if self.last is not None:
            self._take()

    def feed(self, events: Sequence[Event]) -> None:
        """Return events first that an earlier program recorded and did not handle."""
        self._queue.extend(events)

    def begin(self) -> None:
        """Start with the lowest number seen: all stored events of the device have arrived."""
        if self.last is None and self._ahead:
            self.last = min(self._ahead) - 1
        if self.last is not None:
            self._take()

    def _take(self) -> None:
        assert self.last is not None
        while event := self._ahead.get(self.last + 1):
            # If recording fails, the event remains untaken: it is not acknowledged and not lost.
            if self._record is not None:
                self._record(event)
            del self._ahead[event.number]
            self.last = event.number
            self._queue.append(event)

    @property
    def waiting(self) -> bool:
        """Return whether events wait for a missing predecessor."""
        return bool(self._ahead)

    @property
    def acknowledged(self) -> int:
        return self.last or 0

    def has(self, wanted: Callable[[Event], bool]) -> bool:
        """Return whether a wanted event is queued."""
        return any(wanted(event) for event in self._queue)

    def pop(self, wanted: Callable[[Event], bool], after: int | None = None) -> Event | None:
        """Return the oldest wanted event once, or None; with `after`, only events with a higher
        number.

        Events of types that the caller never requests remain queued; they are not searched for each
        card.
        """
        for place in range(self._first_above(after), 0):
            event = self._queue[place]
            if wanted(event):
                del self._queue[place]
                return event
        return None

    def _first_above(self, number: int | None) -> int:
        """Return the place of the first event with a higher number, counted from the end."""
        if number is None:
            return -len(self._queue)
        newer = takewhile(lambda event: event.number > number, reversed(self._queue))
        return -sum(1 for _ in newer)
