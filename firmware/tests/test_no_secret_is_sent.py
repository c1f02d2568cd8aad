"""No command, event or error contains state of the random source or information on later cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cutcard_firmware.core.schema import messages as m
from cutcard_firmware.core.storage import state as st
from firmware.tests.rig import Rig

WINDOW = 6  # equal bytes in a row: a probability of 2^-48 by chance
LABORATORY = 64  # number of its first command; later ones need a board's own flash


class Listener:
    """Records every frame of a device before encryption, and the secrets that it must not send."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.heard: list[bytes] = []
        self.secrets: list[bytes] = []
        obey = rig.device.obey

        def overheard(payload: bytes) -> Any:
            self.note()
            reply = obey(payload)
            self.heard.append(bytes(reply))
            self.note()
            return reply

        rig.device.obey = overheard

    def note(self) -> None:
        source = self.rig.device.source
        for secret in (source._drbg._v, source._drbg._c, source._buffer):
            self.secrets.append(bytes(secret))
        self.secrets.append(st.Seed(self.rig.device.state).read() or b"")
        self.heard += [bytes(event) for event in self.rig.device.state.events]

    def overlaps(self) -> list[bytes]:
        said = {text[i : i + WINDOW] for text in self.heard for i in range(len(text) - WINDOW + 1)}
        return [
            secret[i : i + WINDOW]
            for secret in set(self.secrets)
            for i in range(len(secret) - WINDOW + 1)
            if any(secret[i : i + WINDOW]) and secret[i : i + WINDOW] in said
        ]


@pytest.fixture
def listener(tmp_path: Path) -> Listener:
    return Listener(Rig(tmp_path / "flash", "drum-60"))


def everything_asked(rig: Rig) -> None:
    """Send each command of the schema with the smallest and the largest arguments."""
    for op, (name, kinds, fields, _) in m.COMMANDS.items():
        if "shuffler" not in kinds or op >= LABORATORY:
            continue
        for high in (False, True):
            arguments = {}
            for field, form in m.fields(fields):
                if form == "*" or form.endswith("s"):
                    size = int(form[:-1]) if form.endswith("s") else 8
                    arguments[field] = (b"\xff" if high else b"\0") * size
                else:
                    arguments[field] = (1 << 8 * {"B": 1, "H": 2, "I": 4}[form]) - 1 if high else 0
            rig.command(name, **arguments)  # type: ignore[arg-type]


def test_no_frame_contains_state_of_the_random_source(listener: Listener) -> None:
    rig = listener.rig
    everything_asked(rig)
    rig.put(1)
    rig.run()
    assert rig.command("load", decks=1, pack=52).error == "ok"
    listener.secrets.append(bytes(rig.device.mechanism.order))  # the slot of each card
    rig.run()
    assert rig.mode == "ready"
    rig.command("deal", cards=20)
    rig.run()
    everything_asked(rig)
    rig.device.fault("door-open")
    everything_asked(rig)
    assert len(rig.events_of("card")) == 20
    assert len(set(listener.secrets)) > 5
    assert not listener.overlaps()


def test_listener_finds_the_output_of_laboratory_mode(listener: Listener) -> None:
    """Laboratory mode exports output, so the same search must find it."""
    rig = listener.rig
    rig.command("laboratory", enters=1)
    rig.device.source.below(2)
    rig.command("raw_output", size=192)
    assert rig.device.state.get(st.EXPORTED)
    assert listener.overlaps()
