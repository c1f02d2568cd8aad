"""Measure times on the emulated chip, by its own clock, next to their limits.

The emulator's flash never waits, so a board is slower: each time must stay a fifth below its limit.
"""

from __future__ import annotations

import random
import resource
import statistics
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

from cutcard.bench.chip import MICROPYTHON_BLOCKS
from cutcard.bench.client import Bench
from cutcard.bench.flash import BLOCK, FlashImage
from cutcard.chip.emulator import BoardOutput, Emulator
from cutcard.chip.parts import micropython
from cutcard.chip.programming import programmed
from cutcard.devices import deadline
from cutcard.devices.controller import Controller
from cutcard.devices.shuffler import Shuffler
from cutcard.machines import find
from cutcard_firmware.core.devices.sensors import SENSORS
from cutcard_firmware.core.image.attest import WALKING
from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages as m
from hil_tests.chip_parts import GAP, RING
from hil_tests.chip_prompt import Prompt
from hil_tests.conftest import PRIZES
from hil_tests.limits import FREE_HEAP, PRESS, QUESTION, READY, SPARE, WRITE
from hil_tests.line import RawLine

SLOW_ERASE = 400  # milliseconds: the longest erase that the flash's maker allows
PATIENCE = 30_000  # milliseconds by the board's clock
NOISE = 1 << 16
ASKED = 200
COMMANDS = 16  # of a round of three players: its beginning, and 15 cards
# A collection runs once in about 105 questions and takes longer than QUESTION. With this number of
# questions, the 99th percentile is slow only if collections run more often than once in a hundred.
WITHOUT_PAUSE = 2000
LEFT = 20  # blocks, more than two pieces of a scrub
PAUSES = (0, 25, 60)  # milliseconds from a reply to the host's next question
KEY = bytes(range(32))

Add = Callable[[str, str, str, float, bool], None]


class Stand:
    """A board with its flash and a cable, connected to an empty machine at rest.

    Its time passes only in `run`, so a measurement does not depend on the speed or load of this
    computer.
    """

    def __init__(self, machine: str, folder: Path, erase: int = 0) -> None:
        self.micropython = folder / "micropython"
        self.micropython.write_bytes(micropython(MICROPYTHON_BLOCKS * BLOCK))
        image = folder / "flash.img"
        image.write_bytes(programmed(find(machine)).read_bytes())
        self.flash = FlashImage(image, "figures")
        self.erase = erase
        pins = find(machine).pins["pico"]
        self.levels = [[pins[name], int(name == "home")] for name in SENSORS if name in pins]
        self.noise = random.Random(1)
        self.board = Emulator()

    def start(self) -> float:
        """Return the milliseconds from power-up to the reply to a hello sent immediately."""
        self.board.power_on((self.micropython, self.flash.image), b"figures!")
        self.now = 0.0
        self.samples = 0
        self.gap = 0.0
        self.said = b""
        self.shown = False  # the board has the levels of its sensors
        plugged = False
        while not plugged:
            plugged = "plugged" in self.run().events
        fields = (m.VERSION, m.fingerprint(), bytes(16))
        return self.ask(m.HELLO, m.pack(m.FRAMES[m.HELLO][1], fields))

    def ask(self, kind: int, payload: bytes) -> float:
        """Return the milliseconds of the board's time until the reply."""
        self.said = b""
        self.run(frame.encode(struct.pack("<BI", kind, 0) + payload))
        while not self.said.endswith(b"\0") or len(self.said) < 2:
            self.run()
            if self.now > PATIENCE * 1000:
                raise TimeoutError(f"no answer within {PATIENCE} ms")
        return self.now / 1000

    def rest(self, milliseconds: int) -> None:
        until = self.now + milliseconds * 1000
        while self.now < until:
            self.run()

    def run(self, usb: bytes = b"") -> BoardOutput:
        request: dict[str, object] = {"until": self.now + 1000}
        if not self.shown:
            request["pins"] = self.levels
            self.shown = True
        if usb:
            request["usb"] = usb
        if self.erase:
            request["erase"] = self.erase
        if self.samples < NOISE // 2:
            request["noise"] = bytes(byte & 1 for byte in self.noise.randbytes(NOISE))
        self.board.request(**request)
        said = self.board.wait_for_answer()
        self.now, self.samples, self.gap = said.now, said.noise, said.gap / 1000
        self.said += said.usb
        for what, address, content in said.flash:
            block = address // BLOCK - MICROPYTHON_BLOCKS
            if what == "erase":
                self.flash.erase(block)
            else:
                self.flash.program(block, address % BLOCK, content)
        return said

    def close(self) -> None:
        self.board.close()


