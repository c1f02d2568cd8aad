"""Handshakes on a busy machine: computed in pieces between cards, and without the noise that
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


def test_hello_without_a_key_does_not_advance_the_generator(tmp_path: Path) -> None:
    twin = Twin(tmp_path / "rig", SMALL_CAROUSEL)
    source, noise = bytes(twin.device.source._drbg._v), twin.noise.getstate()
    welcomes = set()
    for _ in range(50):
        twin.device.receive(frame.encode(HELLO))
        welcomes.add(twin.board.said[-1])
    assert bytes(twin.device.source._drbg._v) == source
    assert twin.noise.getstate() == noise
    assert len(welcomes) == 50


def test_hello_does_not_recompute_the_schema_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a board this digest is the longest computation that a host without a key can request."""
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


def test_device_with_added_rows_welcomes_an_older_host_with_a_stored_digest(
    newer: Twin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(m, "sha256", lambda *_: pytest.fail("hashed for a host without a key"))
    assert kinds_of_answers(newer, HELLO[6:14]) == [m.WELCOME]


def test_a_device_refuses_an_older_host_with_another_digest_or_too_few_rows(newer: Twin) -> None:
    known = HELLO[6:14]
    changed = [known[:3] + bytes(5), bytes((known[0] - 1,)) + known[1:], bytes(8)]
    assert kinds_of_answers(newer, *changed) == [m.REFUSE] * 3


def test_newer_host_compares_the_schemas_itself(tmp_path: Path) -> None:
    """The device lacks the newer rows; a host without an event of the device is not newer."""
    commands, events, faults = HELLO[6:9]
    twin = Twin(tmp_path / "rig", SMALL_CAROUSEL)
    more = bytes((commands, events, faults + 1)) + bytes(5)
    mixed = bytes((commands, events - 1, faults + 1)) + bytes(5)
    assert kinds_of_answers(twin, more, mixed) == [m.WELCOME, m.REFUSE]


def test_welcomes_differ_for_equal_key_state_and_clock(tmp_path: Path) -> None:
    """So a recorded handshake is useless after an attacker restores the state."""
    welcomes = []
    for name in ("one", "other"):
        rig = Rig(tmp_path / name, SMALL_CAROUSEL)
        rig.device.receive(frame.encode(HELLO))
        welcomes.append(rig.board.said[-1])
    assert welcomes[0] != welcomes[1]


def test_machine_keeps_loading_during_a_handshake(tmp_path: Path) -> None:
    """A pack is loaded during the handshake, and the session begins long before the load ends."""
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
