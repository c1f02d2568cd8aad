"""Every refusal and every fault of a device has an advice for the person at the table."""

from __future__ import annotations

import inspect

import pytest

from cutcard.devices import errors
from cutcard.devices.errors import CommandRefusedError, DeviceError, InFaultError
from cutcard.devices.hints import FAULTS, REFUSALS, refusal_text
from cutcard_firmware.core.schema import messages as m

FAMILY = [
    found
    for _, found in inspect.getmembers(errors, inspect.isclass)
    if issubclass(found, DeviceError)
]


def test_refusals_and_their_hints_match() -> None:
    assert set(REFUSALS) == set(m.ERROR)


def test_faults_and_their_hints_match() -> None:
    assert set(FAULTS) == set(m.FAULTS)


@pytest.mark.parametrize("error", list(m.ERROR))
def test_refusal_uses_only_its_own_numbers(error: str) -> None:
    problem, hint = refusal_text(error, 1, 2)
    assert problem.endswith(".")
    assert hint
    assert "{" not in problem + hint


def test_refusal_text_names_its_numbers() -> None:
    assert "while the device is loading" in refusal_text("wrong-mode", 1, 0)[0]
    assert "the sensor mouth" in refusal_text("not-clear", 5, 0)[0]
    assert "7 to 30" in refusal_text("out-of-bounds", 7, 30)[0]


def test_refusal_names_place_problem_and_next_step() -> None:
    text = str(CommandRefusedError("/dev/ttyACM0: load", "bad-decks", 9, 7))
    assert text == (
        "/dev/ttyACM0: load: 9 decks were asked for and the machine takes 1 to 7. "
        "Give a number of decks in that range."
    )


def test_bad_decks_within_the_range_names_the_missing_weights() -> None:
    text = str(CommandRefusedError("bench:carousel-60: load", "bad-decks", 1, 8))
    assert "no pack of 1 decks" in text
    assert "`cutcard machine show MACHINE`" in text


def test_fault_names_the_next_step() -> None:
    error = InFaultError("bench: deal", "door-open", 0)
    assert "Close the door" in error.hint
    assert (error.fault, error.event) == ("door-open", None)


@pytest.mark.parametrize("error", FAMILY)
def test_every_error_class_documents_its_cause(error: type[DeviceError]) -> None:
    assert error.__doc__
    assert error.__doc__.startswith(("Raised when", "Never raised"))
