"""Progress of long work, on standard error: a bar on a terminal, plain lines in a pipe or a log.

    with working("certifying", total=12) as work:
        work.on("sp800-22/frequency")  # the current part
        work.advance(1)

Work that ends within a moment prints no progress. Standard output is never used, so `--json` stays
clean. A separate thread updates the progress, also while the work computes for a minute.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

FIRST = 2.0  # seconds in a pipe before the first line
EVERY = 5.0  # seconds between lines


class Work:
    """The progress of one piece of work: its current part, and the completed share."""

    def __init__(self, name: str, total: float | None) -> None:
        self.name = name
        self.part = ""
        self.total = total
        self.done = 0.0
        self.left = ""
        self._estimate: Callable[[], tuple[float, str]] | None = None
        self._began = time.monotonic()
        self._stop: Callable[[], None] = lambda: None
        self._start: Callable[[], None] = lambda: None

    def on(self, part: str) -> None:
        """Start this part of the work."""
        self.part = part

    def advance(self, by: float = 1.0) -> None:
        self.done += by

    def reach(self, done: float, total: float) -> None:
        """Report the completed amount and the total."""
        self.done, self.total = done, total

    def follow(self, estimate: Callable[[], tuple[float, str]]) -> None:
        """Use `estimate` for the completed share, and for the text about the remaining time."""
        self._estimate = estimate
        self.refresh()

    def refresh(self) -> None:
        """Update the estimate before the progress is shown."""
        if self._estimate is not None:
            self.done, self.left = self._estimate()
            self.total = 1.0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hide the progress while a person answers a question."""
        self._stop()
        try:
            yield
        finally:
            self._start()

    def on_screen(self, stop: Callable[[], None], start: Callable[[], None]) -> None:
        self._stop, self._start = stop, start

    def line(self) -> str:
        """Return one line for a log."""
        self.refresh()
        words = [self.name, self.part, f"{self.done / self.total:.0%}" if self.total else ""]
        passed = f"{time.monotonic() - self._began:.0f} s so far"
        return ", ".join(filter(None, [*words, passed, self.left]))


@contextmanager
def working(name: str, total: float | None = None) -> Iterator[Work]:
    """Show the progress of work while the block runs, on a terminal or in a pipe."""
    work = Work(name, total)
    with _bar(work) if sys.stderr.isatty() else _lines(work):
        yield work


@contextmanager
def _bar(work: Work) -> Iterator[None]:
    # Imported only for a terminal.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(20),
        TextColumn("{task.fields[share]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        work.on_screen(bar.stop, bar.start)
        shown = bar.add_task("", total=None, share="")

        def show() -> None:
            work.refresh()
            bar.update(
                shown,
                description=", ".join(filter(None, (work.name, work.part))),
                total=work.total,
                completed=min(work.done, work.total) if work.total else 0,
                share=_share(work),
            )

        with _ticking(show, 0.0, 0.2):
            yield


def _share(work: Work) -> str:
    share = f"{work.done / work.total:.0%}" if work.total else ""
    return ", ".join(filter(None, (share, work.left)))


@contextmanager
def _lines(work: Work) -> Iterator[None]:
    to: TextIO = sys.stderr

    def show() -> None:
        print(work.line(), file=to, flush=True)

    with _ticking(show, FIRST, EVERY):
        yield


@contextmanager
def _ticking(show: Callable[[], None], first: float, every: float) -> Iterator[None]:
    """Call `show` repeatedly from a separate thread until the block ends."""
    ended = threading.Event()

    def tick() -> None:
        wait = first
        while not ended.wait(wait):
            wait = every
            with suppress(OSError, ValueError):  # the terminal or pipe is closed
                show()

    thread = threading.Thread(target=tick, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
