"""A table in play for people at a console, in a separate process."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cutcard.bench.client import Bench
from cutcard.table.people.desk import SOCKET

PLAN = """
name = "Table 9"
rulebook = "crown-melbourne-26"
variant = "blackjack"
decks = 6
shuffler = "continuous"
people = "console"
pace = 30
rounds = 500
second_person = ["void-round"]
players = [
  { name = "Ana", box = 1, wager = 20 },
  { name = "Ben", box = 3, wager = 50 },
]
[table]
min = 10
max = 1000
"""


class Running:
    """The process of a table, in its folder below a pit's."""

    def __init__(self, pit: Path, plan: str) -> None:
        self.folder = pit / "nine"
        self.plan = pit / "nine.toml"
        self.plan.write_text(plan)
        self.program: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Open or resume the table; return when it answers."""
        new = not self.folder.exists()
        what = [str(self.plan), "--folder", str(self.folder)] if new else [str(self.folder)]
        command = [sys.executable, "-m", "cutcard.cli", "table", "run", *what]
        if new:
            command += ["--seed", "3"]
        (self.folder / SOCKET).unlink(missing_ok=True)
        self.program = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self.program.stdout is not None
        for _ in self.program.stdout:  # its first output means that it answers
            if (self.folder / SOCKET).exists():
                break
        else:
            raise AssertionError("the table has ended")
        threading.Thread(target=_read_on, args=(self.program.stdout,), daemon=True).start()

    def kill(self) -> None:
        """Kill it like a power cut of its computer; its machine continues."""
        assert self.program is not None
        self.program.kill()
        self.program.wait()


def _read_on(said: IO[bytes]) -> None:
    """Read output that no test reads, so that the process does not block."""
    with said:
        for _ in said:
            pass


@contextmanager
def running(pit: Path, plan: str = PLAN) -> Iterator[Running]:
    """Run a table until the block ends; its bench ends with it."""
    table = Running(pit, plan)
    table.start()
    try:
        yield table
    finally:
        table.kill()
        end_bench(table.folder)


def end_bench(folder: Path) -> None:
    """End the bench that continues after its table was killed."""
    Bench.staying("carousel-60", folder / "cards", seed=None, decks=0).end()
