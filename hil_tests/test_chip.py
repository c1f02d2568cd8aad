"""The emulated board itself: stock MicroPython on it, before any of ours."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest
import serial  # type: ignore[import-untyped]

from cutcard.bench.client import Bench
from cutcard.chip.parts import EMULATOR, MICROPYTHON
from firmware.tests.interpreters import missing


@pytest.fixture(scope="module")
def blank() -> Iterator[Bench]:
    """A Pico as it comes, with MicroPython on it."""
    need_the_chip()
    with Bench.start("carousel-38", seed=1, blank=True, timeout=200, module="cutcard.chip") as chip:
        yield chip


def need_the_chip() -> None:
    if not MICROPYTHON.exists():
        why = MICROPYTHON.parent / "missing.txt"
        missing(why.read_text().strip() if why.exists() else "run: make micropython")
    if not (EMULATOR / "node_modules").is_dir() or shutil.which("node") is None:
        missing("the emulator is not installed: run .ci/set-up-chip")


def said(chip: Bench, line: str) -> str:
    """What MicroPython's prompt answers."""
    with serial.Serial(chip.port, timeout=60) as port:
        port.write(line.encode() + b"\r\n")
        port.read_until(line.encode() + b"\r\n")
        answer: bytes = port.read_until(b">>> ")
    return answer.decode().removesuffix(">>> ").strip()


def test_stock_micropython_comes_up_at_its_prompt(blank: Bench) -> None:
    assert said(blank, "import sys; print(sys.implementation._machine)") == (
        "Raspberry Pi Pico with RP2040"
    )


def test_the_board_has_the_serial_number_of_its_flash_chip(blank: Bench) -> None:
    line = "import machine, binascii; print(binascii.hexlify(machine.unique_id()).decode())"
    assert said(blank, line) == blank.serial.hex()


def test_files_are_written_in_the_time_that_a_flash_chip_takes(blank: Bench) -> None:
    """An erase takes 45 ms of the board's own time."""
    line = (
        "import rp2, time; f = rp2.Flash(); t = time.ticks_us(); _ = f.ioctl(6, 300); "
        "print(time.ticks_us() - t)"
    )
    assert 45_000 < int(said(blank, line)) < 47_000


def test_the_oscillators_bit_is_as_biased_as_the_person_says(blank: Bench) -> None:
    line = "print(sum(machine.mem32[0x4006001C] & 1 for _ in range(2000)))"
    said(blank, "import machine")
    assert 900 < int(said(blank, line)) < 1150
    blank.do("noise", how="biased", value=0.9)
    said(blank, "sum(machine.mem32[0x4006001C] & 1 for _ in range(70000))")  # the old ones go
    assert int(said(blank, line)) > 1700
    blank.do("noise", how="good")


def test_translated_code_does_what_interpreted_code_does() -> None:
    need_the_chip()
    test = EMULATOR / "translator.test.mjs"
    done = subprocess.run(["node", "--test", str(test)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
