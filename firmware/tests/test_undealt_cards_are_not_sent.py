"""Every command in every mode: the frames on the wire do not depend on secrets.

Secrets are the faces and order of undealt cards, the bins and the generator. Replies, their
lengths, the numbers of refusals and events are compared. The test uses the message schema, so it
includes every new command, mode and fault. It does not compare times: the duration of the wheel's
turns is audible at the machine.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cutcard.machines import Machine
from cutcard_firmware.core.cards.card_device import CardDevice
from cutcard_firmware.core.devices.commands import HostedDevice, Refusal
from cutcard_firmware.core.devices.device import Device
from cutcard_firmware.core.schema import messages as m
from cutcard_firmware.core.storage import state as st
from firmware.tests.rig import SMALL_CAROUSEL
from firmware.tests.twins import Frame, Host, Tape, Twin, arguments

MACHINES: dict[str, Machine | str] = {
    "carousel": SMALL_CAROUSEL,
    "slots": "drum-60",
    "shelves": "shelves-10",
    "shoe": "shoe-8",
}
UNKNOWN_OP = 255
# A laboratory receives output of the generator by design: it does not decide any card, and the
# source starts afresh afterwards. All other frames of that mode are compared.
EXPORTS = ("raw_noise", "raw_output", "scaled_draws")

Reach = Callable[[Twin], None]


@pytest.fixture(autouse=True)
def _no_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the garbage collection of `counters`, which is fast on a board and slow here."""
    monkeypatch.setattr(gc, "collect", lambda: 0)


# Ways into each mode


def load(twin: Twin) -> None:
    twin.put(1)
    twin.run()
    word = "stack" if twin.plant.is_shoe else "load"
    assert twin.command(word, decks=1, pack=52).error == "ok"


def empty(twin: Twin) -> None:
    twin.put(1)
    twin.run()


def loading(twin: Twin) -> None:
    load(twin)
    run_until(twin, "enter", 20)


def ready(twin: Twin) -> None:
    load(twin)
    twin.run()


def dealing(twin: Twin) -> None:
    """Call three cards and draw one of them."""
    ready(twin)
    twin.command("deal", cards=3)
    run_until(twin, "draw", 1)
    twin.plant.mouth.hand = False


def unloading(twin: Twin) -> None:
    ready(twin)
    twin.command("unload")
    run_until(twin, "draw", 3)


def recovering(twin: Twin) -> None:
    """Recover from a fault that loses the counts, so that the recovery takes some time."""
    ready(twin)
    twin.device.state.set(st.UNKNOWN, 1)
    twin.device.fault("extra-card")
    twin.run()
    assert twin.command("recover", outside=0).error == "ok"
    run_until(twin, "draw", 2)


def laboratory(twin: Twin) -> None:
    twin.run()
    assert twin.command("laboratory", enters=1).error == "ok"


def in_fault(name: str) -> Reach:
    def reach(twin: Twin) -> None:
        ready(twin)
        twin.command("deal", cards=1)
        twin.run()
        twin.device.fault(name)
        twin.run()

    return reach


def power_lost_while_filling(twin: Twin) -> None:
    load(twin)
    run_until(twin, "feed", 12)
    twin.power_cycle()
    twin.run()


def power_lost_while_pushing(twin: Twin) -> None:
    load(twin)
    run_until(twin, "exit", 2)
    twin.power_cycle()
    twin.run()


def jammed(twin: Twin) -> None:
    load(twin)
    run_until(twin, "enter", 8)
    twin.plant.arm("feed", 1, twin.plant.entry.jam)
    twin.run()


def run_until(twin: Twin, step: str, times: int) -> None:
    """Run until `times` cards passed `step`: the same moment in both twins, at any time."""
    reached: list[bool] = []
    twin.plant.arm(step, times, lambda: reached.append(True))
    for _ in range(100_000):
        if reached:
            return
        if twin._once():
            break
    raise AssertionError(f"{step} never came")


