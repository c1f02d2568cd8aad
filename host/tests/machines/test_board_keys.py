"""Keys of a machine file about its board are checked before they can prevent a start."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from cutcard.machines import MachineFileError, find
from cutcard.machines.library import check


def carousel(**changes: Any) -> dict[str, Any]:
    """Return the shipped carousel as a table, with `section__key=value` changed."""
    table = tomllib.loads(find("carousel-38").file.read_text())
    for path, value in changes.items():
        *sections, key = path.split("__")
        place = table
        for section in sections:
            place = place.setdefault(section, {})
        place[key] = value
    return table


def problems(**changes: Any) -> str:
    with pytest.raises(MachineFileError) as raised:
        check(Path("mine.toml"), carousel(**changes))
    return str(raised.value)


def test_the_prompt_and_the_link_cannot_share_usb() -> None:
    assert "board.console = 'open'" in problems(board__console="open")
    check(Path("mine.toml"), carousel(board__console="open", board__link="uart"))


def test_a_uart_must_be_on_pins_that_it_reaches() -> None:
    found = problems(pins__pico__reader_rx=22)
    assert "pins.pico.reader_rx = 22: its UART reaches only GPIO 5 or 9 or 21" in found


def test_step_time_must_be_within_the_range_of_the_generator() -> None:
    assert "30 us per step" in problems(motor__steps_bin=400)
    assert "1000000 us per step" in problems(motor__steps_bin=1, timing__turn_bin=1000)


def test_turn_must_not_exceed_the_step_counter() -> None:
    found = problems(motor__steps_bin=400, bins__count=200, timing__turn_bin=100)
    assert "80000 steps" in found
