"""The fault table defines the treatment of a device after a fault: machine and hints follow it."""

from __future__ import annotations

from typing import Any, cast

import pytest

from cutcard.devices.errors import InFaultError
from cutcard.devices.events import Recovered, Unloaded
from cutcard.devices.hints import FAULTS as HINTS
from cutcard.devices.hints import advice
from cutcard.engine.device_faults import (
    ATTEMPTS,
    DEVICE_FAULTS,
    LOCK,
    RECOVER,
    RESUME,
    UNLOAD,
    Stage,
    known_as,
    mapping_of,
)
from cutcard.faults import fault_name
from cutcard.table.machine.clearing import TableMachine
from cutcard.table.machine.dealing_device import Counts
from cutcard.table.machine.floor import Attempt

OF_CARD_DEVICES = [fault for fault, known in DEVICE_FAULTS.items() if known.then != RESUME]


class FaultyDevice:
    """Records its commands, and returns the prepared answers to `recover` in order."""

    def __init__(self, *answers: Recovered | InFaultError) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def counts(self) -> Counts:
        return Counts(pack=52, outside=2, boots=1)

    def recover(self, outside: int, pack: int) -> Recovered:
        self.asked.append("recover")
        answer = self.answers.pop(0)
        if isinstance(answer, InFaultError):
            raise answer
        return answer

    def expected_outside(self) -> int:
        return 7

    def unload(self) -> Unloaded:
        self.asked.append("unload")
        return Unloaded(9, 52)


class Floor:
    """Clears every fault; records each question, and the cards laid aside."""

    def __init__(self) -> None:
        self.aside = 0
        self.asked: list[tuple[str, str]] = []

    def clear(self, fault: str, attempt: Attempt) -> int:
        self.asked.append((f"clear {fault}", str(attempt)))
        return 2

    def find_missing(self, attempt: Attempt) -> int:
        self.asked.append(("find missing", str(attempt)))
        return 2

    def inspect(self, pack: int) -> str:
        return ""

    def lay_aside(self, cards: int) -> None:
        self.aside = cards


class Memory:
    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def write(self, kind: str, data: dict[str, Any]) -> None:
        pass


def machine(
    device: FaultyDevice, floor: Floor | None = None, said: list[str] | None = None
) -> TableMachine:
    lines = said if said is not None else []
    people = cast(Any, floor or Floor())
    return TableMachine(cast(Any, device), cast(Any, Memory()), people, lines.append)


def stopped(fault: str) -> InFaultError:
    return InFaultError("bench: recover", fault, 0)


@pytest.mark.parametrize("fault", OF_CARD_DEVICES)
def test_machine_follows_the_fault_table_exactly(fault: str) -> None:
    device = FaultyDevice(Recovered(9, 50, 2))
    at = machine(device)
    if not at.recover(fault, 2):
        at.empty(fault)
    assert (
        device.asked
        == {RECOVER: ["recover"], UNLOAD: ["unload"], LOCK: []}[DEVICE_FAULTS[fault].then]
    )


def test_count_that_never_matches_ends_in_an_unloading() -> None:
    device = FaultyDevice(*[stopped("count-mismatch")] * ATTEMPTS)
    at = machine(device)
    assert not at.recover("count-mismatch", 2)
    at.empty("count-mismatch")
    assert device.asked == ["recover"] * ATTEMPTS + ["unload"]
    assert at.locked


def test_wrong_counts_are_numbered_and_only_the_last_shows_the_expected_number() -> None:
    floor = Floor()
    device = FaultyDevice(*[stopped("count-mismatch")] * ATTEMPTS)
    assert not machine(device, floor).recover("jam-on-exit", 2)
    assert floor.asked == [
        ("find missing", "Count did not match. Attempt 2 of 3."),
        (
            "find missing",
            "Count did not match. Attempt 3 of 3. The machine expects 7 cards outside.",
        ),
    ]


def test_fault_during_a_count_is_cleared_and_counted_in_one_question() -> None:
    floor = Floor()
    device = FaultyDevice(stopped("missing-card"), Recovered(9, 50, 2))
    assert machine(device, floor).recover("jam-on-exit", 2)
    assert floor.asked == [("clear missing-card", "Missing card. Attempt 2 of 3.")]


def test_machine_emptied_by_a_recovery_is_inspected_and_refilled() -> None:
    device = FaultyDevice(Recovered(9, 0, 0, came_out=50))
    at = machine(device)
    assert not at.recover("jam-on-entry", 2)
    at.empty("jam-on-entry")
    assert at.locked
    assert device.asked == ["recover", "unload"]


@pytest.mark.parametrize("fault", ["state-lost", "image-changed"])
def test_new_fault_during_a_count_is_looked_up_in_the_table(fault: str) -> None:
    device = FaultyDevice(stopped(fault))
    assert not machine(device).recover("jam-on-exit", 2)
    assert device.asked == ["recover"]


def test_cards_ejected_during_a_count_are_reported_and_set_aside() -> None:
    said: list[str] = []
    floor = Floor()
    assert machine(FaultyDevice(Recovered(9, 32, 20, came_out=18)), floor, said).recover(
        "jam-on-exit", 2
    )
    assert floor.aside == 18
    assert any("18 cards came out" in line and "into the tray" in line for line in said)


def test_recovery_reports_the_next_step_for_the_person() -> None:
    assert Recovered(9, 50, 2, came_out=0).next_step == "No cards need to be put back: continue."
    assert Recovered(9, 50, 2).next_step.startswith("Cards may have come out")
    assert Recovered(9, 32, 20, came_out=18).next_step.startswith("18 cards came out")
    assert "`load`" in Recovered(9, 0, 52, came_out=50).next_step


@pytest.mark.parametrize("fault", list(DEVICE_FAULTS))
def test_drivers_hint_names_the_way_out_of_the_table(fault: str) -> None:
    words = {
        RECOVER: "`recover(outside=...)`",
        UNLOAD: "`unload()`",
        LOCK: "`cutcard flash`",
        RESUME: "`resume`",
    }
    way_out = DEVICE_FAULTS[fault].then
    assert words[way_out] in HINTS[fault]
    if way_out != RECOVER:
        assert words[RECOVER] not in HINTS[fault]


def test_fault_of_newer_firmware_is_a_malfunction_with_a_recovery() -> None:
    unknown = fault_name(27)
    assert known_as(unknown, Stage.PLAYERS_TURN) == "malfunction"
    assert mapping_of(unknown).unreported
    device = FaultyDevice(Recovered(9, 50, 2))
    assert machine(device).recover(unknown, 2)
    assert device.asked == ["recover"]
    assert advice(unknown).startswith("Unknown fault 27: update cutcard.")


def test_misspelt_fault_does_not_count_as_newer_firmware() -> None:
    with pytest.raises(KeyError, match="door-opne"):
        mapping_of("door-opne")