MODES: dict[str, Reach] = {
    "empty": empty,
    "loading": loading,
    "ready": ready,
    "dealing": dealing,
    "unloading": unloading,
    "recovering": recovering,
    "laboratory": laboratory,
    "power lost while filling": power_lost_while_filling,
    "power lost while pushing": power_lost_while_pushing,
    "jammed": jammed,
}
FAULTS = {f"fault: {name}": in_fault(name) for name in m.FAULTS[1:]}
REACHED = {**MODES, **FAULTS}
# A stack is complete immediately: it has no filling or pushing.
NOT_OF_A_SHOE = ("loading", "power lost while filling", "power lost while pushing", "jammed")
# While the machine is emptied, a count reveals how many cards left each bin, and these cards are
# out: there the twins differ in faces, order and generator, not in the bins.
SAME_BINS = ("unloading", "recovering")
# Commands that end a mode, sent last, each in its own history. (In a fault the door is open until
# then, so that both recovery commands are refused before one is accepted.)
ENDS = {
    "empty": ("load", "stack", "unload", "laboratory"),
    "loading": ("unload",),
    "ready": ("unload", "laboratory"),
    "fault": ("recover", "unload"),
    "laboratory": ("laboratory",),
}
FAULTS_LEFT_BOTH_WAYS = ("fault: door-open", "fault: random-source", "jammed")


def situations() -> Iterator[tuple[str, str, str]]:
    """Yield every mode of every machine, and every fault of a carousel and of a shoe."""
    for machine in MACHINES:
        for reach in REACHED:
            if machine == "shoe" and reach in NOT_OF_A_SHOE:
                continue
            if machine in ("carousel", "shoe") or reach in MODES:
                for last in lasts(machine, reach):
                    yield machine, reach, last


def lasts(machine: str, reach: str) -> tuple[str, ...]:
    if reach in FAULTS and reach not in FAULTS_LEFT_BOTH_WAYS:
        return ("recover",)
    foreign = "load" if machine == "shoe" else "stack"
    mode = reach if reach in m.MODES else "fault" if reach not in ("dealing",) else ""
    return tuple(name for name in ENDS.get(mode, ("",)) if name != foreign)


# A host that sends every command


def frames_of(
    root: Path, machine: str, reach: str, last: str, follows: Tape | None
) -> tuple[Twin, list[Frame]]:
    """Return the frames for a host that sends every command in that mode, `last` at the end."""
    twin = Twin(root, MACHINES[machine], follows, reach not in SAME_BINS)
    host = Host(twin)
    host.begin()
    REACHED[reach](twin)
    mode = twin.mode
    if mode == "fault":
        twin.plant.set_door(True)
        twin.run()
    host.begin()
    for op in (*sorted(m.COMMANDS), UNKNOWN_OP):
        name = "" if op == UNKNOWN_OP else m.COMMANDS[op][0]
        if mode == "fault" or name not in ENDS.get(mode, ()):
            assert twin.mode == mode, "the mode ended before every command was said in it"
            say(host, op)
    if mode == "fault":
        twin.set_right()
    if last:
        say(host, m.OP[last])
    twin.run()
    host.begin()
    for op in filter(m.is_question, m.COMMANDS):
        host.command(op, arguments(op)[0])
    return twin, [frame for frame in host.heard if frame.op not in _exports()]


def _exports() -> list[int]:
    return [op for op, row in m.COMMANDS.items() if row[0] in EXPORTS]


def say(host: Host, op: int) -> None:
    for given in reversed(arguments(op)):
        host.command(op, given)
        host.twin.step()
        host.listen()


def compare(tmp_path: Path, machine: str, reach: str, last: str) -> None:
    first, by_first = frames_of(tmp_path / "1", machine, reach, last, None)
    second, by_second = frames_of(tmp_path / "2", machine, reach, last, first.tape)
    assert all(one != two for one, two in zip(first.hidden, second.hidden, strict=True))
    for kind in m.FRAMES:  # the order of events and replies depends on time
        one = [frame for frame in by_first if frame.kind == kind]
        two = [frame for frame in by_second if frame.kind == kind]
        for number, (said, twin_said) in enumerate(zip(one, two, strict=False)):
            assert said == twin_said, f"{m.FRAMES[kind][0]} {number} tells the twins apart"
        assert len(one) == len(two)


@pytest.mark.parametrize(("machine", "reach", "last"), list(situations()))
def test_no_frame_depends_on_secrets(tmp_path: Path, machine: str, reach: str, last: str) -> None:
    compare(tmp_path, machine, reach, last)


def test_every_mode_and_every_fault_is_tested(tmp_path: Path) -> None:
    found = set()
    for number, (machine, reach, _) in enumerate(situations()):
        if machine == "carousel" and reach in MODES:
            twin = Twin(tmp_path / str(number), MACHINES[machine])
            REACHED[reach](twin)
            found.add(twin.mode)
    assert found == set(m.MODES)
    assert set(FAULTS) == {f"fault: {name}" for name in m.FAULTS[1:]}


