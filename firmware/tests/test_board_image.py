"""The image for a board: every module compiles for every machine, within the size limits."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cutcard.image.build import files
from cutcard.machines import find, shipped
from cutcard.machines.modules import belongs
from hil_tests import limits
from hil_tests.chip_parts import GAP
from hil_tests.image_size import MACHINES, sizes

FIRMWARE = Path(__file__).parent.parent / "cutcard_firmware"
DOCS = FIRMWARE.parents[1] / "docs"


@pytest.mark.parametrize("machine", MACHINES)
def test_every_module_that_the_kind_loads_is_in_the_image(machine: str) -> None:
    made = files("rp2", find(machine))
    core = {
        f"core/{file.stem}.mpy"
        for file in (FIRMWARE / "core").rglob("*.py")
        if file.name != "__init__.py" or file.parent.name == "core"
    }
    board = {f"{file.stem}.mpy" for file in (FIRMWARE / "boards" / "rp2").glob("*.py")}
    wanted = {module for module in core | board if belongs(module, find(machine).kind)}
    assert set(made) == wanted | {"start.mpy", "machine_spec.mpy", "/boot.py", "/main.py"}


@pytest.mark.parametrize("machine", MACHINES)
def test_an_image_keeps_the_limits_of_flash_life_and_heap(machine: str) -> None:
    in_slot, resident = sizes(machine)
    print(f"image of {machine}: {in_slot} bytes in a slot, of which {resident} stay in memory")
    assert in_slot <= limits.most_in_slot()
    assert resident <= limits.most_resident()


def test_the_boards_page_has_the_computed_limits() -> None:
    page = (DOCS / "explanation" / "board.md").read_text()
    assert f"**Modules in a slot: at most {limits.most_in_slot():,} bytes.**" in page
    assert f"**Modules that stay loaded: at most {limits.most_resident():,} bytes.**" in page
    erases = limits.ERASES_A_CARD * limits.CARDS_AN_HOUR * limits.HOURS
    assert f"of the {erases / 1e6:.0f} million that five years allow" in page
    assert f"stays within {limits.AHEAD:,} erases of the mean" in page


def test_the_measured_times_meet_the_targets_in_the_code() -> None:
    page = (DOCS / "evidence" / "board.md").read_text()
    rows = re.findall(r"^\| .* \| ([^|]+) (m?s) \| (\d+) (m?s) \| (met[^|]*) \|$", page, re.M)
    thousandths = {"ms": 1, "s": 1000}
    targets = {int(target) * thousandths[unit] for _, _, target, unit, _ in rows}
    assert targets == {limits.READY, limits.PRESS, limits.QUESTION, limits.WRITE, GAP}
    for measured, unit, target, target_unit, verdict in rows:
        slowest = max(map(float, re.findall(r"[\d.]+", measured))) * thousandths[unit]
        part = slowest / (int(target) * thousandths[target_unit])
        assert part <= (limits.SPARE if verdict == "met, with a fifth to spare" else 1)


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
