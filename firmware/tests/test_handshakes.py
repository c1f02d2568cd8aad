"""A handshake as the machine meets it: in pieces, between two cards, and without the noise that
decides cards."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages as m
from firmware.tests.rig import SMALL_CAROUSEL, Rig
from firmware.tests.twins import Host, Twin

HELLO = struct.pack("<BI", m.HELLO, 0) + bytes((m.VERSION,)) + m.fingerprint() + bytes(16)


def test_a_stranger_s_hellos_do_not_move_the_generator(tmp_path: Path) -> None:
    twin = Twin(tmp_path / "rig", SMALL_CAROUSEL)
    source, noise = bytes(twin.device.source._drbg._v), twin.noise.getstate()
    welcomes = set()
    for _ in range(50):
        twin.device.receive(frame.encode(HELLO))
        welcomes.add(twin.board.said[-1])
    assert bytes(twin.device.source._drbg._v) == source
    assert twin.noise.getstate() == noise
    assert len(welcomes) == 50


def test_the_table_is_not_worked_out_anew_for_whoever_says_hello(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a board that takes longer than anything else that a stranger may ask for."""
    twin = Twin(tmp_path / "rig", SMALL_CAROUSEL)
    monkeypatch.setattr(m, "fingerprint", lambda: pytest.fail("worked out again"))
    twin.device.receive(frame.encode(HELLO))
    assert frame.decode(twin.board.said[-1].strip(b"\0"))[0] == m.WELCOME


def hello(fingerprint: bytes) -> bytes:
    return struct.pack("<BI", m.HELLO, 0) + bytes((m.VERSION,)) + fingerprint + bytes(16)


def kinds_of_answers(device: Twin, *fingerprints: bytes) -> list[int]:
    for fingerprint in fingerprints:
        device.device.receive(frame.encode(hello(fingerprint)))
    return [frame.decode(said.strip(b"\0"))[0] for said in device.board.said]


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Twin:
    """A device with a fault and an event that the schema of `HELLO` does not have."""
    monkeypatch.setattr(m, "FAULTS", (*m.FAULTS, "too-warm"))
    monkeypatch.setattr(m.EVENTS, "text", m.EVENTS.text + "25|cooled|degrees:H\n")
    monkeypatch.setattr(m, "_digests", ())
    assert m.fingerprint() != HELLO[6:14]
    return Twin(tmp_path / "newer", SMALL_CAROUSEL)


def test_a_device_with_added_rows_welcomes_an_older_host_without_hashing_anew(
    newer: Twin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(m, "sha256", lambda *_: pytest.fail("hashed for a host without a key"))
    assert kinds_of_answers(newer, HELLO[6:14]) == [m.WELCOME]


def test_a_device_refuses_an_older_host_with_another_digest_or_too_few_rows(newer: Twin) -> None:
    known = HELLO[6:14]
    changed = [known[:3] + bytes(5), bytes((known[0] - 1,)) + known[1:], bytes(8)]
    assert kinds_of_answers(newer, *changed) == [m.REFUSE] * 3


def test_a_device_leaves_the_comparison_to_a_newer_host(tmp_path: Path) -> None:
    """It has nothing to compare; a host that lacks an event of the device is no newer one."""
    commands, events, faults = HELLO[6:9]
    twin = Twin(tmp_path / "rig", SMALL_CAROUSEL)
    more = bytes((commands, events, faults + 1)) + bytes(5)
    mixed = bytes((commands, events - 1, faults + 1)) + bytes(5)
    assert kinds_of_answers(twin, more, mixed) == [m.WELCOME, m.REFUSE]


def test_devices_alike_in_key_state_and_clock_welcome_differently(tmp_path: Path) -> None:
    """A recorded handshake is then useless after the state was restored."""
    welcomes = []
    for name in ("one", "other"):
        rig = Rig(tmp_path / name, SMALL_CAROUSEL)
        rig.device.receive(frame.encode(HELLO))
        welcomes.append(rig.board.said[-1])
    assert welcomes[0] != welcomes[1]


def test_the_machine_goes_on_while_a_handshake_is_worked_out(tmp_path: Path) -> None:
    """A pack is loaded meanwhile, and the session is there long before its end."""
    twin = Twin(tmp_path / "rig", SMALL_CAROUSEL)
    host = Host(twin)
    host.begin()
    twin.put(1)
    twin.run()
    twin.command("load", decks=1, pack=52)
    last = twin.device.link.own
    host.ask_for_session()
    turns = 0
    while twin.device.link.own is last:
        assert not twin._once()
        turns += 1
    assert turns >= 2 * 4  # pieces of each of two multiplications
    twin.run()
    assert twin.device.cmd_status()[0] == m.MODES.index("ready")
    twin.check_cards()
