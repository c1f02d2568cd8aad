"""A table that is played for people at a console, as a program of its own."""

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
    """The program of a table, in its folder below a pit's."""

    def __init__(self, pit: Path, plan: str) -> None:
        self.folder = pit / "nine"
        self.plan = pit / "nine.toml"
        self.plan.write_text(plan)
        self.program: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Open the table, or go on with it; returns when it can be talked to."""
        new = not self.folder.exists()
        what = [str(self.plan), "--folder", str(self.folder)] if new else [str(self.folder)]
        command = [sys.executable, "-m", "cutcard.cli", "table", "run", *what]
        if new:
            command += ["--seed", "3"]
        (self.folder / SOCKET).unlink(missing_ok=True)
        self.program = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self.program.stdout is not None
        for _ in self.program.stdout:  # it says something as soon as it can be talked to
            if (self.folder / SOCKET).exists():
                break
        else:
            raise AssertionError("the table has ended")
        threading.Thread(target=_read_on, args=(self.program.stdout,), daemon=True).start()

    def kill(self) -> None:
        """As a power cut of its computer would end it; its machine stays."""
        assert self.program is not None
        self.program.kill()
        self.program.wait()


def _read_on(said: IO[bytes]) -> None:
    """What nobody reads stops whoever says it."""
    with said:
        for _ in said:
            pass


@contextmanager
def running(pit: Path, plan: str = PLAN) -> Iterator[Running]:
    """A table in play until the block ends; its bench ends with it."""
    table = Running(pit, plan)
    table.start()
    try:
        yield table
    finally:
        table.kill()
        end_bench(table.folder)


def end_bench(folder: Path) -> None:
    """End the bench that stays when its table is killed."""
    Bench.staying("carousel-60", folder / "cards", seed=None, decks=0).end()
