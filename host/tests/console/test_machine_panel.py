"""The data of a running machine for the page."""

from __future__ import annotations

from typing import Any

import pytest

from cutcard.console.machine import MachineView
from cutcard.devices.device import Counters, Status
from cutcard.journal import Record
from cutcard.table.running import console_status

COUNTERS = Counters(1, 2, 3, 4, 9000, 4096, 0, 0)


@pytest.mark.parametrize(
    ("fault", "noise"),
    [(None, "good"), ("random-source", "failed its test"), ("door-open", "")],
)
def test_noise_health_is_reported_only_if_known(fault: str | None, noise: str) -> None:
    mode = "ready" if fault is None else "fault"
    status = Status(mode, fault, 0, 312, 306, 6, 5, 1, 40, 30, 2)
    counts = {} if fault else {"ready": 5, "behind": 301}
    assert console_status(status, COUNTERS) == {
        "mode": mode,
        **counts,
        "armed": 1,
        "noise": noise,
        "free_heap": 9000,
        "refused": 10,
    }


def event_record(event: str, **fields: Any) -> Record:
    return Record(1, "told", {"event": event, **fields}, "")


def record(kind: str, **fields: Any) -> Record:
    return Record(1, kind, fields, "")


@pytest.mark.parametrize(
    ("fault", "cards", "outside"),
    [
        ("simultaneous-draw", ["As", None], 3),
        ("unreadable-card", [], 2),
        ("door-open", [], 1),
    ],
)
def test_cards_of_a_fault_count_as_outside(
    fault: str, cards: list[str | None], outside: int
) -> None:
    view = MachineView()
    for each in (
        event_record("Loaded", cards=52),
        event_record("CardDealt", card="Kd"),
        event_record("FaultRaised", fault=fault, cards=cards),
    ):
        view.take(each)
    assert (view.inside, view.outside, view.pack) == (52 - outside, outside, 52)


def test_counts_are_hidden_from_a_fault_to_a_verified_count() -> None:
    view = MachineView()
    for each in (event_record("Loaded", cards=52), record("device", fault="door-open")):
        view.take(each)
    assert (view.picture()["inside"], view.picture()["outside"]) == (None, None)
    view.take(record("unverified", fault="count-mismatch", said=7))
    assert (view.picture()["inside"], view.picture()["outside"]) == (None, None)
    view.take(record("recovered", inside=44, outside=8))
    assert (view.picture()["inside"], view.picture()["outside"]) == (44, 8)


def test_hint_for_a_fault_of_newer_firmware_asks_for_an_update() -> None:
    view = MachineView()
    view.take(record("device", fault="unknown-fault-27"))
    assert view.picture()["fault"] == "unknown fault 27"
    assert view.picture()["hint"].startswith("Unknown fault 27: update cutcard.")
