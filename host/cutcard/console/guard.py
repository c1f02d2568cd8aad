"""Checks before every request: host, origin, size; and the headers of every answer."""

from __future__ import annotations

import ipaddress
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cutcard.untrusted import whole_number

CHANGES = ("POST", "PUT", "PATCH", "DELETE")
MOST_BODY = 16 * 1024
MOST_KNOWN = 4096  # addresses or names in a limit; beyond that, expired ones are forgotten
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


def whence(host: str) -> str:
    """Return the source of a request. A subscriber has a network of IPv6 addresses, which counts
    once."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    mapped = address.ipv4_mapped
    return str(mapped or ipaddress.ip_network((address, 64), strict=False))


@dataclass
class Rate:
    """A limit on the rate of an action: `most` times in `seconds`."""

    most: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _past: dict[str, deque[float]] = field(default_factory=lambda: defaultdict(deque))

    def wait(self, whose: str) -> float:
        """Return the seconds until the next action is allowed; 0: now. Does not count an action."""
        past = self._past.get(whose)
        while past and past[0] <= self.clock() - self.seconds:
            past.popleft()
        if not past:
            self._past.pop(whose, None)
            return 0.0
        return past[0] + self.seconds - self.clock() if len(past) >= self.most else 0.0

    def count(self, whose: str) -> None:
        if len(self._past) >= MOST_KNOWN:  # invented names that were used only once
            since = self.clock() - self.seconds
            for name in [
                name for name, past in self._past.items() if not past or past[-1] <= since
            ]:
                del self._past[name]
        self._past[whose].append(self.clock())

    def forgive(self, whose: str) -> None:
        """Remove the last action from the count."""
        if self._past.get(whose):
            self._past[whose].pop()


class Guard:
    """Refuse requests that our pages never send, before any other code sees them."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], secure: bool) -> None:
        self.app = app
        self.hosts = hosts
        self.scheme = "https" if secure else "http"
        self.secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if self.secure:
                    headers["strict-transport-security"] = "max-age=31536000"
            await send(message)

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        await self.app(scope, receive, guarded)

    def _refusal(self, method: str, headers: Headers) -> JSONResponse | None:
        if headers.get("host", "") not in self.hosts:
            return _no(403, "This console is not reached under that name. Start it with --name.")
        if method not in CHANGES:
            return None
        if headers.get("origin", "") not in {f"{self.scheme}://{host}" for host in self.hosts}:
            return _no(403, "This request comes from another page than the console's.")
        if headers.get("content-type", "").partition(";")[0] != "application/json":
            return _no(415, "Send JSON.")
        length = whole_number(headers.get("content-length", ""))
        in_pieces = "transfer-encoding" in headers  # chunked requests could have no end
        if in_pieces or length is None or length > MOST_BODY:
            return _no(413, f"Send a length, of {MOST_BODY} bytes at most.")
        return None


def _no(status: int, why: str) -> JSONResponse:
    return JSONResponse({"why": why}, status)
