"""`cutcard doctor` and `cutcard chip` name the parts of the emulated chip that are missing."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.chip import parts
from cutcard.cli import doctor
from cutcard.cli.main import app


def program(folder: Path, name: str, says: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\necho {says}\n")
    file.chmod(0o755)


@pytest.mark.parametrize(
    ("says", "ok"), [("v20.1.0", True), ("v22.0.0", True), ("v18.19.1", False), ("nodes", False)]
)
def test_doctor_checks_the_version_of_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, ok: bool
) -> None:
    program(tmp_path, "node", says)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    finding = doctor.node()
    assert (finding.ok, finding.found) == (ok, says)
    assert ("nodejs npm" in finding.fix) is not ok


def test_doctor_reports_each_missing_part_of_the_chip_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(parts, "EMULATOR", tmp_path)
    monkeypatch.setattr(parts, "BOOT_ROM", tmp_path / "bootrom.bin")
    monkeypatch.setattr(parts, "MICROPYTHON", tmp_path / "RPI_PICO.uf2")
    run = CliRunner().invoke(app, ["doctor", "--json"])
    fixes = {each["name"]: each["fix"] for each in json.loads(run.stdout)["findings"]}
    assert run.exit_code == 0, "the chip is optional"
    assert "sudo apt-get install nodejs npm" in fixes["node 20+"]
    assert fixes["emulator"] == parts.GET_PACKAGES
    assert fixes["boot ROM"] == parts.GET_BOOT_ROM
    assert fixes["MicroPython for a Pico"] == parts.GET_MICROPYTHON


def test_command_for_the_emulator_names_the_folder_of_its_locked_packages() -> None:
    words = shlex.split(parts.GET_PACKAGES)
    assert words[:4] == ["Type:", "npm", "ci", "--prefix"]
    lock = json.loads((Path(words[4]) / "package-lock.json").read_text())
    assert "node_modules/rp2040js" in lock["packages"]


def test_command_for_the_boot_rom_prints_its_file(tmp_path: Path) -> None:
    """An existing file is not fetched again."""
    rom = tmp_path / "cutcard" / "chip" / "bootrom.bin"
    rom.parent.mkdir(parents=True)
    rom.touch()
    command = shlex.split(parts.GET_BOOT_ROM)[1:]
    assert command[0] == sys.executable
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"{rom}\n"


def test_chip_lists_all_missing_parts_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "node", "v18.19.1")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(parts, "EMULATOR", tmp_path)
    monkeypatch.setattr(parts, "MICROPYTHON", tmp_path / "RPI_PICO.uf2")
    run = CliRunner().invoke(app, ["chip", "carousel-38"])
    assert run.exit_code == 2
    for said in ("node 20+ (v18.19.1)", parts.GET_PACKAGES, parts.GET_MICROPYTHON):
        assert said in run.stderr