def test_exports_are_refused_outside_laboratory_mode(tmp_path: Path) -> None:
    twin = Twin(tmp_path, SMALL_CAROUSEL)
    host = Host(twin)
    host.begin()
    for op in _exports():
        host.command(op, arguments(op)[0])
        assert host.heard[-1].payload[4] == m.ERROR["laboratory-only"]
    assert len(_exports()) == len(EXPORTS)


# Two faults name a bin, so that a technician can find the cards


@pytest.mark.parametrize("fault", ["bin-stuck", "empty-bin"])
def test_bin_named_by_a_fault_is_empty_before_the_next_card(tmp_path: Path, fault: str) -> None:
    twin = Twin(tmp_path, SMALL_CAROUSEL)
    ready(twin)
    if fault == "bin-stuck":
        twin.plant.bins.sticking = "short"
    else:
        twin.plant.arm("turn", 1, lambda: _hold_back(twin))
    twin.command("deal", cards=20)
    twin.run()
    assert twin.fault == fault
    named = twin.status()["detail"]
    twin.set_right()
    before = len(twin.events_of("card"))
    assert twin.command("recover", outside=twin.outside()).error == "ok"
    twin.run()
    assert twin.names()[-1] == "recovered"
    assert twin.device.state.get(st.BIN + named) == 0
    assert len(twin.events_of("card")) == before


def _hold_back(twin: Twin) -> None:
    for position in range(len(twin.plant.bins.cells)):
        twin.plant.bins.held.add(position)


# The comparison can fail


def leak_a_bin(device: Any) -> int:
    numbers = device.state.numbers
    return int(numbers[st.BIN] if len(numbers) > st.BIN else 0)


def leak_the_generator(device: Any) -> int:
    return int(device.source._drbg._v[0])


@pytest.mark.parametrize("leak", [leak_a_bin, leak_the_generator])
@pytest.mark.parametrize("where", ["status", "refusal", "length", "event"])
def test_a_planted_leak_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, leak: Callable[[Any], int]
) -> None:
    plant_leak(monkeypatch, where, leak)
    with pytest.raises(AssertionError, match="tells the twins apart"):
        compare(tmp_path, "carousel", "ready", "unload")


def plant_leak(monkeypatch: pytest.MonkeyPatch, where: str, leak: Callable[[Any], int]) -> None:
    status, emit = CardDevice.cmd_status, Device.emit

    def leaking_status(device: Any) -> tuple[int, ...]:
        said = list(status(device))
        said[2] = leak(device)
        return tuple(said)

    def leaking_refusal(device: Any, depth: int, low: int, high: int) -> None:
        raise Refusal("no-cutting-card", leak(device))

    def leaking_length(device: Any, page: int) -> tuple[bytes]:
        return (bytes(leak(device) % 100),)

    def leaking_event(device: Any, name: str, *values: Any) -> None:
        emit(device, name, *values)
        if name == "loaded":
            emit(device, "burned", leak(device) % 200)

    monkeypatch.setattr(CardDevice, "cmd_status", leaking_status if where == "status" else status)
    if where == "refusal":
        place = "cutcard_firmware.core.cards.shuffler.Shuffler.cmd_place"
        monkeypatch.setattr(place, leaking_refusal)
    if where == "length":
        monkeypatch.setattr(HostedDevice, "cmd_spared", leaking_length)
    if where == "event":
        monkeypatch.setattr(Device, "emit", leaking_event)


# Without a key, and without a session


@pytest.mark.parametrize("machine", ["carousel", "shoe"])
@pytest.mark.parametrize("key", [None, bytes(32)])
def test_host_without_a_session_only_receives_the_devices_identity(
    tmp_path: Path, machine: str, key: bytes | None
) -> None:
    """The device has no key, or a key but no session."""
    heard = []
    for follows in (None, Tape()):
        twin = Twin(tmp_path / str(follows is None), MACHINES[machine], follows)
        twin.device.link.key = key
        host = Host(twin)
        for kind in (m.AUTH, m.COMMAND, m.REPLY, m.EVENT, 0x7F):
            for size in (0, 9, 40, 64):
                host.clear(kind, bytes(size))
        host.clear(m.HELLO, m.pack(m.FRAMES[m.HELLO][1], (m.VERSION, m.fingerprint(), bytes(16))))
        host.clear(m.HELLO, bytes(25))
        heard.append(host.heard)
    assert heard[0] == heard[1]
    assert {frame.kind for frame in heard[0]} == {m.REFUSE, m.WELCOME}
