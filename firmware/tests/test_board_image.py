"""The image for a board: what it needs compiles, for every machine, and it stays small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cutcard.image.build import files
from cutcard.machines import find, shipped
from cutcard.machines.modules import belongs

FIRMWARE = Path(__file__).parent.parent / "cutcard_firmware"
MOST_BYTES = 64 * 1024  # of what stays in memory
MOST_ON_FLASH = 88 * 1024  # twice, in two slots, of the 1.4 MB that a Pico has for files
MACHINES = ("carousel-38", "shoe-8", "controller-4")  # one of each kind
# Loaded when it is needed and dropped again.
RARE = {
    "core/arithmetic.mpy",
    "core/attest.mpy",
    "core/ed25519.mpy",
    "core/field.mpy",
    "core/identity.mpy",
    "core/known_answer.mpy",
    "core/laboratory.mpy",
    "core/manifest.mpy",
    "core/refused.mpy",
    "core/sealed.mpy",
    "core/sha512.mpy",
    "core/trust.mpy",
    "core/update.mpy",
    "core/x25519.mpy",
    "answering.mpy",
    "chip.mpy",
    "start.mpy",
}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_module_that_the_kind_loads_is_in_the_image(machine: str) -> None:
    made = files("rp2", find(machine))
    core = {f"core/{file.stem}.mpy" for file in (FIRMWARE / "core").glob("*.py")}
    board = {f"{file.stem}.mpy" for file in (FIRMWARE / "boards" / "rp2").glob("*.py")}
    wanted = {module for module in core | board if belongs(module, find(machine).kind)}
    assert set(made) == wanted | {"start.mpy", "machine_spec.mpy", "/boot.py", "/main.py"}


@pytest.mark.parametrize("machine", MACHINES)
def test_what_stays_in_memory_is_under_64_kilobytes_and_the_rest_is_small_too(machine: str) -> None:
    made = files("rp2", find(machine))
    stays = sum(len(data) for name, data in made.items() if name not in RARE)
    whole = sum(map(len, made.values()))
    print(f"image of {machine}: {whole} bytes, of which {stays} stay in memory")
    assert set(made) > RARE
    assert stays < MOST_BYTES
    assert whole < MOST_ON_FLASH


@pytest.mark.parametrize("machine", [file.stem for file in shipped()])
def test_every_machine_has_pins_for_a_board(machine: str) -> None:
    assert b"link_rx" in files("rp2", find(machine))["machine_spec.mpy"]


def test_make_board_leaves_the_same_files_in_a_folder(tmp_path: Path) -> None:
    subprocess.run(
        [str(FIRMWARE / "boards" / "rp2" / "build"), "carousel-38", str(tmp_path / "board")],
        check=True,
        env={"CUTCARD": str(Path(sys.executable).with_name("cutcard"))},
    )
    found = {
        str(file.relative_to(tmp_path / "board")): file.read_bytes()
        for file in (tmp_path / "board").rglob("*")
        if file.is_file()
    }
    wanted = files("rp2", find("carousel-38"))
    assert found == {name.lstrip("/"): data for name, data in wanted.items()}
