"""An attestation that finds no memory is told, and costs the device nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard_firmware.core.attest import CHANGED, DONE
from cutcard_firmware.core.commands import NO_ROOM
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


def test_a_flash_that_can_be_walked_is_walked(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    assert challenged(rig) == rigs.Chip.blocks
    assert progress(rig) == DONE


def test_no_memory_to_begin_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise MemoryError

    rig = Rig(tmp_path)
    monkeypatch.setattr(rig.board, "chip", none)
    assert challenged(rig) == 0
    assert progress(rig) == NO_ROOM


def test_no_memory_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(chip: rigs.Chip, block: int, offset: int) -> bytes:
        raise MemoryError

    rig = Rig(tmp_path)
    monkeypatch.setattr(rigs.Chip, "read", none)
    challenged(rig)
    assert progress(rig) == NO_ROOM
    monkeypatch.undo()
    challenged(rig)
    assert progress(rig) == DONE


def test_what_moved_meanwhile_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = iter((b"\0", b"\1"))

    def moving(chip: rigs.Chip) -> object:
        yield
        return next(maps)

    rig = Rig(tmp_path)
    monkeypatch.setattr("cutcard_firmware.core.attest._spared", moving)
    challenged(rig)
    assert progress(rig) == CHANGED
    assert rig.device.attestation[2] == bytes(32)
