"""Attestation without enough memory reports an error and the device continues; a scrub lets the
board read its sensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard_firmware.core.devices.commands import NO_ROOM
from cutcard_firmware.core.image.attest import BLOCK, CHANGED, DONE, PIECE, scrub
from firmware.tests import rig as rigs
from firmware.tests.rig import Rig


def progress(rig: Rig) -> int:
    rig.run()
    result = rig.command("attested").result
    assert result is not None
    return int(result["progress"])


def challenged(rig: Rig) -> int:
    result = rig.command("challenge", nonce=b"n" * 16).result
    assert result is not None
    return int(result["blocks"])


def test_readable_flash_is_attested(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    assert challenged(rig) == rigs.Chip.blocks
    assert progress(rig) == DONE


def test_attestation_without_memory_at_its_start_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> None:
        raise MemoryError

    rig = Rig(tmp_path)
    monkeypatch.setattr(rig.board, "chip", none)
    assert challenged(rig) == 0
    assert progress(rig) == NO_ROOM


def test_attestation_that_runs_out_of_memory_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(chip: rigs.Chip, block: int, offset: int) -> bytes:
        raise MemoryError

    rig = Rig(tmp_path)
    monkeypatch.setattr(rigs.Chip, "read", none)
    challenged(rig)
    assert progress(rig) == NO_ROOM
    monkeypatch.undo()
    challenged(rig)
    assert progress(rig) == DONE


def test_scrub_within_a_recovery_begins_when_the_recovery_has_ended(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.put(1)
    rig.run()
    rig.command("load", decks=1, pack=52)
    rig.run()
    rig.device.fault("extra-card")
    assert rig.command("recover", outside=0).error == "ok"
    assert rig.device.job is not None
    assert rig.command("scrub").error == "ok"
    assert rig.device.attestation[0] != DONE
    assert progress(rig) == DONE
    assert rig.mode == "ready"


def test_scrub_drops_a_half_made_update_and_closes_its_file(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    assert rig.command("offer", at=0, data=bytes(200)).error == "image-refused"
    assert rig.device.update is not None
    rig.device.update.stream = stream = (tmp_path / "piece").open("wb")
    assert rig.command("scrub").error == "ok"
    assert rig.device.update is None
    assert stream.closed
    assert progress(rig) == DONE


def test_scrub_is_refused_only_while_a_call_is_pending(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.put(1)
    rig.run()
    rig.command("load", decks=1, pack=52)
    rig.run()
    rig.plant.mouth.hand = False
    rig.command("deal", cards=2)
    refused = rig.command("scrub")
    assert (refused.error, refused.a) == ("still-armed", 2)


def test_attestation_is_discarded_if_the_flash_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = iter((b"\0", b"\1"))

    def moving(chip: rigs.Chip) -> object:
        yield
        return next(maps)

    rig = Rig(tmp_path)
    monkeypatch.setattr("cutcard_firmware.core.image.attest._spared", moving)
    challenged(rig)
    assert progress(rig) == CHANGED
    assert rig.device.attestation[2] == bytes(32)


class Left:
    """A chip on which every block is free, and blank only after an erase."""

    first = 0
    blocks = 20

    def __init__(self) -> None:
        self.files = self
        self.did: list[str] = []
        self.blank: set[int] = set()

    def read(self, block: int, offset: int) -> bytes:
        self.did.append("look")
        return (b"\xff" if block in self.blank else b"x") * PIECE

    def ioctl(self, op: int, block: int) -> None:
        assert op == 6
        self.did.append("erase")
        self.blank.add(block)

    def breathe(self) -> None:
        self.did.append("breathe")

    def close(self) -> None:
        pass


def test_scrub_drains_samples_after_each_erase_and_each_block_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An erase takes at most 400 ms, and the ring holds samples of one second."""

    def nothing(files: Left) -> object:
        for _ in range(3):
            files.did.append("read a file")
            yield
        return bytes(3), bytes(3)

    monkeypatch.setitem(scrub.__globals__, "_in_use", nothing)
    chip, progress = Left(), [0, 0]
    for _ in scrub(chip, progress, chip.breathe):
        chip.did.append("breathe")  # the main loop drains the samples between two steps
    assert progress == [DONE, chip.blocks]
    between = " ".join(chip.did).split("breathe")
    assert max(part.count("erase") for part in between) == 1
    assert max(part.count("read a file") for part in between) == 1
    assert max(part.count("look") for part in between) == BLOCK // PIECE
