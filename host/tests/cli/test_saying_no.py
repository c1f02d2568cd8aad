"""Error messages of commands: in words, and within the terminal's width."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest


def typed(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cutcard.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def on_a_terminal(*words: str) -> list[str]:
    """Return the lines of standard error on a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "cutcard.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=os.environ | {"COLUMNS": "80"},
    )
    os.close(theirs)
    with os.fdopen(ours, "rb") as terminal:
        said = b""
        try:
            while part := terminal.read1():
                said += part
        except OSError:  # Linux raises this when the other end is closed
            pass
    return said.decode().splitlines()


def test_error_fits_a_terminal_and_breaks_no_command() -> None:
    lines = on_a_terminal("device", "PORT", "status")
    assert max(map(len, lines)) <= 80
    assert any("`cutcard devices`" in line for line in lines)


def test_error_in_a_pipe_is_one_line() -> None:
    assert len(typed("play", "nowhere").stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("table", "run", "--folder", "{file}/below"),
        ("table", "jackpot", "--folder", "{file}/below"),
        ("image", "build", "--board", "rp2", "-o", "{file}/below"),
    ],
    ids=" ".join,
)
def test_place_that_cannot_be_written_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "a file"
    file.touch()
    done = typed(*(word.format(file=file) for word in words))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"{file}/below: Not a directory"


def test_leaving_a_prompt_prints_how_to_resume(tmp_path: Path) -> None:
    folder = tmp_path / "my table"
    words = ("--rulebook", "uk-blackjack", "--people", "prompt", "--player", "Ana:1:20")
    done = typed("table", "run", "--folder", str(folder), *words)
    assert done.returncode == 130
    said = done.stderr.splitlines()
    assert f"Resume it: `cutcard table run '{folder}'`" in said
    assert said[-1].endswith(f"`cutcard table stop '{folder}'`")
    # otherwise its bench would continue to run
    assert typed("table", "stop", str(folder)).returncode == 0


TALKATIVE = [
    ("rulebook", "show", "uk-blackjack"),
    ("rulebook", "keys"),
    ("edge", "sweep", "--json"),
    ("--version",),
]


@pytest.fixture(params=["buffered", "unbuffered"])
def printing(request: pytest.FixtureRequest) -> dict[str, str]:
    """Flush printed text at the end, or immediately."""
    return os.environ | {"PYTHONUNBUFFERED": "1" if request.param == "unbuffered" else ""}


@pytest.mark.parametrize("words", TALKATIVE, ids=" ".join)
def test_closed_pipe_ends_a_command_quietly(
    words: tuple[str, ...], printing: dict[str, str]
) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    command = [sys.executable, "-m", "cutcard.cli", *words]
    done = subprocess.run(command, stdout=writes, stderr=subprocess.PIPE, text=True, env=printing)
    os.close(writes)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
@pytest.mark.parametrize("words", TALKATIVE, ids=" ".join)
def test_write_error_on_standard_output_is_one_sentence(
    words: tuple[str, ...], printing: dict[str, str]
) -> None:
    command = [sys.executable, "-m", "cutcard.cli", *words]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=printing)
    assert done.returncode == 1
    assert done.stderr == "standard output cannot be written: No space left on device\n"
