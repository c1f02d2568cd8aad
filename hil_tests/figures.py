"""Figures of `make bench`, each next to its limit or to a comparable figure.

All come from one run on one computer, so ratios are comparable even where seconds are not.
"""

from __future__ import annotations

import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cutcard.bench.client import Bench, BenchError
from cutcard.bench.firmware import FirmwareError
from cutcard.cli.doctor import program
from cutcard.devices.errors import DeviceError
from cutcard.devices.shuffler import Shuffler
from cutcard.journal import Disk, Journal
from cutcard.machines import find
from hil_tests import chip_figures, flash_wear, image_size, journal_figures, limits, pace
from hil_tests.flashed import FlashedBench, Maker
from hil_tests.limits import CARDS_AN_HOUR, HAND, YEARS

MICROPYTHON = program("micropython") or "micropython"


class ChipFigures:
    def __init__(self) -> None:
        self.table = Table("figure", "measured", "limit or peer", "ratio", box=None)
        self.missed: list[str] = []

    def add(self, name: str, measured: str, peer: str, ratio: float, ok: bool = True) -> None:
        self.table.add_row(
            name, measured, peer, f"{ratio:.2f}" + ("" if ok else "  [red]missed[/]")
        )
        if not ok:
            self.missed.append(name)


def image_sizes(figures: ChipFigures) -> None:
    for machine in image_size.MACHINES:
        in_slot, resident = image_size.sizes(machine)
        for name, measured, most in (
            ("its modules in a slot", in_slot, limits.most_in_slot()),
            ("code that stays in memory", resident, limits.most_resident()),
        ):
            figures.add(
                f"image of a {machine}: {name}",
                f"{measured:,} bytes of .mpy",
                f"{most:,} bytes",
                measured / most,
                measured <= most,
            )


def wear(figures: ChipFigures) -> None:
    """Measure flash erases for each card, dealt singly or in full bins, and the life of the
    flash."""
    erases = flash_wear.erases_a_card("carousel-38", rounds=80)
    blocks, ahead = flash_wear.rotation()
    most = limits.most_erases_a_card(blocks, ahead)
    figures.add(
        "erases a card (out and back in) at 2,400 cards an hour, single cards",
        f"{erases:.3f}",
        f"{most:.3f}, for five years; {limits.ERASES_A_CARD} with the largest image",
        erases / limits.ERASES_A_CARD,
        erases <= min(most, limits.ERASES_A_CARD),
    )
    with tempfile.TemporaryDirectory() as folder:
        before = flash_wear.erases_a_card(str(pace.with_whole_bins(Path(folder))), rounds=80)
    figures.add(
        "  the same with full bins",
        f"{before:.3f}",
        f"{erases:.3f}, single cards",
        before / erases,
    )
    years = YEARS * most / erases
    figures.add(
        "life of the hottest block at 2,400 cards an hour, estimated",
        f"{years:.1f} years ({blocks} blocks take turns, the hottest is {ahead} ahead)",
        f"{YEARS} years",
        years / YEARS,
        years >= YEARS,
    )


def speed(figures: ChipFigures) -> None:
    """Measure cards per second in rounds of three players, and the processor time of each part."""
    with (
        Bench.start("carousel-38", seed=3, decks=6) as bench,
        Shuffler.open(bench.port, key=bench.key) as device,
    ):
        device.load(6)
        clock, worked, began = time.perf_counter(), _cpu(bench), bench.status()["milliseconds"]
        cards = 0
        for _ in range(60):
            device.begin_round(head=os.urandom(32))
            for _ in range(15):
                device.deal()
                cards += 1
            bench.return_cards()
            bench.settle()
        seconds = time.perf_counter() - clock
        interpreter = _cpu(bench) - worked
        virtual = (bench.status()["milliseconds"] - began) / 1000
    figures.add(
        "cards a second through firmware, wire, driver",
        f"{cards / seconds:.0f} (out and back)",
        f"{cards / virtual:.2f}, the machine itself",
        virtual / seconds,
    )
    figures.add(
        "  of that time in the interpreter",
        f"{interpreter:.2f} s",
        f"{seconds:.2f} s in all",
        interpreter / seconds,
    )


def _cpu(bench: Bench) -> float:
    """Return the seconds of processor time that the firmware's interpreter used."""
    pid = bench.status()["pid"]
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def dealing(figures: ChipFigures) -> None:
    """Measure cards an hour, and a hand's waiting time at one card a second, by the board's
    clock."""
    single = find("carousel-38")
    hour, records = pace.cards_an_hour(single, 6, 120)
    with tempfile.TemporaryDirectory() as folder:
        bins = find(str(pace.with_whole_bins(Path(folder))))
        before, records_before = pace.cards_an_hour(bins, 6, 120)
    figures.add(
        "cards an hour, out and back in, single cards",
        f"{hour:,.0f} ({records:.2f} records a card)",
        f"{CARDS_AN_HOUR:,}",
        hour / CARDS_AN_HOUR,
        hour >= CARDS_AN_HOUR,
    )
    figures.add(
        "  the same with full bins, turns as long as they are",
        f"{before:,.0f} ({records_before:.2f} records a card)",
        f"{CARDS_AN_HOUR:,}",
        before / CARDS_AN_HOUR,
    )
    waited = _quantile([float(wait) for wait in pace.waits(single, 6, 300)], 0.99)
    figures.add(
        "wait of a hand that takes a card a second, 99th percentile",
        f"{waited:.0f} ms",
        f"{HAND} ms",
        waited / HAND,
        waited <= HAND,
    )


