"""The firmware on its own chip, emulated: first stock MicroPython before any of ours, then ours.

Levels, step pulses and UART frames cross between board and mechanics, nothing else. Each device
starts from a flash that was programmed once. A second of a deadline is one of the board's.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import serial  # type: ignore[import-untyped]

from cutcard.bench.client import Bench
from cutcard.bench.firmware import FirmwareError
from cutcard.chip.parts import EMULATOR, MICROPYTHON, boot_rom, node
from cutcard.devices import Controller, Shuffler, deadline
from cutcard.devices.any_device import KINDS
from cutcard.devices.errors import DeviceError
from cutcard.machines import find
from firmware.tests.interpreters import missing
from hil_tests.conftest import PRIZES, loaded
from hil_tests.table import Table
from hil_tests.test_controller import holds, pressed

pytestmark = pytest.mark.timeout(1500)  # of a busy computer; an idle one needs half a minute
START = 600.0  # seconds, likewise
WATCHDOG = 9000  # milliseconds in which it bites
GAP = 500  # milliseconds, the longest between two looks at the samples; the ring holds 1016

TableAt = Callable[[str], Table[Any]]


@pytest.fixture(scope="module")
def blank() -> Iterator[Bench]:
    """A Pico as it comes, with MicroPython on it."""
    need_the_chip()
    module = "cutcard.chip"
    with Bench.start("carousel-38", seed=1, blank=True, timeout=START, module=module) as chip:
        yield chip


@pytest.fixture
def chip(monkeypatch: pytest.MonkeyPatch) -> Iterator[TableAt]:
    """Starts an emulated board with its machine; at the end nothing may have crashed or leaked."""
    need_the_chip()
    monkeypatch.setattr(deadline, "_pace", deadline.EMULATED)
    opened: list[Table[Any]] = []

    def at(machine: str) -> Table[Any]:
        bench = Bench.start(machine, seed=1, timeout=START, module="cutcard.chip")
        try:
            opened.append(Table(bench, KINDS[find(machine).kind]))
        except BaseException:
            bench.close()
            raise
        return opened[-1]

    yield at
    for there in opened:
        try:
            there.end()
            assert there.bench.status()["longest_gap"] < GAP
        finally:
            there.bench.close()


def need_the_chip() -> None:
    """Skip, also in CI, where a part could not be had: mirrors and registries move on."""
    if not MICROPYTHON.exists():
        why = MICROPYTHON.parent / "missing.txt"
        if why.exists():
            pytest.skip(why.read_text().strip())
        missing("there is no MicroPython for the chip: run make micropython")
    try:
        node()
        boot_rom()
    except FirmwareError as error:
        pytest.skip(str(error))


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


def quietly(act: Callable[[], object]) -> None:
    """Call the driver where a fault is about to answer."""
    try:
        act()
    except DeviceError:
        return


def load_into(at: Table[Shuffler], seconds: float | None = None) -> None:
    at.bench.put(1)
    at.bench.settle()
    quietly(lambda: at.device.load(1, deadline=seconds))
    at.bench.settle()


def test_a_deck_is_loaded_through_the_pins_and_dealt_as_the_cards_lie(chip: TableAt) -> None:
    at = loaded(chip("carousel-38"))
    assert (at.status().mode, at.status().inside) == ("ready", 52)
    at.device.begin_round()
    dealt = [at.device.deal().card for _ in range(5)]
    assert [str(card) for card in dealt] == [card["card"] for card in at.bench.cards()["outside"]]
    at.check_counts()
    assert at.bench.status()["starts"] == 1


def test_a_jam_is_seen_by_its_sensor_latched_and_recovered_from(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("jam", where="entry", after=3)
    load_into(at)
    at.expect_fault("jam-on-entry")
    at.do("clear", to="tray")
    at.bench.settle()
    at.recover()


def test_the_door_stops_the_motors_in_mid_load(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("door", how="open", after=3, step="enter")
    load_into(at)
    at.expect_fault("door-open")


def test_a_power_cut_in_mid_load_is_found_at_the_next_start(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("power", how="cut", after=3, step="turn")
    load_into(at, seconds=1)  # nobody answers any more: the driver need not wait for long
    at.bench.restore_power()
    at.reopen()
    at.expect_fault("power-lost")


def test_a_processor_that_hangs_is_reset_by_its_watchdog(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("hang")
    at.bench.advance(WATCHDOG)
    at.bench.settle()
    at.reopen()
    at.expect_fault("watchdog")
    assert at.bench.status()["starts"] == 2


def test_a_press_is_drawn_signed_and_shown(chip: TableAt) -> None:
    at: Table[Controller] = chip("controller-4")
    at.device.set_prizes(1, PRIZES)
    draw = pressed(at)
    assert holds(draw, at.device.identity().public_key)
    assert at.bench.status()["tables"][0]["meter"] == draw.amount
