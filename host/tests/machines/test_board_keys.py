"""What a machine file says of its board is checked before it can keep one from starting."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from cutcard.machines import MachineFileError, find
from cutcard.machines.library import check


def carousel(**changes: Any) -> dict[str, Any]:
    """The shipped carousel as a table, with `section__key=value` changed."""
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


def test_a_step_must_be_slow_enough_to_time_and_quick_enough_to_count() -> None:
    assert "30 us a step" in problems(motor__steps_bin=400)
    assert "1000000 us a step" in problems(motor__steps_bin=1, timing__turn_bin=1000)


def test_a_turn_has_no_more_steps_than_can_be_counted() -> None:
    found = problems(motor__steps_bin=400, bins__count=200, timing__turn_bin=100)
    assert "80000 steps" in found
