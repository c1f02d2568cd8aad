"""An emulated board reaches its mechanics only through pins of the machine file."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.boards import chip_command as chip
from cutcard.cli.main import app
from cutcard.machines import find


@pytest.mark.parametrize("options", [[], ["--blank"]], ids=["programmed", "blank"])
def test_chip_rejects_a_machine_file_without_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    text = find("carousel-38").file.read_text("utf-8")
    file = tmp_path / "bare.toml"
    file.write_text(text[: text.index("[pins.pico]")], "utf-8")
    monkeypatch.setattr(chip, "CHIP_CHECKS", ())  # needs no part of the chip
    run = CliRunner().invoke(app, ["chip", str(file), *options])
    assert run.exit_code == 2
    assert f"Add [pins.pico] to {file}" in run.stderr
    assert f"use `cutcard bench {file}`" in run.stderr
