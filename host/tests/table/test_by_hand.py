"""A person at a real machine counts cards without seeing the expected number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from cutcard.table.machine.floor import MISMATCH, Attempt
from cutcard.table.people.by_hand import HandFloor
from cutcard.table.people.terminal import Terminal

Typed = Callable[[str], HandFloor]


@pytest.fixture
def typed() -> Iterator[Typed]:
    """Return a function that makes the floor of a person typing these lines."""
    source, keyboard = os.pipe()

    def floor(lines: str) -> HandFloor:
        os.write(keyboard, lines.encode())
        return HandFloor(Terminal(source))

    yield floor
    for each in (source, keyboard):
        with suppress(OSError):
            os.close(each)


def test_count_after_a_fault_shows_its_attempt_and_no_number(
    typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    floor = typed("4\n5\n")
    assert floor.clear("jam-on-exit", Attempt()) == 4
    assert floor.find_missing(Attempt(2, MISMATCH)) == 5
    said = capsys.readouterr().out
    assert "Attempt 1 of 3." in said
    assert "Count did not match. Attempt 2 of 3." in said
    assert "expects" not in said


def test_last_count_after_a_fault_shows_the_expected_number(
    typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("6\n").find_missing(Attempt(3, MISMATCH, expected=6)) == 6
    assert "Attempt 3 of 3. The machine expects 6 cards outside." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("52\nn\n", ""),
        ("52\ny\n", "foreign"),
        ("51\n52\nn\n", ""),
        ("51\n51\n51\n", "missing"),
        ("53\n53\n53\n", "extra"),
    ],
)
def test_inspection_compares_at_most_three_counts(typed: Typed, lines: str, found: str) -> None:
    assert typed(lines).inspect(52) == found


def test_inspection_shows_the_size_of_the_pack_only_before_the_last_count(
    typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    floor = typed("51\n51\n51\n")
    floor.inspect(52)
    first, last = capsys.readouterr().out.split("Attempt 3 of 3.")
    assert "52" not in first
    assert "There should be 52." in last
