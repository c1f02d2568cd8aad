"""The image for a board: every module compiles, for every machine, and it stays small."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cutcard.machines import find, shipped
from cutcard.machines.modules import belongs

FIRMWARE = Path(__file__).parent.parent
MOST_BYTES = 64 * 1024
MACHINES = ("carousel-38", "shoe-8", "controller-4")  # one of each kind


def build(machine: str, folder: Path) -> dict[str, int]:
    """Names and sizes of what would be copied to a board."""
    subprocess.run(
        [str(FIRMWARE / "boards" / "rp2" / "build"), machine, str(folder)],
        check=True,
        env={**os.environ, "PYTHON": sys.executable},
    )
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder)): file.stat().st_size for file in files}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_module_that_the_kind_loads_is_in_the_image(machine: str, tmp_path: Path) -> None:
    made = build(machine, tmp_path / "image")
    core = {f"core/{file.stem}.mpy" for file in (FIRMWARE / "core").glob("*.py")}
    board = {f"{file.stem}.mpy" for file in (FIRMWARE / "boards" / "rp2").glob("*.py")}
    board = board - {"boot.mpy", "main.mpy"} | {"boot.py", "main.py", "machine_spec.mpy"}
    kind = find(machine).kind
    assert set(made) == {module for module in core | board if belongs(module, kind)}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_image_is_under_64_kilobytes(machine: str, tmp_path: Path) -> None:
    size = sum(build(machine, tmp_path / "image").values())
    print(f"image of {machine} for a board: {size} bytes of {MOST_BYTES}")
    assert size < MOST_BYTES


@pytest.mark.parametrize("machine", [file.stem for file in shipped()])
def test_every_machine_has_pins_for_a_board(machine: str, tmp_path: Path) -> None:
    build(machine, tmp_path / "image")
    assert b"link_rx" in (tmp_path / "image" / "machine_spec.mpy").read_bytes()
