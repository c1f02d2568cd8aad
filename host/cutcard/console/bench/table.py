"""A table in play at a logging machine, and the time at which each event left the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from bisect import bisect_right
from itertools import accumulate
from multiprocessing.synchronize import Event as Flag
from multiprocessing.synchronize import Semaphore
from pathlib import Path
from typing import Any

from cutcard import private_files
from cutcard.bench.client import Bench
from cutcard.bench.settings import Settings
from cutcard.console.bench.machine import SENT
from cutcard.devices import lines
from cutcard.devices.events import Event
from cutcard.machines import DEFAULT_MACHINE
from cutcard.table.plan.table_file import plan_from
from cutcard.table.replay import role_log
from cutcard.table.running import run

PACE = 100  # milliseconds between cards: a dealer takes ten times as long
HEARD = "heard.log"
PLAN = f"""
rulebook = "nz-division-2"
decks = 6
shuffler = "continuous"
pace = {PACE}
rounds = 100000
players = [
  {{ name = "Ana", box = 1, wager = 20 }},
  {{ name = "Ben", box = 3, wager = 50 }},
  {{ name = "Cleo", box = 5, wager = 10 }},
]
[table]
min = 10
max = 1000
"""


class _TableStoppedError(Exception):
    """The measurement is over."""


def play(folder: str, seed: int, ready: Semaphore, stop: Flag) -> None:
    """Play in a folder until stopped; signal the end of the first round."""
    home = Path(folder)
    private_files.make_folder(home / "cards")
    _start_machine(home / "cards", seed)
    _record_received_bytes(home / HEARD)
    count = 0

    def log(line: str) -> None:
        nonlocal count
        count += 1
        if count == 3:
            ready.release()
        if stop.is_set():
            raise _TableStoppedError

    try:
        run(plan_from(PLAN, home / "table.toml"), home, log, seed)
    except _TableStoppedError:
        Bench.staying(DEFAULT_MACHINE, home / "cards").end()


def _start_machine(folder: Path, seed: int) -> None:
    """Start a bench in the table's folder, which the table will use."""
    settings = Settings(DEFAULT_MACHINE, seed, "6x52", folder=str(folder), stays=True)
    command = [sys.executable, "-m", "cutcard.console.bench.machine", json.dumps(vars(settings))]
    started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert started.stdout is not None
    said = json.loads(started.stdout.readline() or b"{}")
    if not said.get("ready"):
        raise RuntimeError(said.get("error", "the bench has ended"))


def _record_received_bytes(file: Path) -> None:
    """Log for each event the number of its record and the bytes read last before it."""
    log = file.open("a", buffering=1)
    read, record = lines._SerialLine.read, role_log.RoleLog.record
    last = b""

    def reading(line: Any, timeout: float) -> bytes:
        nonlocal last
        data = read(line, timeout)
        last = data or last
        return data

    def recording(kept: role_log.RoleLog, event: Event, sent: bytes) -> None:
        record(kept, event, sent)
        log.write(f"{kept._journal.number} {last.hex()}\n")

    for patched, name, by in (
        (lines._SerialLine, "read", reading),
        (role_log.RoleLog, "record", recording),
    ):
        setattr(patched, name, by)


def sent_at(home: Path) -> dict[int, float]:
    """Return the time at which each event left its machine, by the number of its record.

    Bytes read together may have been sent at several times: the first of them counts.
    """
    sent = [line.split(" ") for line in (home / "cards" / SENT).read_text("utf-8").splitlines()]
    times = [float(time) for time, _ in sent]
    pieces = [bytes.fromhex(data) for _, data in sent]
    begins = [0, *accumulate(map(len, pieces))]
    whole, at, found = b"".join(pieces), 0, {}
    for line in (home / HEARD).read_text("utf-8").splitlines():
        number, data = line.split(" ")
        at = whole.index(bytes.fromhex(data), at)
        found[int(number)] = times[bisect_right(begins, at) - 1]
    return found
