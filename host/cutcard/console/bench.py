"""Measures the console with eight tables and twenty viewers, beside a bare echo of its server.

python -m cutcard.console.bench: the time from a record on the disk of a table to the page of each
viewer, and whether each viewer was told every record. Tables, server and viewers are processes of
their own; the viewers are HTTP clients without a browser.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing as processes
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from cutcard.console.people import People, Sessions
from cutcard.console.pit import Pit
from cutcard.console.server import Console
from cutcard.console.serving import listening_on
from cutcard.journal import Journal

TABLES, VIEWERS = 8, 20
RECORDS = 250  # of each table
PAUSE = 0.04  # seconds between two records of a table: far faster than cards fall
MOST_P99 = 250.0  # milliseconds
PATIENCE = 60.0


@dataclass
class Heard:
    """What one viewer was told: records counted, bytes, and milliseconds from disk to page."""

    records: int = 0
    size: int = 0
    late: list[float] = field(default_factory=list)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _serve(folder: str, port: int, people: str) -> None:
    pit = Pit([Path(folder)])
    console = Console(pit, Sessions(People.of(Path(people))), frozenset({f"127.0.0.1:{port}"}))
    _run(console.app, port)


def _echo(folder: str, port: int, people: str) -> None:
    """The same server with nothing behind it: each line that arrives is sent to everybody."""
    queues: set[asyncio.Queue[bytes]] = set()

    async def told(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
        await asyncio.start_unix_server(told, str(Path(folder) / "echo.sock"))
        await uvicorn.Server(_config(app)).serve(sockets=[listening_on("127.0.0.1", port)])

    app = Starlette(routes=[Route("/api/events", events)])
    asyncio.run(begin())


def _config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)


def _run(app: Any, port: int) -> None:
    uvicorn.Server(_config(app)).run(sockets=[listening_on("127.0.0.1", port)])


def _view(port: int, cookie: str, results: Any, ready: Any) -> None:
    results.put(asyncio.run(_all_viewers(port, cookie, ready)))


async def _all_viewers(port: int, cookie: str, ready: Any) -> list[Heard]:
    return await asyncio.gather(*(_viewer(port, cookie, ready) for _ in range(VIEWERS)))


async def _viewer(port: int, cookie: str, ready: Any) -> Heard:
    heard = Heard()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    writer.write(
        f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode()
    )
    while heard.records < TABLES * RECORDS:
        line = await asyncio.wait_for(reader.readline(), PATIENCE)
        if not line:
            break
        heard.size += len(line)
        if not line.startswith(b"data: "):
            continue
        data = json.loads(line[6:])
        if "tables" in data:
            ready.release()
        elif "records" in data:
            _note(heard, data)
    writer.close()
    return heard


def _note(heard: Heard, data: dict[str, Any]) -> None:
    now = datetime.now(UTC)
    heard.records += data["records"]
    for line in data["lines"]:
        heard.late.append(1000 * (now - datetime.fromisoformat(line["time"])).total_seconds())


def _measure(target: Any, folder: Path, write: Any) -> tuple[list[Heard], int, float]:
    """Start server and viewers, let the tables write; returns what was heard, memory, seconds."""
    context = processes.get_context("spawn")
    with listening_on("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    people = People.of(folder / "people.json")
    people.add("viewer", ("viewer",))
    cookie = f"cutcard={Sessions(people).begin(people.persons['viewer'])}"
    server = context.Process(target=target, args=(str(folder), port, str(people.file)))
    results, ready = context.Queue(), context.Semaphore(0)
    viewers = context.Process(target=_view, args=(port, cookie, results, ready))
    server.start()
    try:
        _wait_for(port)
        viewers.start()
        for _ in range(VIEWERS):
            ready.acquire(timeout=PATIENCE)
        began = time.perf_counter()
        write(folder)
        heard: list[Heard] = results.get(timeout=PATIENCE)
        return heard, _resident(server.pid or 0), time.perf_counter() - began
    finally:
        server.terminate()
        for process in (server, viewers):
            process.join(PATIENCE)


def _wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)


def _resident(pid: int) -> int:
    """Bytes of memory that a process has now."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def _tables_write(folder: Path) -> None:
    journals = []
    for number in range(TABLES):
        home = folder / f"table-{number}"
        journals.append(Journal(home / "table.journal", f"Table {number}", clock=_now))
    for at in range(RECORDS):
        for journal in journals:
            journal.append("returned", {"cards": at})
            time.sleep(PAUSE / TABLES)
    for journal in journals:
        journal.close()


def _echo_writes(folder: Path) -> None:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.connect(str(folder / "echo.sock"))
    filling = "x" * 1500  # about as long as a table
    for _ in range(RECORDS * TABLES):
        said = {"records": 1, "lines": [{"time": _now()}], "filling": filling}
        line.sendall(json.dumps(said).encode() + b"\n")
        time.sleep(PAUSE / TABLES)
    line.close()


def _percentile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(TABLES):
            (folder / f"table-{number}").mkdir()
            Journal(folder / f"table-{number}" / "table.journal").close()
        heard, memory, seconds = _measure(_serve, folder, _tables_write)
    with tempfile.TemporaryDirectory() as name:
        bare, bare_memory, _ = _measure(_echo, Path(name), _echo_writes)
    wanted = TABLES * RECORDS
    missed = sum(wanted - each.records for each in heard)
    late, echoed = ([ms for each in of for ms in each.late] for of in (heard, bare))
    p99, bare_p99 = _percentile(late, 0.99), _percentile(echoed, 0.99)
    print(
        f"console, disk to page    {wanted / seconds:8.0f} records a second, {TABLES} tables, "
        f"{VIEWERS} viewers\n"
        f"  half of them within    {_percentile(late, 0.5):8.1f} ms; a bare echo of the server: "
        f"{_percentile(echoed, 0.5):.1f}\n"
        f"  99 of 100 within       {p99:8.1f} ms (at most {MOST_P99:.0f}); a bare echo: "
        f"{bare_p99:.1f}\n"
        f"  missed                 {missed:8d} of {wanted * VIEWERS} (none may be)\n"
        f"  bytes a record         {heard[0].size / wanted:8.0f} to each viewer\n"
        f"  memory a table         {max(0, memory - bare_memory) / TABLES / 1024:8.0f} KB above "
        f"the bare echo's"
    )
    return 0 if missed == 0 and p99 <= MOST_P99 else 1


if __name__ == "__main__":
    sys.exit(main())
