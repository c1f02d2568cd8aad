"""Viewers of a console: HTTP clients that log when they receive each record."""

from __future__ import annotations

import asyncio
import json
import time
from bisect import bisect_left
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event as Flag
from multiprocessing.synchronize import Semaphore
from typing import Any

VIEWERS = 20


@dataclass
class ViewerLog:
    """The messages that one viewer received for each table: journal positions and times."""

    size: int = 0
    messages: int = 0
    begun: dict[str, int] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    positions: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    echoed: list[float] = field(default_factory=list)  # seconds of a message that contains its time

    def take(self, data: dict[str, Any], now: float) -> None:
        for table in data.get("tables", ()):
            self.begun[table["table"]] = self.counted[table["table"]] = table["picture"]["n"]
        if "records" in data:
            key, number = data["table"], data["picture"]["n"]
            self.messages += 1
            self.counted[key] = self.counted.get(key, 0) + data["records"]
            self.positions.setdefault(key, []).append((number, now))
            if "at" in data["picture"]:
                self.echoed.append(now - data["picture"]["at"])

    def when(self, table: str, number: int) -> float | None:
        """Return the time at which it received a record; None: never."""
        positions = self.positions.get(table, [])
        at = bisect_left(positions, number, key=lambda each: each[0])
        return positions[at][1] if at < len(positions) else None


def view(port: int, cookie: str, results: Any, ready: Semaphore, done: Flag) -> None:
    """Watch with all viewers until the end; the program of the viewers."""
    results.put(asyncio.run(_all(port, cookie, ready, done)))


async def _all(port: int, cookie: str, ready: Semaphore, done: Flag) -> list[ViewerLog]:
    heard = [ViewerLog() for _ in range(VIEWERS)]
    watching = [asyncio.create_task(_one(each, port, cookie, ready)) for each in heard]
    while not done.is_set():
        await asyncio.sleep(0.1)
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    return heard


async def _one(heard: ViewerLog, port: int, cookie: str, ready: Semaphore) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    asked = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n"
    writer.write(asked.encode())
    while line := await reader.readline():
        now = time.time()
        heard.size += len(line)
        if line.startswith(b"data: "):
            heard.take(data := json.loads(line[6:]), now)
            if "tables" in data:
                ready.release()
