"""The two measured servers: the console, and a bare echo of the same server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from cutcard.console.connections import Bounded
from cutcard.console.people import People, Sessions
from cutcard.console.pit import Pit
from cutcard.console.server import Console
from cutcard.console.serving import configured, listening_on

ECHO = "echo.sock"


def console(folder: str, port: int, people: str) -> None:
    """Serve the console as its command does."""
    known = Sessions(People.of(Path(people)))
    served = Console(Pit([Path(folder)]), known, frozenset({f"127.0.0.1:{port}"}))
    uvicorn.Server(configured(served)).run(sockets=[listening_on("127.0.0.1", port)])


def echo(folder: str, port: int, people: str) -> None:
    """Serve a bare echo: each line that arrives is sent to all viewers."""
    queues: set[asyncio.Queue[bytes]] = set()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            for each in queues:
                each.put_nowait(b"event: table\ndata: " + line + b"\n")

    async def stream(own: asyncio.Queue[bytes]) -> AsyncIterator[bytes]:
        yield b'event: pit\ndata: {"tables": []}\n\n'
        while True:
            yield await own.get()

    async def events(request: Request) -> StreamingResponse:
        own: asyncio.Queue[bytes] = asyncio.Queue()
        queues.add(own)
        return StreamingResponse(stream(own), media_type="text/event-stream")

    async def begin() -> None:
        await asyncio.start_unix_server(forward, str(Path(folder) / ECHO))
        await uvicorn.Server(_config(app)).serve(sockets=[listening_on("127.0.0.1", port)])

    app = Starlette(routes=[Route("/api/events", events)])
    asyncio.run(begin())


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(app, http=Bounded, log_level="error", timeout_graceful_shutdown=1)
