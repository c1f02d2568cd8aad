"""The firmware on its own chip, emulated: first stock MicroPython, then our firmware.

Only levels, step pulses and UART frames cross between board and mechanics. Each device starts from
a stored moment at which it was programmed, started and given its key. Deadlines use the board's
seconds. These tests run in every `make test`; all others in this folder run on the chip with
`pytest hil_tests --port chip:`.
"""

from __future__ import annotations

import ast
import json
import struct
import subprocess
import sys
from bisect import bisect
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import serial  # type: ignore[import-untyped]
from scipy.stats import ks_2samp

from cutcard.attestation.reference import from_read_out
from cutcard.attestation.verify import agrees
from cutcard.bench.client import Bench, BenchError
from cutcard.chip.emulator import Emulator
from cutcard.chip.parts import EMULATOR
from cutcard.devices import Controller, Shoe, Shuffler, deadline
from cutcard.devices.any_device import KINDS
from cutcard.devices.errors import DeviceError, InFaultError
from cutcard.image.compiling import SOURCES
from cutcard.machines import find
from cutcard.testing.bench_device import HEAP_TOLERANCE, PointedShoe
from cutcard.testing.plugin import CHIP, Benches
from cutcard_firmware.core.devices.sensors import TURN
from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages as m
from docs.site.pins import lines_of
from hil_tests.chip_figures import KEY, Asking, Stand, took
from hil_tests.chip_parts import GAP, RING, need_the_chip
from hil_tests.conftest import PRIZES, loaded
from hil_tests.limits import FREE_HEAP, QUESTION, QUESTIONS_A_COLLECTION, SPARE
from hil_tests.table import Table
from hil_tests.test_attestation import asked
from hil_tests.test_controller import holds, pressed

pytestmark = pytest.mark.timeout(1500)  # on a busy computer; an idle one needs half a minute
WATCHDOG = 9000  # milliseconds until the watchdog resets the board
WITHIN_A_LEG, BETWEEN_TURNS = 3_300, 100_000  # microseconds between pulses of the wheel

TableAt = Callable[[str], Table[Any]]


@pytest.fixture(scope="module")
def chips() -> Iterator[Benches]:
    """Return one emulator for each machine and worker; translated code is reused."""
    need_the_chip()
    running = Benches(CHIP)
    yield running
    running.close()


@pytest.fixture(scope="module")
def blank(chips: Benches) -> Iterator[Bench]:
    """Return a new Pico with MicroPython."""
    with chips.start("carousel-38", seed=1, blank=True) as chip:
        yield chip


@pytest.fixture
def chip(chips: Benches, monkeypatch: pytest.MonkeyPatch) -> Iterator[TableAt]:
    """Open new emulated boards with their machines; a crash or a leak fails the test at its end."""
    monkeypatch.setattr(deadline, "_pace", deadline.EMULATED)
    opened: list[Table[Any]] = []

    def at(machine: str) -> Table[Any]:
        kind = KINDS[find(machine).kind]
        kind = PointedShoe if kind is Shoe else kind
        bench = chips.fresh(machine, 1)
        opened.append(Table(bench, kind, retry=chips.retry, fillings=chips.fillings))
        return opened[-1]

    yield at
    for there in opened:
        there.end()
        assert there.bench.status()["longest_gap"] < GAP


def said(chip: Bench, line: str) -> str:
    """Return the output of MicroPython's prompt for a line."""
    with serial.Serial(chip.port, timeout=60) as port:
        port.write(line.encode() + b"\r\n")
        port.read_until(line.encode() + b"\r\n")
        answer: bytes = port.read_until(b">>> ")
    return answer.decode().removesuffix(">>> ").strip()


def test_stock_micropython_starts_at_its_prompt(blank: Bench) -> None:
    assert said(blank, "import sys; print(sys.implementation._machine)") == (
        "Raspberry Pi Pico with RP2040"
    )


def test_board_has_the_serial_number_of_its_flash_chip(blank: Bench) -> None:
    line = "import machine, binascii; print(binascii.hexlify(machine.unique_id()).decode())"
    assert said(blank, line) == blank.serial.hex()


def test_file_writes_take_the_time_of_a_flash_chip(blank: Bench) -> None:
    """An erase takes 45 ms of the board's own time."""
    line = (
        "import rp2, time; f = rp2.Flash(); t = time.ticks_us(); _ = f.ioctl(6, 300); "
        "print(time.ticks_us() - t)"
    )
    assert 45_000 < int(said(blank, line)) < 47_000