def round_trip(figures: ChipFigures) -> None:
    """Measure one question and its reply, and an echo of the same bytes by bare MicroPython on a
    pty."""
    with (
        Bench.start("carousel-38", seed=1) as bench,
        Shuffler.open(bench.port, key=bench.key) as device,
    ):
        trips = _times(lambda: device.status(), 1000)
    echo = _echo_times(64, 1000)
    for name, at in (("median", 0.5), ("99th percentile", 0.99)):
        ours, bare = _quantile(trips, at), _quantile(echo, at)
        figures.add(
            f"round trip of one command, {name}",
            f"{ours * 1e6:.0f} us",
            f"{bare * 1e6:.0f} us, a bare echo",
            ours / bare,
        )


def _times(act: Callable[[], object], count: int) -> list[float]:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        act()
        times.append(time.perf_counter() - began)
    return times


def _quantile(times: list[float], at: float) -> float:
    return statistics.quantiles(times, n=100)[round(at * 100) - 1]


def _echo_times(size: int, count: int) -> list[float]:
    master, slave = pty.openpty()
    tty.setraw(slave)
    script = (
        f"import sys\nbuf = bytearray({size})\nwhile True:\n"
        " sys.stdin.buffer.readinto(buf)\n sys.stdout.buffer.write(buf)"
    )
    process = subprocess.Popen([MICROPYTHON, "-c", script], stdin=slave, stdout=slave)
    data = bytes(range(size))

    def once() -> None:
        os.write(master, data)
        left = size
        while left:
            left -= len(os.read(master, left))

    try:
        once()
        return _times(once, count)
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


def opening_a_journal(figures: ChipFigures) -> None:
    """Measure the time to resume a table after few and after many rounds."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = (_journal_of(Path(folder), rounds) for rounds in (10, 10_000))
        times = [statistics.median(_times(partial(_opened, path), 20)) for path in (few, many)]
        size = many.stat().st_size
    figures.add(
        f"opening a journal of 10,000 rounds ({size / 1e6:.0f} MB)",
        f"{times[1] * 1000:.1f} ms",
        f"{times[0] * 1000:.1f} ms, one of 10 rounds; within twice that",
        times[1] / times[0],
        times[1] < 2 * times[0],
    )


def verifying_a_journal(figures: ChipFigures) -> None:
    journal_figures.journal(figures.add)


class _Unsynced(Disk):
    """A disk without sync, for journals that may be lost."""

    def sync(self, file: int) -> None:
        """Do nothing: these journals are only measured."""


def _journal_of(folder: Path, rounds: int) -> Path:
    path = folder / f"{rounds}.journal"
    with Journal(path, disk=_Unsynced()) as journal:
        for number in range(1, rounds + 1):
            for _ in range(40):
                journal.append("event", {"deal": "Th", "to": "box 1"})
            journal.append("settled", {"number": number, "results": [{"net": 1}] * 5})
        journal.append("closed", {})
    return path


def _opened(path: Path) -> None:
    with Journal(path, disk=_Unsynced()):
        pass


def start_to_ready(figures: ChipFigures) -> None:
    with Bench.start("carousel-38", seed=1, decks=6) as bench:
        ours = statistics.median(_times(bench.cycle_power, 20))
    bare = statistics.median(_times(lambda: subprocess.run([MICROPYTHON, "-c", ""]), 20))
    figures.add(
        "start to ready, noise tested",
        f"{ours * 1e3:.0f} ms",
        f"{bare * 1e3:.0f} ms, bare",
        ours / bare,
    )
    with tempfile.TemporaryDirectory() as folder:
        board = FlashedBench(Path(folder), Maker(Path(folder) / "keys").image(1))
        try:
            board.bench.restore_power()
            checked = statistics.median(_times(board.bench.cycle_power, 20))
        finally:
            board.close()
    figures.add(
        "start to ready from a signed image, all of it checked",
        f"{checked * 1e3:.0f} ms",
        f"{ours * 1e3:.0f} ms, from a folder",
        checked / ours,
    )


def chip_starts(figures: ChipFigures) -> None:
    """Measure starts on the emulated chip, by its own clock."""
    chip_figures.starts(figures.add)


def chip_walks(figures: ChipFigures) -> None:
    chip_figures.walks(figures.add)


def chip_emulator(figures: ChipFigures) -> None:
    chip_figures.emulator(figures.add)


def chip_answers(figures: ChipFigures) -> None:
    chip_figures.answers(figures.add)


def chip_cards(figures: ChipFigures) -> None:
    chip_figures.cards(figures.add)


def chip_presses(figures: ChipFigures) -> None:
    chip_figures.presses(figures.add)


def main() -> int:
    console = Console(soft_wrap=True)
    figures = ChipFigures()
    measures: list[Callable[[ChipFigures], None]] = [
        image_sizes,
        opening_a_journal,
        verifying_a_journal,
        round_trip,
        start_to_ready,
        dealing,
    ]
    measures += [wear, speed, chip_emulator, chip_starts, chip_walks]
    measures += [chip_answers, chip_cards, chip_presses]
    for measure in measures:
        name = measure.__name__.replace("_", " ")
        console.print(f"[dim]measuring: {name} ...[/]")
        try:
            measure(figures)
        except (BenchError, DeviceError, FirmwareError, TimeoutError) as error:
            figures.add(name, f"cannot be measured: {error}", "", 0, ok=False)
    console.print(figures.table)
    console.print("missed: " + ", ".join(figures.missed) if figures.missed else "every limit kept")
    return 1 if figures.missed else 0


if __name__ == "__main__":
    sys.exit(main())
