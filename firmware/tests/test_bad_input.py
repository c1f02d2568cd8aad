"""Commands that cannot be executed: each has its own error, and no card moves."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from cutcard_firmware.core.schema import messages as m
from cutcard_firmware.core.storage import state as st
from firmware.tests.rig import Rig

SHUFFLER_COMMANDS = {
    "load": {"decks": 1, "pack": 52},
    "deal": {"cards": 1},
    "round": {"begins": 1, "head": b""},
    "unload": {},
    "recover": {"outside": 0},
    "disarm": {},
}
SHOE_COMMANDS = {
    "stack": {"decks": 1, "pack": 52},
    "cut": {"depth": 20, "low": 10, "high": 40},
    "place": {"depth": 20, "low": 10, "high": 40},
    "burn": {"cards": 1},
    **{name: given for name, given in SHUFFLER_COMMANDS.items() if name != "load"},
}


def loaded(root: Path, machine: str = "carousel-38", decks: int = 1) -> Rig:
    rig = Rig(root, machine)
    rig.put(decks)
    rig.run()
    word = "stack" if rig.plant.is_shoe else "load"
    assert rig.command(word, decks=decks, pack=52).error == "ok"
    rig.run()
    return rig


def refused(rig: Rig, name: str, **arguments: int) -> tuple[str, int, int]:
    """Return the refusal, after a check that cards, events and counts are unchanged."""
    before, status, events = rig.picture(), rig.status(), len(rig.events)
    reply = rig.command(name, **arguments)
    rig.run()
    assert reply.error != "ok"
    assert rig.picture() == before
    assert rig.status() == status
    assert len(rig.events) == events
    return reply.error, reply.a, reply.b


@pytest.mark.parametrize(
    ("decks", "pack", "answer"),
    [
        (0, 52, ("bad-decks", 0, 6)),
        (8, 52, ("bad-decks", 8, 6)),
        (255, 52, ("bad-decks", 255, 6)),
        (1, 54, ("bad-pack", 54, 0)),
        (1, 0, ("bad-pack", 0, 0)),
    ],
)
def test_too_many_decks_are_refused_with_the_largest_number(
    tmp_path: Path, decks: int, pack: int, answer: tuple[str, int, int]
) -> None:
    rig = Rig(tmp_path)
    rig.put(1)
    rig.run()
    assert refused(rig, "load", decks=decks, pack=pack) == answer


def test_a_drum_of_sixty_slots_takes_one_deck(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "drum-60")
    rig.put(2)
    rig.run()
    assert refused(rig, "load", decks=2, pack=52) == ("bad-decks", 2, 1)


def test_loading_from_an_empty_tray_is_refused(tmp_path: Path) -> None:
    assert refused(Rig(tmp_path), "load", decks=1, pack=52)[0] == "tray-empty"


def test_loading_twice_is_refused(tmp_path: Path) -> None:
    assert refused(loaded(tmp_path), "load", decks=1, pack=52) == ("wrong-mode", 2, 0)


@pytest.mark.parametrize("machine", ["carousel-38", "drum-60", "shelves-10", "shoe-8"])
def test_empty_machine_refuses_to_deal(tmp_path: Path, machine: str) -> None:
    assert refused(Rig(tmp_path, machine), "deal", cards=1) == ("wrong-mode", 0, 0)


def test_recovering_without_a_fault_is_refused(tmp_path: Path) -> None:
    assert refused(loaded(tmp_path), "recover", outside=0) == ("wrong-mode", 2, 0)


@pytest.mark.parametrize("cards", [0, 251, 255])
def test_a_call_takes_1_to_250_cards(tmp_path: Path, cards: int) -> None:
    assert refused(loaded(tmp_path), "deal", cards=cards) == ("too-many", cards, 250)


def test_more_cards_than_are_inside_are_refused(tmp_path: Path) -> None:
    assert refused(loaded(tmp_path), "deal", cards=53) == ("not-enough-cards", 53, 52)


def test_a_second_call_waits_for_the_first(tmp_path: Path) -> None:
    rig = loaded(tmp_path)
    rig.plant.mouth.hand = False
    rig.command("deal", cards=2)
    rig.run()
    assert refused(rig, "deal", cards=1) == ("still-armed", 2, 0)
    assert refused(rig, "unload") == ("still-armed", 2, 0)


@pytest.mark.parametrize("machine", ["carousel-38", "drum-60", "shelves-10"])
def test_no_shuffler_takes_a_cutting_card(tmp_path: Path, machine: str) -> None:
    rig = loaded(tmp_path, machine)
    assert refused(rig, "place", depth=20, low=1, high=40)[0] == "no-cutting-card"


@pytest.mark.parametrize(
    ("depth", "low", "high", "bounds"),
    [
        (9, 10, 40, (10, 40)),
        (41, 10, 40, (10, 40)),
        (52, 10, 60, (10, 51)),
        (0, 0, 40, (1, 40)),
        (20, 30, 25, (30, 25)),
        (65535, 0, 65535, (1, 51)),
    ],
)
@pytest.mark.parametrize("name", ["cut", "place"])
def test_value_outside_the_bounds_is_refused_with_the_bounds(
    tmp_path: Path, name: str, depth: int, low: int, high: int, bounds: tuple[int, int]
) -> None:
    rig = loaded(tmp_path, "shoe-8")
    assert refused(rig, name, depth=depth, low=low, high=high) == ("out-of-bounds", *bounds)


def test_third_cutting_card_is_refused(tmp_path: Path) -> None:
    rig = loaded(tmp_path, "shoe-8")
    for depth in (20, 30):
        assert rig.command("place", depth=depth, low=1, high=51).error == "ok"
    assert refused(rig, "place", depth=25, low=1, high=51) == ("no-cutting-card", 2, 2)


def test_a_stack_is_cut_before_its_first_card_is_dealt(tmp_path: Path) -> None:
    rig = loaded(tmp_path, "shoe-8")
    rig.command("deal", cards=1)
    rig.run()
    assert refused(rig, "cut", depth=20, low=10, high=40)[0] == "wrong-mode"


@pytest.mark.parametrize("machine", ["carousel-38", "shoe-8"])
def test_device_in_a_fault_only_accepts_questions_and_recovery(
    tmp_path: Path, machine: str
) -> None:
    rig = loaded(tmp_path, machine)
    rig.plant.set_door(True)
    rig.run()
    door = m.FAULT["door-open"]
    commands = SHOE_COMMANDS if rig.plant.is_shoe else SHUFFLER_COMMANDS
    for name, arguments in commands.items():
        answer = refused(rig, name, **arguments)
        if name in ("recover", "unload"):
            assert answer == ("not-clear", 8, 0)  # the door is still open
        else:
            assert answer == ("in-fault", door, 0)
    assert rig.command("counters").error == "ok"


@pytest.mark.parametrize(
    ("machine", "name", "arguments"),
    [("carousel-38", "stack", (1, 52)), ("carousel-38", "burn", (1,)), ("shoe-8", "load", (1, 52))],
)
def test_a_command_of_another_device_is_refused(
    tmp_path: Path, machine: str, name: str, arguments: tuple[int, ...]
) -> None:
    rig = Rig(tmp_path, machine)
    payload = struct.pack("<IBI", 1, m.OP[name], 0) + bytes(arguments)
    assert rig.obey(payload).error == "other-device"


def test_an_unknown_command_is_refused(tmp_path: Path) -> None:
    reply = Rig(tmp_path).device.obey(struct.pack("<IBI", 1, 255, 0))
    assert reply == struct.pack("<IBII", 1, m.ERROR["unknown-command"], 255, 0)


@pytest.mark.parametrize("tail", [b"", b"\1", b"\1\x34\0"])
def test_a_command_of_the_wrong_length_is_refused(tmp_path: Path, tail: bytes) -> None:
    reply = Rig(tmp_path).device.obey(struct.pack("<IBI", 1, m.OP["load"], 0) + tail)
    assert reply == struct.pack("<IBII", 1, m.ERROR["malformed"], m.OP["load"], 0)


def test_a_command_shorter_than_its_head_is_refused(tmp_path: Path) -> None:
    reply = Rig(tmp_path).device.obey(b"\1\2")
    assert reply == struct.pack("<IBII", 0, m.ERROR["malformed"], 0, 0)


@pytest.mark.parametrize(
    ("machine", "name"),
    [("carousel-38", name) for name in ("deal", "round", "unload", "disarm")]
    + [("shoe-8", name) for name in ("cut", "place", "burn")],
)
def test_command_is_refused_without_movement_if_the_file_system_is_full(
    tmp_path: Path, machine: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = loaded(tmp_path, machine)
    commands = SHOE_COMMANDS if rig.plant.is_shoe else SHUFFLER_COMMANDS

    def no_room(*_: object) -> None:
        raise OSError(28)

    rig.device.state._record.close()
    monkeypatch.setattr(
        "cutcard_firmware.core.storage.erasable_record.open", no_room, raising=False
    )
    assert refused(rig, name, **commands[name]) == ("storage-full", 0, 0)
    monkeypatch.undo()
    assert rig.command(name, **commands[name]).error == "ok"
    rig.run()
    rig.check_cards()
    rig.check_counts()


@pytest.mark.parametrize("machine", ["carousel-38", "shoe-8"])
def test_noise_fault_remains_after_a_command_fails_on_a_full_file_system(
    tmp_path: Path, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = loaded(tmp_path, machine)
    events: list[tuple[int, bytes]] = []
    monkeypatch.setattr(rig.device.link, "push_event", lambda *event: events.append(event))
    commit, writes = rig.device.state.commit, []

    def no_room_for_the_second() -> None:
        if rig.device.state.dirty:
            writes.append(1)
            if len(writes) == 2:
                raise st.StorageFull
        commit()

    monkeypatch.setattr(rig.device.state, "commit", no_room_for_the_second)
    rig.board.stuck_noise = True
    for _ in range(rig.device.spec.RCT // 64):  # one more block fails the repetition test
        rig.device.source.cycle()
    assert rig.command("round", begins=1, head=bytes(32)).error == "in-fault"
    assert rig.command("deal", cards=1).error == "in-fault"
    rig.run()
    assert (rig.mode, rig.fault) == ("fault", "random-source")
    assert [number for number, _ in events] == sorted({number for number, _ in events})


@pytest.mark.parametrize("begins", [2, 255])
def test_round_command_only_accepts_begin_and_end(tmp_path: Path, begins: int) -> None:
    rig = loaded(tmp_path, "carousel-38")
    for head in (b"", bytes(32)):
        assert rig.command("round", begins=begins, head=head).error == "malformed"
    assert rig.command("witness").result == {"count": 0, "value": bytes(32)}


@pytest.mark.parametrize("cards", [2, 255])
def test_staged_machine_flag_only_accepts_zero_and_one(tmp_path: Path, cards: int) -> None:
    rig = loaded(tmp_path)
    reply = rig.command("stage", cards=cards, signature=bytes(64))
    assert reply.error == "malformed"
