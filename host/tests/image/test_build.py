"""An image has the same bytes in every build, and describes itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cutcard.image.build import BuildError, build
from cutcard.image.compiling import LEAST, SOURCES, needs
from cutcard.image.image import Image
from cutcard.keys.store import SigningKeyStore
from cutcard.machines import Machine, find, load
from tests.image.conftest import signer

MACHINE = find("shoe-8")
BUILD = """
import sys
from pathlib import Path
from cutcard.image.build import build
from cutcard.machines import find
sys.stdout.buffer.write(build("rp2", find("shoe-8"), 7, None, Path(sys.argv[1])).data)
"""


def test_builds_in_two_folders_and_processes_are_identical(tmp_path: Path) -> None:
    made = []
    for name in ("here", "a/longer/path/elsewhere"):
        folder = tmp_path / name
        shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        done = subprocess.run(
            [sys.executable, "-c", BUILD, str(folder)],
            capture_output=True,
            check=True,
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": str(len(name))},
        )
        made.append(done.stdout)
    assert made[0] == made[1]
    assert str(tmp_path).encode() not in made[0]


def test_same_key_signs_the_same_bytes(store: SigningKeyStore, image: Image) -> None:
    assert build("rp2", MACHINE, 7, signer(store, "factory")).data == image.data


def test_image_describes_its_board_machine_and_version(
    image: Image, store: SigningKeyStore
) -> None:
    head = image.head
    assert (image.boards, image.machine, image.kind, head.version) == (
        ["rp2"],
        "shoe-8",
        "shoe",
        7,
    )
    assert (*head.micropython, head.mpy, head.mpy_sub) == needs()
    assert head.key == store.public("factory").number
    assert image.signing_key() == store.public("factory").raw
    assert not image.development


def test_image_needs_the_oldest_supported_micropython_not_the_compilers() -> None:
    assert needs()[:2] == LEAST == (1, 25)


def test_image_of_one_kind_has_no_code_of_another(image: Image) -> None:
    names = {file.name for file in image.files}
    assert "core/shoe.mpy" in names
    assert not names & {"core/shuffler.mpy", "core/controller.mpy", "core/carousel.mpy"}


def test_image_of_a_board_has_no_code_of_the_bench(image: Image) -> None:
    names = {file.name for file in image.files}
    assert not names & {"pipe.mpy", "stock.mpy", "main.mpy"}


@pytest.mark.parametrize("version", [0, -1, 65536])
def test_version_out_of_range_is_refused(version: int) -> None:
    with pytest.raises(BuildError, match="65535"):
        build("rp2", MACHINE, version)


def test_unknown_board_is_refused() -> None:
    with pytest.raises(BuildError, match="rp2350"):
        build("esp32", MACHINE, 1)


def wired(tmp_path: Path, board: str) -> Machine:
    """Return the shoe with its pins under another board's name, or without pins."""
    text = (SOURCES / "machines" / "shoe-8.toml").read_text()
    without = text.partition("[pins.pico]")[0]
    file = tmp_path / "mine.toml"
    file.write_text(text.replace("[pins.pico]", f"[pins.{board}]") if board else without)
    return load(file)


@pytest.mark.parametrize("board", ["rp2", "rp2350"])
def test_a_machine_without_pins_is_bench_only(
    store: SigningKeyStore, tmp_path: Path, board: str
) -> None:
    machine = wired(tmp_path, "")
    with pytest.raises(BuildError, match=r"only for the bench: .*mine.toml .*Add \[pins.pico2?\]"):
        build(board, machine, 1, signer(store, "factory"))
    assert build("bench", machine, 1).boards == ["bench"]


def test_pins_of_a_pico_2_are_used_only_in_its_image(tmp_path: Path) -> None:
    machine = wired(tmp_path, "pico2")
    assert build("rp2350", machine, 1).data == build("rp2350", wired(tmp_path, "pico"), 1).data
    with pytest.raises(BuildError, match="has pins only for pico2"):
        build("rp2", machine, 1)


def test_open_console_needs_a_development_key(store: SigningKeyStore, tmp_path: Path) -> None:
    file = tmp_path / "open.toml"
    text = (SOURCES / "machines" / "shoe-8.toml").read_text()
    file.write_text(text + '\n[board]\nconsole = "open"\nlink = "uart"\n')
    machine = load(file)
    with pytest.raises(BuildError, match="open console"):
        build("rp2", machine, 1, signer(store, "factory"))
    assert build("rp2", machine, 1, signer(store, "bench")).development
