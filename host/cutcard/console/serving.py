"""Serve the console at an address: locally, or with a certificate at any address."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn

from cutcard.console.certificates import ShownCertificate
from cutcard.console.connections import LOOP, Bounded
from cutcard.console.gaming_day import GamingDay
from cutcard.console.people import People, Sessions
from cutcard.console.pit import Pit
from cutcard.console.server import Console

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class CannotServeError(Exception):
    """Raised for an address at which the console cannot be served; has the next step."""


def is_loopback(address: str) -> bool:
    """Return whether only programs on this computer can reach an address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def serve(
    folders: Sequence[Path],
    people: People,
    *,
    bind: str,
    port: int,
    names: Sequence[str],
    certificate: Path | None,
    key: Path | None,
    certificates: Sequence[ShownCertificate],
    gaming_day: GamingDay,
    ready: Callable[[str], None],
) -> None:
    """Serve until a signal arrives. Call `ready` with the address. Raises CannotServeError."""
    secure = certificate is not None and key is not None
    if not is_loopback(bind) and not secure:
        raise CannotServeError(
            f"{bind} can be reached from other computers, and passphrases would cross the network "
            "in the clear. Give --certificate and --key, or leave --bind away."
        )
    listening = listening_on(bind, port)
    port = listening.getsockname()[1]
    said = [*names, *(LOOPBACK if is_loopback(bind) else (bind,))]
    hosts = frozenset(form for name in said for form in (f"{name}:{port}", name))
    console = Console(
        Pit(folders, certificates, gaming_day), Sessions(people), hosts, secure=secure
    )
    config = configured(console, certificate, key)
    address = f"{'https' if secure else 'http'}://{said[0]}:{port}/"
    # uvicorn raises the ending signal again for the previously installed handler
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        _AnnouncedServer(config, lambda: ready(address)).run(sockets=[listening])


class _AnnouncedServer(uvicorn.Server):
    """A server that calls `ready` once it serves; a signal ends it properly."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def configured(
    console: Console, certificate: Path | None = None, key: Path | None = None
) -> uvicorn.Config:
    """Return the configuration of the server."""
    return uvicorn.Config(
        console.app,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # otherwise local programs could forge their address
        timeout_graceful_shutdown=1,
        http=Bounded,
        ws="none",
        loop=LOOP,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )


def listening_on(bind: str, port: int) -> socket.socket:
    """Return a socket on an address. Raises CannotServeError."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((bind, port))
        opened.listen(256)
    except OSError as error:
        opened.close()
        raise CannotServeError(
            f"{bind}:{port}: {error.strerror}. Take another with --http-port; 0 finds a free one."
        ) from error
    return opened
