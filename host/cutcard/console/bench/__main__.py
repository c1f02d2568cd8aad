"""Run the measurement and print its figures; exit 1 if one misses its limit."""

from __future__ import annotations

import json
import multiprocessing as processes
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cutcard.console.bench import servers
from cutcard.console.bench.table import play, sent_at
from cutcard.console.bench.viewers import VIEWERS, ViewerLog, view
from cutcard.console.people import People, Sessions
from cutcard.console.serving import listening_on
from cutcard.progress import working
from cutcard.table.running import JOURNAL

TABLES = 8
SECONDS = 15.0
# Limits from device to page. OWN is in milliseconds: the own time of table and console, including
# the disk and the wait for the next check, on an idle computer. ECHOES is a multiple of the time of
# a bare echo in the same run: an event passes between programs three times (machine, table,
# console, page) and the echo twice, and on a busy computer each of them waits equally long for its
# turn. Without the second term, a busy computer would miss the limit; without the first, the
# console's own work would be compared with an echo's.
OWN = 100.0
ECHOES = 1.5
PATIENCE = 120.0

SPAWN = processes.get_context("spawn")


@contextmanager
def tables_in_play(pit: Path) -> Iterator[Callable[[], None]]:
    """Run eight tables, each with its first round played; yield a function that ends them."""
    ready, stop = SPAWN.Semaphore(0), SPAWN.Event()
    playing = [
        SPAWN.Process(target=play, args=(str(pit / f"table-{number}"), number, ready, stop))
        for number in range(TABLES)
    ]
    for each in playing:
        each.start()

    def end() -> None:
        stop.set()
        for each in playing:
            each.join(PATIENCE)

    try:
        for _ in playing:
            if not ready.acquire(timeout=PATIENCE):
                raise RuntimeError("a table has not begun")
        yield end
    finally:
        end()


@contextmanager
def watched(server: Any, pit: Path) -> Iterator[Callable[[], tuple[list[ViewerLog], int]]]:
    """Run a server and its viewers; yield a function that ends them.

    That function returns the viewers' logs and the server's memory in bytes.
    """
    people = People.of(pit.parent / "people.json")
    if "viewer" not in people.persons:
        people.add("viewer", ("viewer",))
    cookie = f"cutcard={Sessions(people).begin(people.persons['viewer'])}"
    with listening_on("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    served = SPAWN.Process(target=server, args=(str(pit), port, str(people.file)))
    results, ready, done = SPAWN.Queue(), SPAWN.Semaphore(0), SPAWN.Event()
    viewers = SPAWN.Process(target=view, args=(port, cookie, results, ready, done))
    served.start()
    try:
        _wait_for(port)
        viewers.start()
        for _ in range(VIEWERS):
            if not ready.acquire(timeout=PATIENCE):
                raise RuntimeError("a viewer received no messages")

        def heard() -> tuple[list[ViewerLog], int]:
            done.set()
            return results.get(timeout=PATIENCE), _resident(served.pid or 0)

        yield heard
    finally:
        done.set()
        served.terminate()
        for each in (served, viewers):
            each.join(PATIENCE)


def _wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)


def _resident(pid: int) -> int:
    """Return the bytes of memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def echo_lines(pit: Path, every: float, size: int) -> None:
    """Let the bare server send as many messages of that size as the console has sent."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(pit / servers.ECHO))
        for number in range(int(SECONDS / every)):
            said = {"table": "echo", "records": 1, "picture": {"n": number, "at": time.time()}}
            said["filling"] = "x" * max(0, size - len(json.dumps(said)))
            line.sendall(json.dumps(said).encode() + b"\n")
            time.sleep(every)


def percentile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def console_figures(pit: Path) -> dict[str, Any]:
    """Run tables and viewers for a while; return each event's time, the losses, and the cost."""
    with watched(servers.console, pit) as end:
        began = time.time()
        time.sleep(SECONDS)
        until = time.time()
        time.sleep(2)  # for messages under way
        heard, memory = end()
    late, missed, events = [], 0, 0
    for number in range(TABLES):
        key = f"table-{number}"
        sent = {n: at for n, at in sent_at(pit / key).items() if began <= at <= until}
        events += len(sent)
        for each in heard:
            missed += (
                each.counted[key] != max(each.positions[key])[0]
            )  # one record counted twice, or not at all
            for record, at in sent.items():
                when = each.when(key, record)
                missed += when is None
                late += [] if when is None else [1000 * (when - at)]
    messages = sum(each.messages for each in heard) / len(heard)
    return {
        "late": late,
        "missed": missed,
        "events": events,
        "memory": memory,
        "every": SECONDS / messages,
        "size": int(sum(each.size for each in heard) / len(heard) / messages),
        "records": sum(each.counted[key] - each.begun[key] for each in heard for key in each.begun),
    }


def echo_figures(pit: Path, every: float, size: int) -> tuple[list[float], int]:
    """Measure the bare server with the same tables: milliseconds of each message, and its
    memory."""
    with watched(servers.echo, pit) as end:
        echo_lines(pit, every, size)
        time.sleep(1)
        heard, memory = end()
    return [1000 * late for each in heard for late in each.echoed], memory


def main() -> int:
    with tempfile.TemporaryDirectory() as name, working("the console") as work:
        pit = Path(name) / "pit"
        pit.mkdir()
        work.on("eight tables begin")
        with tables_in_play(pit):
            work.on("twenty viewers watch")
            found = console_figures(pit)
            work.on("a bare echo with the same tables")
            bare, bare_memory = echo_figures(pit, found["every"], found["size"])
        kept = [os.stat(pit / f"table-{number}" / JOURNAL).st_size for number in range(TABLES)]
    late, per_viewer = found["late"], found["records"] / VIEWERS
    p99, bare_p99 = percentile(late, 0.99), percentile(bare, 0.99)
    most = OWN + ECHOES * bare_p99
    load = os.getloadavg()[0]
    print(
        f"console, device to page  {found['events'] / SECONDS:8.0f} events a second, {TABLES} "
        f"tables, {VIEWERS} viewers; load {load:.1f}\n"
        f"  records a second       {per_viewer / SECONDS:8.0f} to each viewer\n"
        f"  half of them within    {percentile(late, 0.5):8.1f} ms; a bare echo of the server: "
        f"{percentile(bare, 0.5):.1f}\n"
        f"  99 of 100 within       {p99:8.1f} ms; a bare echo: {bare_p99:.1f}\n"
        f"    of {OWN:.0f} and {ECHOES} echoes  {p99 / most:8.2f}, "
        f"{'kept' if p99 <= most else 'missed'}\n"
        f"  missed                 {found['missed']:8d} of {len(late) + found['missed']} "
        f"(0 allowed)\n"
        f"  bytes a record         {found['size'] / found['every'] * SECONDS / per_viewer:8.0f} to "
        f"each viewer; {sum(kept) / TABLES / 1024:.0f} KB a table in its journal\n"
        f"  memory a table         {max(0, found['memory'] - bare_memory) / TABLES / 1024:8.0f} KB "
        f"above the bare echo's"
    )
    return 0 if found["missed"] == 0 and p99 <= most else 1


if __name__ == "__main__":
    sys.exit(main())
