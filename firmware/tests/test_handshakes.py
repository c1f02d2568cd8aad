"""A handshake as the machine meets it: in pieces, between two cards, and without the noise that
decides cards."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages as m
from firmware.tests.rig import SMALL_CAROUSEL
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


def test_devices_alike_in_key_state_and_clock_welcome_differently(tmp_path: Path) -> None:
    """So that what was recorded with one is worth nothing where its state is put back."""
    welcomes = []
    for name in ("one", "other"):
        twin = Twin(tmp_path / name, SMALL_CAROUSEL)
        twin.device.receive(frame.encode(HELLO))
        welcomes.append(twin.board.said[-1])
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
