"""A console on a separate port, and a client without a browser."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from cutcard.console.people import People, Sessions
from cutcard.console.pit import Pit
from cutcard.console.server import Console
from cutcard.console.serving import configured, listening_on


@dataclass
class Served:
    """The address of a console, and the console itself for internal checks."""

    port: int
    console: Console
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def ask(
        self, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], Any]:
        """Send one request; POST if there is a body. Return status, headers and JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {"Cookie": self.cookie} if self.cookie else {}
        if body is not None:
            sent |= {"Origin": self.url.rstrip("/"), "Content-Type": "application/json"}
        method = "GET" if body is None else "POST"
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {**sent, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read()
        got = {name.lower(): value for name, value in answer.getheaders()}
        connection.close()
        is_json = got.get("content-type", "").startswith("application/json")
        return answer.status, got, json.loads(text) if is_json else text

    def sign_in(self, name: str, *titles: str) -> None:
        """Add a person and sign in as that person."""
        passphrase = self.console.sessions.people.add(name, titles)
        status, headers, _ = self.ask("/api/sign-in", {"name": name, "passphrase": passphrase})
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]

    def events(self, last: str = "") -> Generator[tuple[str, str, Any], None, None]:
        """Yield the stream: kind, id and data of each event."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {"Cookie": self.cookie} | ({"Last-Event-ID": last} if last else {})
        connection.request("GET", "/api/events", headers=sent)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        event: dict[str, str] = {}
        try:
            for line in iter(answer.readline, b""):
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                elif "data" in event:
                    yield event["event"], event["id"], json.loads(event["data"])
                    event = {}
        finally:
            connection.close()


@contextmanager
def serving(folder: Path, people: People, port: int = 0) -> Iterator[Served]:
    """Serve a console in a thread, until the block ends."""
    socket = listening_on("127.0.0.1", port)
    port = socket.getsockname()[1]
    console = Console(Pit([folder]), Sessions(people), frozenset({f"127.0.0.1:{port}"}))
    server = uvicorn.Server(configured(console))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
    thread.start()
    try:
        yield Served(port, console)
    finally:
        server.should_exit = True
        thread.join()
