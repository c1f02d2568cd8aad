"""The bench's event loop: it waits for several connections and for signals to end."""

from __future__ import annotations

import select
import signal
import socket
from collections.abc import Callable

Handler = Callable[[], None]


class Loop:
    """The watched connections; `wait` blocks until one of them has data."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._handlers: dict[int, Handler] = {}

    def listen_to(self, speakers: dict[int, Handler], writable: int | None) -> None:
        """Replace the watched file descriptors."""
        for gone in set(self._handlers) - set(speakers):
            self._poll.unregister(gone)
        for descriptor in speakers:
            events = select.POLLIN | (select.POLLOUT if descriptor == writable else 0)
            self._poll.register(descriptor, events)
        self._handlers = speakers

    def wait(self, seconds: float | None) -> None:
        # Rounded up: a wake-up just before the time would find no due event.
        timeout = None if seconds is None else int(seconds * 1000) + 1
        first = True
        for descriptor, _ in self._poll.poll(timeout):
            handler = self._handlers.get(descriptor)
            if handler is not None and (first or self._still_speaks(descriptor)):
                handler()
                first = False

    def _still_speaks(self, descriptor: int) -> bool:
        """Return whether data is still available: an earlier handler may have taken it.

        For example, a power cut discards the board's output.
        """
        return any(ready == descriptor for ready, _ in self._poll.poll(0))


class Signals:
    """SIGTERM, SIGHUP and Ctrl-C as a file descriptor to watch."""

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        signal.set_wakeup_fd(self._writer.fileno())
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)

    def fileno(self) -> int:
        return self._reader.fileno()

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        self._reader.close()
        self._writer.close()
