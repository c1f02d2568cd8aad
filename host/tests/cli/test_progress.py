"""Long work reports its progress on standard error, in a pipe as on a terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import threading

import pytest

from cutcard import progress
from cutcard.progress import Work, working


class Log(io.StringIO):
    """A pipe that signals each new line."""

    def __init__(self) -> None:
        super().__init__()
        self.came = threading.Event()

    def write(self, text: str) -> int:
        done = super().write(text)
        if text.endswith("\n"):
            self.came.set()
        return done


def listening(monkeypatch: pytest.MonkeyPatch) -> Log:
    """Replace standard error within a test: pytest installs its own after the fixtures."""
    made = Log()
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_line_names_work_part_share_and_time() -> None:
    work = Work("certifying", 4)
    work.on("sp800-22")
    work.advance(1)
    assert work.line() == "certifying, sp800-22, 25%, 0 s so far"


def test_unknown_values_are_omitted() -> None:
    assert Work("compiling", None).line() == "compiling, 0 s so far"


def test_part_in_a_pipe_is_named_without_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Work that computes for a minute without a call is not silent: a separate clock ticks."""
    log = listening(monkeypatch)
    monkeypatch.setattr(progress, "FIRST", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    with working("dealing every card") as work:
        work.on("perfect-pairs")
        for _ in range(2):  # the first one may have been under way
            log.came.clear()
            assert log.came.wait(60)
    assert "dealing every card, perfect-pairs" in log.getvalue().splitlines()[-1]


def test_quick_work_prints_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    log = listening(monkeypatch)
    monkeypatch.setattr(progress, "FIRST", 3600.0)
    with working("compiling"):
        pass
    assert log.getvalue() == ""


def test_failed_work_prints_no_more_progress() -> None:
    threads = threading.active_count()
    with pytest.raises(ValueError, match="broken"), working("compiling"):
        raise ValueError("broken")
    assert threading.active_count() == threads


def test_terminal_shows_the_work_immediately() -> None:
    ours, theirs = pty.openpty()
    script = (
        "from cutcard.progress import working\n"
        "with working('certifying', 4) as work:\n"
        "    work.on('loading')\n"
        "    input()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(theirs)
    said = b""
    while b"certifying, loading" not in said:
        said += os.read(ours, 4096)
    out, _ = process.communicate(b"\n")
    os.close(ours)
    assert (process.returncode, out) == (0, b"")


@pytest.mark.parametrize(
    "arguments", [["edge", "side", "uk-blackjack", "top-3", "--decks", "6", "--json"]]
)
def test_standard_output_stays_clean_for_scripts(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cutcard.cli", *arguments], capture_output=True, text=True
    )
    json.loads(done.stdout)
    assert all(line.startswith("dealing every card") for line in done.stderr.splitlines())