def test_oscillator_bit_has_the_bias_set_by_the_person(blank: Bench) -> None:
    line = "print(sum(machine.mem32[0x4006001C] & 1 for _ in range(2000)))"
    said(blank, "import machine")
    assert 900 < int(said(blank, line)) < 1150
    blank.do("noise", how="biased", value=0.9)
    # discard the bits from before
    said(blank, "sum(machine.mem32[0x4006001C] & 1 for _ in range(70000))")
    assert int(said(blank, line)) > 1700
    blank.do("noise", how="good")


@pytest.mark.parametrize("part", sorted(file.name for file in EMULATOR.glob("*.test.mjs")))
def test_parts_of_the_emulator_pass_their_own_tests(part: str) -> None:
    """Translated code behaves like interpreted code, and pulses last as long as their counts."""
    need_the_chip()
    done = subprocess.run(["node", "--test", EMULATOR / part], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def quietly(act: Callable[[], object]) -> None:
    """Call the driver and ignore the expected fault."""
    try:
        act()
    except DeviceError:
        return


def load_into(at: Table[Shuffler]) -> None:
    at.bench.put(1)
    at.bench.settle()
    quietly(lambda: at.device.load(1))
    at.bench.settle()


def test_deck_loaded_through_the_pins_is_dealt_in_its_order(chip: TableAt) -> None:
    at = chip("carousel-38").put_in()
    assert (at.status().mode, at.status().inside) == ("ready", 52)
    at.device.begin_round()
    dealt = [at.device.deal().card for _ in range(5)]
    assert [str(card) for card in dealt] == [card["card"] for card in at.bench.cards()["outside"]]
    at.check_counts()
    assert at.bench.status()["starts"] == 1


@pytest.mark.soak  # the next test causes the same fault, and test_faults.py recovers on the chip
def test_jam_is_detected_latched_and_recovered_from(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("jam", where="entry", after=3)
    load_into(at)
    at.expect_fault("jam-on-entry")
    at.do("clear", to="tray")
    at.bench.settle()
    at.recover()


def test_wheel_that_ignores_its_pulses_is_detected_at_the_next_card(
    chip: TableAt,
) -> None:
    """The board has no other sign of it; a driver with a stall output would."""
    at = chip("carousel-38")
    at.do("bin", how="stuck", after=3, step="feed")
    load_into(at)
    at.expect_fault("jam-on-entry")


def test_stalled_motor_is_named_even_if_its_line_drops_with_the_current(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("stall", motor="turn", after=3, step="feed")
    load_into(at)
    assert at.expect_fault("motor-stall").detail == TURN


def test_open_door_stops_the_motors_during_a_load(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("door", how="open", after=3, step="enter")
    load_into(at)
    at.expect_fault("door-open")


def test_power_cut_during_a_load_is_found_at_the_next_start(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("power", how="cycle", after=3, step="turn")
    load_into(at)
    at.expect_fault("power-lost")
    assert at.status().boots == 2


def test_hanging_processor_is_reset_by_its_watchdog(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.do("hang")
    at.bench.advance(WATCHDOG)
    at.bench.settle()
    at.reopen()
    at.expect_fault("watchdog")
    assert at.bench.status()["starts"] == 2


def test_press_is_drawn_signed_and_shown(chip: TableAt) -> None:
    at: Table[Controller] = chip("controller-4")
    at.device.set_prizes(1, PRIZES)
    draw = pressed(at)
    assert holds(draw, at.device.identity().public_key)
    assert at.bench.status()["tables"][0]["meter"] == draw.amount


@pytest.mark.soak
def test_prize_drawn_before_a_power_cut_is_shown_after_it_without_a_display_fault(
    chip: TableAt,
) -> None:
    """A start takes longer than a display's reply, which the controller must not lose."""
    at: Table[Controller] = chip("controller-4")
    at.device.set_prizes(1, PRIZES)
    at.device.offer(1, 1, 1, wager=500)
    at.bench.settle()
    at.do("power", how="cycle", after=1, step="show")
    at.do("press", table=1)
    at.bench.settle()
    at.reopen()
    draw = at.device.wait_for_press(1, 1, 1)
    panel = at.device.panel(1)
    assert (panel.fault, panel.meter, panel.panel) == (None, draw.amount, draw.amount)
    assert at.status().boots == 2


def test_pins_unread_for_a_second_are_a_fault_and_no_reset(
    chips: Benches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erase takes longer than any flash's maker allows; the device keeps its known state."""
    monkeypatch.setattr(deadline, "_pace", deadline.EMULATED)
    bench = chips.fresh("controller-4", 1)
    bench.do("erases", milliseconds=1200)
    with Controller.open(bench.port, key=bench.key) as device:
        device.set_prizes(1, PRIZES)
        for _ in range(40):  # until a write causes an erase
            quietly(lambda: device.set_prizes(2, PRIZES))
        bench.settle()
        assert device.status().fault == "watchdog"
        assert device.panel(1).prizes == 6
    assert bench.status()["longest_gap"] > RING
    assert bench.status()["starts"] == 1


def test_shoe_is_cut_at_its_pointer(chip: TableAt) -> None:
    at: Table[Shoe] = chip("shoe-8")
    at.fill()
    before = [card["card"] for card in at.bench.cards()["stack"]]
    at.device.cut(20, low=10, high=42)
    assert [card["card"] for card in at.bench.cards()["stack"]] == before[20:] + before[:20]
    assert str(at.device.deal().card) == before[20]
    at.check_counts()


def test_board_with_a_changed_image_only_answers(
    chips: Benches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the sealed mode ran: it answers status requests and cannot move a motor."""
    monkeypatch.setattr(deadline, "_pace", deadline.EMULATED)
    bench = chips.fresh("carousel-38", 1)
    bench.cut_power()
    files = Path(bench.folder) / "flash.img"
    # In the code of the motors, in both slots, at any place in the flash.
    changed = files.read_bytes().replace(b"ShoeMotors", b"ShoeMotorz")
    files.write_bytes(changed)
    bench.restore_power()
    with Shuffler.open(bench.port, key=bench.key) as device:
        assert device.status().fault == "image-changed"
        with pytest.raises(InFaultError):
            device.unload()
    assert bench.status()["crashes"] == 0


def test_attestation_reads_the_entire_chip(chip: TableAt) -> None:
    at = chip("carousel-38")
    folder = Path(at.bench.folder)
    whole = (folder / "micropython.img").read_bytes() + (folder / "flash.img").read_bytes()
    at.device.close()
    answer = asked(at.bench)
    assert agrees(at.bench.key, answer, from_read_out(whole))
    at.device = at.open()


def test_questions_without_a_pause_meet_a_collection_less_than_once_in_a_hundred(
    tmp_path: Path,
) -> None:
    """A collection takes twice as long as a reply. It runs more often if a question leaves more
    garbage or if more code stays in memory."""
    need_the_chip()
    stand = Stand("carousel-38", tmp_path)
    try:
        stand.start()
        stand.ask(m.PROVISION, KEY)
        stand.rest(500)
        host = Asking(stand)
        host.begin()
        host.ask("status")  # the first question of a session is slow, too
        stand.rest(500)
        times = [host.takes("status") for _ in range(330)]
        free = host.ask("counters")["free_heap"]
    finally:
        stand.close()
    assert free >= FREE_HEAP
    collected = [at for at, time in enumerate(times) if time > SPARE * QUESTION]
    assert len(collected) > 1, "the heap was not full twice: ask more questions"
    between = [later - earlier for earlier, later in pairwise(collected)]
    assert min(between) > QUESTIONS_A_COLLECTION, between


def test_measured_time_ends_with_the_last_report_of_the_board(chip: TableAt) -> None:
    """A slow host computer asks for the time long after the board's report."""
    at = chip("carousel-38")

    def ask() -> None:
        at.device.status()
        at.bench.advance(5000)

    assert 0 < took(at.bench, ask) < 1000


def test_host_that_reads_no_replies_delays_the_board_by_at_most_an_erase(
    tmp_path: Path,
) -> None:
    """It sends without reading: the USB port's buffer is full after a few replies."""
    need_the_chip()
    stand = Stand("carousel-38", tmp_path)
    hello = m.pack(m.FRAMES[m.HELLO][1], (m.VERSION, m.fingerprint(), bytes(16)))
    try:
        stand.start()
        stand.board.request(reads=False)
        stand.board.wait_for_answer()
        for _ in range(14):
            stand.run(frame.encode(struct.pack("<BI", m.HELLO, 0) + hello))
            stand.rest(100)
        assert stand.gap < GAP
        stand.board.request(reads=True)
        stand.board.wait_for_answer()
        stand.rest(100)
        stand.ask(m.HELLO, hello)
    finally:
        stand.close()


def test_ejector_stops_before_the_next_card_under_constant_questions(
    chip: TableAt, tmp_path: Path
) -> None:
    """The model's next card arrives at least 35 ms after the card that has passed the exit."""
    at = loaded(chip("carousel-38"))
    at.do("vcd", to=str(tmp_path / "pins.vcd"))
    at.device.begin_round()
    for _ in range(4):
        at.device.deal()
        for _ in range(60):  # without a pause, until the chute is full again
            at.device.status()
    at.bench.settle()
    at.do("vcd")
    lines = lines_of((tmp_path / "pins.vcd").read_text())
    stands = [moment for moment, level in lines["GP7_eject"] if not level]
    passed = [moment for moment, level in lines["GP14_exit"] if not level]
    took = [stop - max(then for then in passed if then < stop) for stop in stands if stop]
    assert len(took) == 4
    assert max(took) < 30_000  # microseconds; a bouncing sensor uncovers more than once


def _pauses(line: list[tuple[int, int]], direction: list[tuple[int, int]]) -> dict[bool, list[int]]:
    """Return the microseconds without a pulse between two legs of a turn, by change of direction.

    The key is whether the wheel reverses.
    """
    pulses = [moment for moment, level in line if level]
    changes = [moment for moment, _ in direction]
    found: dict[bool, list[int]] = {False: [], True: []}
    for before, after in pairwise(pulses):
        if WITHIN_A_LEG < after - before < BETWEEN_TURNS:
            found[bisect(changes, before) != bisect(changes, after)].append(after - before)
    return found


def test_pauses_between_legs_do_not_leak_reversals_of_the_wheel(
    chip: TableAt, tmp_path: Path
) -> None:
    """They last some milliseconds, as the main loop allows; on a bench they take no time."""
    at = loaded(chip("carousel-38"))
    at.do("vcd", to=str(tmp_path / "pins.vcd"))
    for _ in range(20):
        at.device.deal()
    at.bench.return_cards()
    at.bench.settle()
    at.do("vcd")
    lines = lines_of((tmp_path / "pins.vcd").read_text())
    pauses = _pauses(lines["GP2_turn_step"], lines["GP3_turn_direction"])
    assert min(map(len, pauses.values())) > 50
    assert ks_2samp(pauses[False], pauses[True]).pvalue > 1e-6


@pytest.mark.soak
@pytest.mark.parametrize("machine", ["carousel-38", "drum-60", "shelves-10"])
def test_no_card_is_lost_with_the_longest_allowed_erases(chip: TableAt, machine: str) -> None:
    at = chip(machine)
    at.do("erases", milliseconds=400)
    loaded(at)
    at.device.begin_round()
    dealt = [str(at.device.deal().card) for _ in range(20)]
    assert dealt == [card["card"] for card in at.bench.cards()["outside"]]
    at.check_counts()


@pytest.mark.soak
def test_evening_of_a_hundred_rounds_completes(
    chip: TableAt, capsys: pytest.CaptureFixture[str]
) -> None:
    """Memory is measured with twelve cards outside and a journal's head taken in."""
    at = loaded(chip("carousel-38"))
    memory = []
    for _ in range(100):
        at.device.begin_round(head=bytes(32))
        for _ in range(12):
            at.device.deal()
        memory.append(at.device.counters())
        at.bench.return_cards()
        at.bench.settle()
    free, block = (min(getattr(c, n) for c in memory) for n in ("free_heap", "largest_block"))
    with capsys.disabled():
        print(f"\na hundred rounds: at worst {free:,} bytes free, {block:,} or more in one piece")
    assert free >= FREE_HEAP
    assert block >= m.MAX_FRAME
    assert memory[0].free_heap - free <= HEAP_TOLERANCE
    assert at.status().inside == 52
    at.check_counts()


@pytest.mark.soak
@pytest.mark.timeout(43_200)
def test_board_is_unchanged_after_a_day(chip: TableAt) -> None:
    """The sample ring wraps 85,000 times, and a card is dealt each hour."""
    at = loaded(chip("carousel-38"))
    for _ in range(24):
        at.bench.do("advance", milliseconds=3_600_000, timeout=7200)
        at.device.begin_round()
        at.device.deal()
        at.bench.return_cards()
        at.bench.settle()
    assert at.bench.status()["starts"] == 1
    at.check_counts()


def test_command_runs_a_custom_machine_file_and_records_its_pins(
    chip: TableAt, tmp_path: Path
) -> None:
    """It has another size and a sensor on another pin, as shown in docs/how-to/emulated-chip.md."""
    text = find("carousel-44").file.read_text()
    for shipped, own in (
        ('name = "carousel-44"', 'name = "my-machine"'),
        ("count = 44", "count = 40"),
        ("most = 8", "most = 7"),
        ("cut = 18", "cut = 22"),
    ):
        assert shipped in text
        text = text.replace(shipped, own)
    (tmp_path / "my-machine.toml").write_text(text)
    pins = tmp_path / "pins.vcd"
    command = [sys.executable, "-m", "cutcard.cli.main", "chip", "my-machine.toml", "--json"]
    command += ["--decks", "1", "--vcd", "pins.vcd"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path) as running:
        assert running.stdout is not None
        said = json.loads(running.stdout.readline())
        key = bytes.fromhex(Path(said["key_file"]).read_text())
        with Shuffler.open(said["port"], key=key) as device:
            assert device.status().fault is None
        running.terminate()
        assert running.wait(60) == 0
    assert said["machine"] == "my-machine"
    assert "GP22_cut" in pins.read_text()


def test_saved_moment_can_be_restored_repeatedly(chip: TableAt) -> None:
    """This restores board, flash and cards; the host opens the port again."""
    at = chip("carousel-38")
    before = at.device.witness()
    at.do("keep", name="new")
    for _ in range(2):
        at.bench.put(1)
        at.device.begin_round(head=bytes(32))
        assert at.counts()["tray"] == 52
        assert at.device.witness() != before
        at.device.close()
        at.do("recall", name="new")
        at.events.clear()
        at.device = at.open()
        assert at.counts()["tray"] == 0
        assert at.device.witness() == before


def test_person_can_read_registers_memory_and_pins(chip: TableAt) -> None:
    at = chip("carousel-38")
    at.bench.settle()
    assert at.do("registers")["pc"].startswith(("0x1", "0x2", "0x0"))  # flash, memory or boot ROM
    assert at.do("peek", address="0x40058000")["words"] != ["0x00000000"]  # the watchdog runs
    assert at.do("pins")["GP13 home"] == 1
    with pytest.raises(BenchError, match="multiple of 4"):
        at.do("peek", address="0x40058001")


def test_saved_board_continues_in_another_process(blank: Bench, tmp_path: Path) -> None:
    """This includes its memory, its clocks, and the state of its USB port."""
    folder = Path(blank.folder)
    files = (folder / "micropython.img", folder / "flash.img")
    first, second = Emulator(), Emulator()
    try:
        first.power_on(files, bytes(8))
        typed(first, "", until=900_000, noise=bytes(1 << 16))
        typed(first, "import time; then = time.ticks_ms(); secret = 6 * 7\r\n", until=1_000_000)
        first.save(tmp_path / "board")
        second.power_on(files, bytes(8), tmp_path / "board")
        answer = typed(second, "print(secret, time.ticks_ms() - then)\r\n", until=1_100_000)
    finally:
        first.close()
        second.close()
    secret, passed = answer.splitlines()[1].split()
    assert secret == "42"
    assert 90 <= int(passed) <= 110


def typed(board: Emulator, text: str, until: float, **more: bytes) -> str:
    """Return the USB output until that time, in microseconds."""
    said, now = b"", 0.0
    more["usb"] = text.encode()
    while now < until:
        board.request(until=until, **more)
        more = {}
        answer = board.wait_for_answer()
        said, now = said + answer.usb, answer.now
    return said.decode()


def imported_by(name: str) -> set[str]:
    """Return the drivers that a driver's first lines import, directly or indirectly."""
    found = {name}
    for statement in ast.parse((DRIVERS / f"{name}.py").read_text()).body:
        names = [alias.name for alias in getattr(statement, "names", [])]
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""]
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for each in {name for name in names if (DRIVERS / f"{name}.py").exists()} - found:
                found |= imported_by(each)
    return found


DRIVERS = SOURCES / "boards" / "rp2"


def test_every_driver_is_loaded_on_the_chip_in_these_tests() -> None:
    """This counts the drivers that a start imports immediately, for each board started here: with
    cards, with a panel, and sealed. An attestation reads `chip`."""
    started = ["running", "board", "card_wiring", "panel_wiring", "answering"]
    reached = set().union(*map(imported_by, started))
    assert reached | {"chip"} == {file.stem for file in DRIVERS.glob("*.py")}