class Asking(RawLine):
    """A host connected to a board on a stand, which reads each frame when it arrives."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        super().__init__("", KEY)

    def _connect(self) -> None:
        self._line = self  # type: ignore[assignment]
        self._splitter = frame.Splitter()
        self._bodies = []

    def write(self, data: bytes) -> None:
        self.stand.said = b""
        self.stand.run(data)

    def read(self, seconds: float) -> bytes:
        while not self.stand.said:
            self.stand.run()
        said, self.stand.said = self.stand.said, b""
        return said

    def takes(self, name: str, *arguments: int | bytes, identity: int = 0) -> float:
        """Return the milliseconds until the reply."""
        began = self.stand.now
        self.ask(name, *arguments, identity=identity)
        return (self.stand.now - began) / 1000


def starts(add: Add) -> None:
    for erase in (0, SLOW_ERASE):
        for machine in ("carousel-38", "controller-4"):
            with tempfile.TemporaryDirectory() as folder:
                stand = Stand(machine, Path(folder), erase)
                new = stand.start()
                stand.ask(m.PROVISION, KEY)
                stand.rest(500)
                gap = stand.gap
                again = stand.start()
                gap = max(gap, stand.gap)
                stand.close()
            how = f"{machine}, erases of {erase} ms" if erase else machine
            if not erase:
                held(add, f"{how}: power to ready, every byte checked", again, READY)
            add(f"  a new {how} to ready", f"{new:.0f} ms", "", new / READY, True)
            held(add, f"{how}: two starts and its key, longest gap", gap, RING if erase else GAP)


def walks(add: Add) -> None:
    """Measure a scrub of littlefs's leftovers in free blocks, and an attestation of the full
    flash."""
    for erase in (0, SLOW_ERASE):
        with tempfile.TemporaryDirectory() as folder:
            stand = Stand("carousel-38", Path(folder), erase)
            stand.start()
            stand.ask(m.PROVISION, KEY)
            stand.rest(500)
            _leave_something(stand.flash.image)
            stand.start()
            host = Asking(stand)
            host.begin()
            for name, *arguments in (("scrub",), ("challenge", b"n" * 16)):
                host.ask(name, *arguments, identity=host.next_id() if name == "scrub" else 0)
                while host.ask("attested")["progress"] == WALKING:
                    stand.rest(100)
            stand.close()
        how = f", erases of {erase} ms" if erase else ""
        most = RING if erase else GAP
        held(add, f"carousel-38{how}: scrubbed and attested, longest gap", stand.gap, most)


def _leave_something(image: Path) -> None:
    """Fill the last blank blocks."""
    content = bytearray(image.read_bytes())
    blank = [
        at for at in range(0, len(content), BLOCK) if content[at : at + BLOCK] == b"\xff" * BLOCK
    ]
    for at in blank[-LEFT:]:
        content[at] = 0
    with image.open("r+b") as file:
        file.write(content)


def emulator(add: Add) -> None:
    """Measure the processor time of this computer for one emulated second."""
    busy = "import time\nbegan = time.ticks_ms()\nwhile time.ticks_ms() - began < 8000: pass"
    for what, program, seconds in (
        ("computes", busy, 8),
        ("sleeps", "import time\ntime.sleep(60)", 60),
    ):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory() as folder:
            prompt = Prompt(Path(folder), {"work.py": program.encode()})
            prompt.run("import work", seconds=2 * seconds)
            prompt.close()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said = f"{spent / seconds:.2f} s of one core"
        add(f"a second in which the emulated board {what}", said, "", spent / seconds, True)


def presses(add: Add) -> None:
    with _chip("controller-4") as bench, Controller.open(bench.port, key=bench.key) as device:
        device.set_prizes(1, PRIZES)
        times = []
        for box in range(1, 7):
            device.offer(1, 1, box, wager=500)
            times.append(took(bench, lambda: bench.do("press", table=1)))
            device.wait_for_press(1, 1, box)
        held(add, "controller-4: press to signed draw, the slowest of six", max(times), PRESS)
        held(add, "  longest gap of that evening", bench.status()["longest_gap"], GAP)
        heap(add, "controller-4 after six draws", device)


def answers(add: Add) -> None:
    """Measure replies to hosts with different pauses between questions, and to commands that
    write."""
    with tempfile.TemporaryDirectory() as folder:
        stand = Stand("carousel-38", Path(folder))
        stand.start()
        stand.ask(m.PROVISION, KEY)
        stand.rest(500)
        began = stand.now
        host = Asking(stand)
        host.begin()
        host.ask("status")
        session = (stand.now - began) / 1000
        add("carousel-38: a session begins", f"{session:.0f} ms", "", 0, True)
        stand.rest(500)
        for pause in PAUSES:
            times = []
            for _ in range(ASKED if pause else WITHOUT_PAUSE):
                stand.rest(pause)
                times.append(host.takes("status"))
            who = f"of a host that pauses for {pause} ms" if pause else "of one that never pauses"
            at_percentiles(add, f"a question {who}", times, QUESTION)
        first, times = host.next_id(), []
        for identity in range(first, first + ASKED):
            stand.rest(PAUSES[-1])
            times.append(host.takes("round", 1, bytes(32), identity=identity))
        at_percentiles(add, "a command that writes", times, WRITE)
        first = host.next_id()
        numbers = range(first, first + ASKED)
        witnessed = [_with_head(stand, host, identity) for identity in numbers]
        at_percentiles(add, "a command that brings a head of a journal", witnessed, WRITE)
        more = statistics.median(witnessed) - statistics.median(times)
        said = f"{more * COMMANDS:.0f} ms for {COMMANDS} commands"
        add("carousel-38: the chip's work for the journal in a round", said, "", 0, True)
        for which in ("first, which makes the key", "next"):
            signing = host.takes("signed", bytes(32)) / 1000
            add(f"carousel-38: the {which} statement is signed", f"{signing:.1f} s", "", 0, True)
        held(add, "  longest gap of all that", stand.gap, GAP)
        stand.close()


def _with_head(stand: Stand, host: Asking, identity: int) -> float:
    """Return the milliseconds of a numbered command with a head, after a pause."""
    stand.rest(PAUSES[-1])
    return host.takes("witnessed", bytes(32), m.OP["round"], b"\1", identity=identity)


def at_percentiles(add: Add, name: str, times: list[float], most: int) -> None:
    add(f"  {name}, median", f"{statistics.median(times):.1f} ms", "", 0, True)
    at = statistics.quantiles(times, n=100)[98]
    held(add, f"carousel-38: {name}, 99th percentile", at, most)


def cards(add: Add) -> None:
    """Load a deck, and deal some of its cards."""
    with _chip("carousel-38") as bench, Shuffler.open(bench.port, key=bench.key) as device:
        heap(add, "carousel-38 after start", device)
        bench.put(1)
        bench.settle()
        taken = took(bench, lambda: device.load(1))
        add("carousel-38: a deck of 52 is loaded", f"{taken / 1000:.1f} s", "", 0, True)
        device.begin_round()
        times = [took(bench, device.deal) / 1000 for _ in range(20)]
        said = f"{min(times):.1f} to {max(times):.1f} s"
        add("  a card is called, comes and is read: 20 of them", said, "", 0, True)
        heap(add, "carousel-38 with a deck in it", device)
        held(add, "  longest gap of that evening", bench.status()["longest_gap"], GAP)


def took(bench: Bench, act: Callable[[], object]) -> float:
    """Return the milliseconds of the board's time from the start of `act` to its last report.

    The board rests before and after, and at rest no time passes, so the delays of this computer
    between its last report and the next question do not count.
    """
    began = bench.settle()
    act()
    bench.settle()
    return float(bench.status()["last_sent"]) - began


def heap(add: Add, when: str, device: Shuffler | Controller) -> None:
    counters = device.counters()
    add(
        f"{when}: free heap",
        f"{counters.free_heap:,} bytes, a block of {counters.largest_block:,} among them",
        f"{FREE_HEAP:,} bytes, and a block of {m.MAX_FRAME} for a frame",
        counters.free_heap / FREE_HEAP,
        counters.free_heap >= FREE_HEAP and counters.largest_block >= m.MAX_FRAME,
    )


def held(add: Add, name: str, measured: float, target: float) -> None:
    most = SPARE * target
    limit = f"{target:.0f} ms, and {most:.0f} with a fifth to spare"
    add(name, f"{measured:.0f} ms", limit, measured / target, measured <= most)


def _chip(machine: str) -> Bench:
    deadline._pace = deadline.EMULATED
    return Bench.start(machine, seed=1, timeout=600, module="cutcard.chip")
