"""Limits for silent connections: their time and their number.

A normal client sends its request immediately. A connection without a complete request in time is
closed. If too many wait, the one that has waited longest is closed, so an attacker that opens many
connections only loses its own.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from cutcard.console.guard import whence

REQUEST_SECONDS = 10.0  # for a handshake, and then for a complete request
MOST_WAITING = 256
MOST_OF_ONE = 64  # connections per address, which many clients may share
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
            self._wait()  # for the next request of the same connection
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
        """Close the connection, without an answer, because it sent no request."""
        self._wait_no_more()
        self.transport.abort()


class HandshakeLoop(asyncio.SelectorEventLoop):
    """An event loop with a time limit for handshakes and a limit of waiting connections.

    It accepts only a limited number of connections before it closes the oldest waiting ones.
    """

    async def create_server(self, *args: Any, **how: Any) -> asyncio.Server:
        how["backlog"] = AT_ONCE
        if how.get("ssl") is not None:
            how["ssl_handshake_timeout"] = REQUEST_SECONDS
        return await super().create_server(*args, **how)


LOOP = f"{HandshakeLoop.__module__}:{HandshakeLoop.__name__}"
