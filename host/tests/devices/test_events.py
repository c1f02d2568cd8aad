"""Every event of the table has a type, and its bytes become that type's fields."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from cutcard.cards import Card
from cutcard.devices import events
from cutcard.devices.events import (
    Burned,
    CardDealt,
    CuttingCard,
    Event,
    FaultRaised,
    IdlePress,
    LastCard,
    Loaded,
    NewIdentity,
    PrizeDrawn,
    ReadingsDiffer,
    Recovered,
    Resumed,
    Returned,
    Started,
    UnknownEvent,
    Unloaded,
    decode,
)
from cutcard.devices.inbox import Inbox
from cutcard.prizes.draw import Draw
from cutcard_firmware.core.schema import messages as m

TEN_OF_HEARTS, ACE_OF_CLUBS = 35, 0


def payload(name: str, *values: Any) -> bytes:
    code = m.EVENT_CODE[name]
    fields: bytes = m.pack(m.EVENTS[code][1], values)
    return struct.pack("<IB", 7, code) + fields


@pytest.mark.parametrize(
    ("data", "event"),
    [
        (payload("started", 3, 1), Started(7, 3, "watchdog")),
        (payload("loaded", 312), Loaded(7, 312)),
        (
            payload("card", TEN_OF_HEARTS, m.FIRST_OF_ROUND),
            CardDealt(7, Card.parse("Th"), uncalled=False, first_of_round=True),
        ),
        (
            payload("card", ACE_OF_CLUBS, m.UNCALLED),
            CardDealt(7, Card.parse("Ac"), uncalled=True, first_of_round=False),
        ),
        (payload("returned", 5), Returned(7, 5)),
        (payload("unloaded", 312), Unloaded(7, 312)),
        (payload("recovered", 300, 12), Recovered(7, 300, 12)),
        (payload("cutting_card", 1, 260), CuttingCard(7, True, 260)),
        (payload("burned", 1), Burned(7, 1)),
        (payload("last_card"), LastCard(7)),
        (payload("idle_press", 2, 1000, 7), IdlePress(7, 2, 1000, 7)),
        (payload("resumed", 3), Resumed(7, 3)),
        (payload("identity", bytes(32)), NewIdentity(7, bytes(32))),
        (payload("readings", 1, 4, 50, m.BLANK, 77), ReadingsDiffer(7, 1, 4, 50, None, 77)),
        (
            payload(
                "prize",
                b"serial01",
                4,
                0,
                1,
                17,
                3,
                0,
                0,
                500,
                6,
                2,
                100,
                *([bytes(32)] * 2),
                bytes(64),
            ),
            PrizeDrawn(
                7,
                Draw(
                    b"serial01",
                    4,
                    "prize",
                    1,
                    17,
                    3,
                    0,
                    0,
                    500,
                    6,
                    2,
                    100,
                    bytes(32),
                    bytes(32),
                    bytes(64),
                ),
            ),
        ),
        (
            payload("fault", m.FAULT["door-open"], 0, b""),
            FaultRaised(7, "door-open", 0, (), order_known=True),
        ),
    ],
)
def test_bytes_are_decoded_to_an_event(data: bytes, event: Event) -> None:
    assert decode(data) == event


@pytest.mark.parametrize("known", [True, False])
def test_simultaneous_draw_reports_its_cards_and_whether_the_order_is_known(known: bool) -> None:
    detail = known << 8 | 2
    faces = bytes((TEN_OF_HEARTS, ACE_OF_CLUBS))
    event = decode(payload("fault", m.FAULT["simultaneous-draw"], detail, faces))
    assert isinstance(event, FaultRaised)
    assert event.cards == (Card.parse("Th"), Card.parse("Ac"))
    assert event.order_known is known


def test_every_event_of_the_table_can_be_decoded() -> None:
    assert set(events._DECODERS) == {name for _, (name, _) in m.EVENTS.items()}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        payload("loaded", 3) + b"\0",
        payload("loaded", 3)[:-1],
        payload("started", 1, 9),
        payload("prize", bytes(8), 1, 9, *([0] * 9), *([bytes(32)] * 2), bytes(64)),
    ],
)
def test_bytes_outside_the_schema_are_no_event(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode(data)


def test_decode_of_an_event_of_newer_firmware_keeps_number_code_and_fields() -> None:
    assert decode(struct.pack("<IB", 7, 99) + b"new") == UnknownEvent(7, 99, b"new")


def test_decode_of_a_fault_of_newer_firmware_names_its_number() -> None:
    event = decode(payload("fault", 27, 5, bytes((35,))))
    assert event == FaultRaised(7, "unknown-fault-27", 5, (Card.parse("Th"),), True)


def test_event_of_a_command_is_searched_after_the_earlier_events() -> None:
    inbox = Inbox(0, None)
    for number in range(1, 6):
        inbox.put(Returned(number, cards=number))
    looked_at: list[int] = []

    def wanted(event: Event) -> bool:
        looked_at.append(event.number)
        return isinstance(event, Returned) and event.cards != 4

    assert inbox.pop(wanted, after=3) == Returned(5, cards=5)
    assert looked_at == [4, 5]
    assert inbox.pop(wanted, after=4) is None
    assert [inbox.pop(lambda event: True) for _ in range(5)] == [
        *(Returned(number, cards=number) for number in range(1, 5)),
        None,
    ]
