"""During a person's thinking time at the terminal, the lines to the devices are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

import pytest
import typer

from cutcard.table.people import terminal as terminals
from cutcard.table.people.terminal import Terminal


@pytest.fixture
def keyboard() -> Iterator[tuple[Terminal, int]]:
    """Provide a terminal, and the descriptor for typing into it."""
    source, typed = os.pipe()
    yield Terminal(source), typed
    for each in (source, typed):
        with suppress(OSError):
            os.close(each)


def test_lines_are_read_until_input_arrives(
    keyboard: tuple[Terminal, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminals, "LOOK_EVERY", 0.001)
    terminal, typed = keyboard
    looks = []

    def look() -> None:
        looks.append(1)
        if len(looks) == 3:
            os.write(typed, b"stand\n")

    terminal.meanwhile = look
    assert terminal.line("hit or stand") == "stand"
    assert len(looks) == 3


def test_input_typed_ahead_is_kept_for_the_next_question(
    keyboard: tuple[Terminal, int],
) -> None:
    terminal, typed = keyboard
    os.write(typed, b"12\nTh\n")
    assert terminal.number("how many") == 12
    assert str(terminal.card("which")) == "Th"


def test_answer_from_a_pipe_is_shown_after_its_question(
    keyboard: tuple[Terminal, int], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, typed = keyboard
    os.write(typed, b"\x1b[31mhit\nstand\n")
    terminal.line("hit or stand")
    terminal.line("once more")
    assert capsys.readouterr().out == "hit or stand: \\x1b[31mhit\nonce more: stand\n"


def test_invalid_answer_is_requested_again(
    keyboard: tuple[Terminal, int], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, typed = keyboard
    os.write(typed, b"-1\nmany\n99999999999999999999\n3\nperhaps\ny\nmiss\n")
    assert terminal.number("how many") == 3
    assert terminal.yes("done?")
    assert terminal.one_of("found", ("missing", "extra", "")) == "missing"
    said = capsys.readouterr().out
    assert said.count("type a number of up to 5 digits, such as 12") == 3
    assert said.count("use one of yes, no") == 1


def test_closed_terminal_ends_the_program(keyboard: tuple[Terminal, int]) -> None:
    terminal, typed = keyboard
    os.close(typed)
    with pytest.raises(typer.Abort):
        terminal.line("hit or stand")
