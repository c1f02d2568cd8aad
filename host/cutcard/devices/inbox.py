"""Events in their order: none lost, none twice, each recorded before it is acknowledged."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import takewhile

from cutcard.devices.events import Event


class Inbox:
    """Puts numbered events into their order.

    `last` is the number of the last event taken: all before it are taken too, and it is what
    the host acknowledges. It is None as long as this host does not know where the device's
    unacknowledged events begin (a fresh start that was not told where the last one ended).
    """

    def __init__(self, last: int | None, record: Callable[[Event], None] | None) -> None:
        self.last = last
        self._record = record
        self._ahead: dict[int, Event] = {}
        self._queue: deque[Event] = deque()
        self.repeated = 0
        self._deaf = False

    def deafen(self) -> None:
        """Take no event any more."""
        self._deaf = True

    def put(self, event: Event) -> None:
        """Take an event, or keep it aside until those before it have come."""
        if self._deaf:
            return
        if event.number in self._ahead or (self.last is not None and event.number <= self.last):
            self.repeated += 1
            return
        self._ahead[event.number] = event
        if self.last is not None:
            self._take()

    def feed(self, events: Sequence[Event]) -> None:
        """Events that an earlier program recorded and did not hand out: they come first."""
        self._queue.extend(events)

    def begin(self) -> None:
        """All that the device kept has arrived: the lowest number seen is where it begins."""
        if self.last is None and self._ahead:
            self.last = min(self._ahead) - 1
        if self.last is not None:
            self._take()

    def _take(self) -> None:
        assert self.last is not None
        while event := self._ahead.get(self.last + 1):
            # A record that fails leaves the event untaken: it is neither acknowledged nor lost.
            if self._record is not None:
                self._record(event)
            del self._ahead[event.number]
            self.last = event.number
            self._queue.append(event)

    @property
    def waiting(self) -> bool:
        """Whether events are kept aside because one before them is missing."""
        return bool(self._ahead)

    @property
    def acknowledged(self) -> int:
        return self.last or 0

    def has(self, wanted: Callable[[Event], bool]) -> bool:
        """Whether a wanted event waits to be handed out."""
        return any(wanted(event) for event in self._queue)

    def pop(self, wanted: Callable[[Event], bool], after: int | None = None) -> Event | None:
        """The oldest wanted event, handed out once; of those with a number above `after`.

        Who never asks for some kind of event leaves them all here: they are not gone through for
        each card."""
        for place in range(self._first_above(after), 0):
            event = self._queue[place]
            if wanted(event):
                del self._queue[place]
                return event
        return None

    def _first_above(self, number: int | None) -> int:
        """The place of the first event with a higher number, counted from the end."""
        if number is None:
            return -len(self._queue)
        newer = takewhile(lambda event: event.number > number, reversed(self._queue))
        return -sum(1 for _ in newer)
