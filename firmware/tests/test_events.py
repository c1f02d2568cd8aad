"""Command and event numbers: no command is executed twice, and no event is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard_firmware.core.devices.device import LABORATORY
from cutcard_firmware.core.schema import messages as m
from firmware.tests.rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path)
    rig.put(1)
    rig.run()
    rig.command("load", decks=1, pack=52)
    rig.run()
    return rig


def test_a_command_repeated_by_its_number_is_not_carried_out_twice(rig: Rig) -> None:
    rig.command("deal", cards=3)
    rig.run()
    for _ in range(2):
        assert rig.obey(rig.last_payload).error == "ok"
        rig.run()
    assert len(rig.plant.mouth.outside) == 3


def test_a_command_repeated_after_a_restart_is_not_carried_out_twice(rig: Rig) -> None:
    rig.command("deal", cards=3)
    rig.run()
    rig.power_cycle()
    assert rig.obey(rig.last_payload).error == "ok"
    rig.run()
    assert len(rig.plant.mouth.outside) == 3


@pytest.mark.parametrize("distance", [-1, 2, 100])
def test_a_number_out_of_sequence_is_refused_with_the_last_number(rig: Rig, distance: int) -> None:
    last = rig.status()["last_command"]
    rig.command("round", begins=1, head=b"")
    reply = rig.obey(rig.payload("deal", identity=last + 1 + distance, cards=1))
    assert (reply.error, reply.a) == ("stale-command", last + 1)


def test_a_refused_command_keeps_its_number_for_the_next(rig: Rig) -> None:
    last = rig.status()["last_command"]
    assert rig.obey(rig.payload("deal", identity=last + 1, cards=0)).error == "too-many"
    assert rig.obey(rig.payload("deal", identity=last + 1, cards=1)).error == "ok"


def test_unacknowledged_events_survive_a_restart(rig: Rig) -> None:
    rig.seen = 0  # this host has not acknowledged any event
    rig.command("deal", cards=5)
    rig.run()
    before = list(rig.device.state.events)
    rig.power_cycle()
    assert rig.device.state.events[: len(before)] == before
    assert [payload[0] for payload in rig.device.state.events[len(before) :]] == [
        m.EVENT_CODE["started"]
    ]


def test_acknowledged_events_are_forgotten(rig: Rig) -> None:
    rig.command("deal", cards=5)
    rig.run()
    rig.command("acknowledge")
    assert rig.device.state.events == []


def test_acknowledging_a_future_event_deletes_no_event(rig: Rig) -> None:
    rig.command("deal", cards=5)
    rig.run()
    kept = len(rig.device.state.events)
    rig.device.state.acknowledge(1_000_000)
    assert len(rig.device.state.events) == kept


def fill_the_store(rig: Rig) -> None:
    """Deal without acknowledging any event, until the gate stays shut."""
    rig.command("acknowledge")
    taken = rig.seen
    rig.seen = taken
    rig.device.obey(rig.payload("deal", cards=m.EVENT_STORE + 3))
    rig._collect = lambda: None  # type: ignore[method-assign]
    rig.run()


def test_a_full_event_store_shuts_the_gate_in_the_middle_of_a_deal(rig: Rig) -> None:
    fill_the_store(rig)
    assert len(rig.device.state.events) == m.EVENT_STORE
    assert len(rig.plant.mouth.outside) == m.EVENT_STORE
    assert rig.status()["armed"] == 3


def test_the_deal_continues_after_the_host_has_acknowledged_its_events(rig: Rig) -> None:
    fill_the_store(rig)
    del rig._collect
    rig._collect()
    rig.command("acknowledge")
    rig.run()
    assert len(rig.plant.mouth.outside) == m.EVENT_STORE + 3
    assert rig.status()["armed"] == 0


def test_a_full_event_store_refuses_to_deal(rig: Rig) -> None:
    fill_the_store(rig)
    rig.command("disarm")
    before = rig.picture()
    reply = rig.command("deal", cards=1)
    rig.run()
    assert (reply.error, reply.a) == ("event-store-full", m.EVENT_STORE)
    assert rig.picture() == before


def test_the_number_of_an_event_is_never_given_twice(rig: Rig) -> None:
    for _ in range(3):
        rig.command("deal", cards=2)
        rig.run()
        rig.power_cycle()
    assert [number for number, _, _ in rig.events] == list(range(1, len(rig.events) + 1))


def test_first_card_of_a_round_is_marked(rig: Rig) -> None:
    rig.command("round", begins=1, head=b"")
    rig.command("deal", cards=2)
    rig.run()
    assert [card["flags"] for card in rig.events_of("card")] == [m.FIRST_OF_ROUND, 0]


def test_a_card_without_a_call_is_marked(rig: Rig) -> None:
    rig.plant.mouth.draw(1)
    rig.run()
    assert [card["flags"] for card in rig.events_of("card")] == [m.UNCALLED]
    rig.check_counts()


def test_returned_cards_are_reported_when_the_tray_is_empty(rig: Rig) -> None:
    rig.command("deal", cards=9)
    rig.run()
    rig.return_cards()
    rig.run()
    assert rig.events_of("returned") == [{"cards": 9}]
    rig.check_counts()


@pytest.mark.parametrize("moment", range(0, 1500, 50))
def test_unload_waits_for_a_moving_card_at_any_moment(rig: Rig, moment: int) -> None:
    rig.command("deal", cards=9)
    rig.run()
    rig.return_cards()
    rig.run_for(moment)
    assert rig.command("unload").error == "ok"
    rig.run()
    in_the_tray = 9 - rig.device.cards_in + 52
    assert rig.events_of("unloaded") == [{"cards": 52 - in_the_tray}]


def test_the_modes_of_a_device_are_those_of_the_table() -> None:
    assert m.MODES.index("laboratory") == LABORATORY == len(m.MODES) - 1
