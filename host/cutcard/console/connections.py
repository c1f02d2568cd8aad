"""How long a connection may be silent, and how many may be.

Whoever connects asks at once, and his connection is of no use to him before. One that has not said
all of a request in time is closed. Where too many wait, the one that has waited longest goes: those
who leave them open throw themselves out, and nobody else.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from cutcard.console.guard import whence

REQUEST_SECONDS = 10.0  # for a handshake, and then for a whole request
MOST_WAITING = 256
MOST_OF_ONE = 64  # address, which many may share
AT_ONCE = 64

_waiting: dict[Bounded, None] = {}  # in the order in which they began to wait


class Bounded(H11Protocol):
    """A connection of a browser to the console."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._timer is None and self.conn.their_state is h11.IDLE:
            self._wait()  # the next request of the same connection
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(REQUEST_SECONDS, self.let_go)
        _waiting[self] = None
        own = [each for each in _waiting if each.address == self.address]
        if len(own) > MOST_OF_ONE:
            own[0].let_go()
        elif len(_waiting) > MOST_WAITING:
            next(iter(_waiting)).let_go()

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        _waiting.pop(self, None)

    @property
    def address(self) -> str:
        return whence(self.client[0]) if self.client else ""

    def let_go(self) -> None:
        """Close it: nobody is answered who has asked nothing."""
        self._wait_no_more()
        self.transport.abort()


class HandshakeLoop(asyncio.SelectorEventLoop):
    """An event loop in which a handshake takes no longer than a request, too, and which takes only
    so many connections before it looks whom to let go."""

    async def create_server(self, *args: Any, **how: Any) -> asyncio.Server:
        how["backlog"] = AT_ONCE
        if how.get("ssl") is not None:
            how["ssl_handshake_timeout"] = REQUEST_SECONDS
        return await super().create_server(*args, **how)


LOOP = f"{HandshakeLoop.__module__}:{HandshakeLoop.__name__}"
