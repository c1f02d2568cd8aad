"""The pytest plugin of cutcard, which pytest loads by the entry point of the installed package."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from cutcard.bench.client import Bench
from cutcard.chip.host_load import crowd
from cutcard.devices import (
    AnyDevice,
    Controller,
    Event,
    Shoe,
    Shuffler,
    handshake,
    open_device,
    ports,
)
from cutcard.devices.any_device import KINDS
from cutcard.devices.deadline import EMULATED, use_emulated_board_time
from cutcard.devices.errors import BadPortError
from cutcard.machines import find
from cutcard.testing.artefacts import Artefacts, note_result
from cutcard.testing.bench_device import RETRY_SECONDS, BenchDevice, Fillings, PointedShoe

__all__ = ["Benches", "kind_of"]

BENCH, CHIP, BOARD = "bench", "chip", "board"
CHIP_STARTS = 600.0  # seconds for the start of an emulated board, on a free core


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--port",
        default=BENCH,
        help="bench; chip: for the emulated board on it; or a port string such as /dev/ttyACM0",
    )
    parser.addoption(
        "--artefacts",
        metavar="FOLDER",
        help="write the frames, events, journals and (on chip:) pins of each failed test here",
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Remember a failure before the fixtures end, which then write the artefacts."""
    outcome = yield
    note_result(item, outcome.get_result())


def pytest_configure(config: pytest.Config) -> None:
    """Reject a `--port` without a device: otherwise its tests would be skipped."""
    text: str = config.getoption("port")
    if kind_of(config) != BOARD:
        return
    try:
        ports.parse(text)
    except BadPortError as error:
        raise pytest.UsageError(f"--port: {error}") from error
    if text.startswith("/") and not Path(text).exists():
        raise pytest.UsageError(
            f"--port: {text} does not exist. Check that the board is plugged in; "
            "`cutcard devices` lists the boards on this computer."
        )


class Benches:
    """One process for each machine and worker, started on first use.

    `kind` is `bench`, or `chip` for an emulated board.
    """

    def __init__(self, kind: str = BENCH) -> None:
        self.kind = kind
        self._running: dict[str, Bench] = {}
        self._fresh: set[str] = set()  # machines used by the present test
        # A deck takes an emulated board half a minute of its time, so it is loaded once.
        self.fillings: Fillings | None = {} if kind == CHIP else None

    @property
    def board(self) -> str:
        """Return the board for which an image must be built to start there."""
        return "rp2" if self.kind == CHIP else "bench"

    @property
    def pace(self) -> float:
        """Return the seconds of this computer for one of the device's seconds."""
        return EMULATED if self.kind == CHIP else 1.0

    @property
    def retry(self) -> float:
        """Return the device's seconds after which an unanswered frame is repeated."""
        return handshake.RETRY_SECONDS if self.kind == CHIP else RETRY_SECONDS

    def start(self, machine: str = "carousel-38", **settings: Any) -> Bench:
        """Start a bench that the caller ends."""
        if self.kind == CHIP:
            settings.setdefault("timeout", CHIP_STARTS * crowd())
        return Bench.start(machine, module=f"cutcard.{self.kind}", **settings)

    def fresh(self, machine: str, seed: int) -> Bench:
        """Return a device that has never run: blank flash, a new key and a new seed."""
        if machine in self._running:
            self._running[machine].factory(seed)
        else:
            self._running[machine] = self.start(machine, seed=seed)
        self._fresh.add(machine)
        return self._running[machine]

    def longest_gap(self) -> float:
        """Return the milliseconds of the longest time between two reads of the pins, since the last
        call.

        A bench's clock does not move during the device's work, so it reports 0.
        """
        asked_for, self._fresh = self._fresh, set()
        gaps = [self._running[machine].status()["longest_gap"] for machine in asked_for]
        return max(gaps, default=0.0)

    def close(self) -> None:
        for bench in self._running.values():
            bench.close()


def kind_of(config: pytest.Config) -> str:
    """Return `bench` or `chip` if a simulated person is available, else `board`."""
    port: str = config.getoption("port")
    return {BENCH: BENCH, "bench:": BENCH, CHIP: CHIP, "chip:": CHIP}.get(port, BOARD)


@pytest.fixture(scope="session")
def benches(request: pytest.FixtureRequest) -> Iterator[Benches]:
    """Return the benches of this worker; they end with the session."""
    kind = kind_of(request.config)
    if kind == CHIP:
        use_emulated_board_time()
    running = Benches(CHIP if kind == CHIP else BENCH)
    yield running
    running.close()


@pytest.fixture
def fresh_bench(request: pytest.FixtureRequest, benches: Benches) -> Callable[..., Bench]:
    """Return a function that gives a bench by machine and seed, without a driver. Skipped on a
    board."""
    if kind_of(request.config) == BOARD:
        pytest.skip("needs hands: cards, sensors and power are worked by the person at the bench")
    return benches.fresh


@pytest.fixture
def artefacts(request: pytest.FixtureRequest) -> Artefacts | None:
    """Return the records of this test; None without `--artefacts`."""
    folder = request.config.getoption("artefacts")
    return Artefacts(Path(folder), request.node) if folder else None


@pytest.fixture
def bench_device(
    fresh_bench: Callable[..., Bench], benches: Benches, artefacts: Artefacts | None
) -> Iterator[Callable[..., BenchDevice[Any]]]:
    """Return a function that puts a machine on the bench, by its name or its file.

    At the end it checks for crashes and leaks. Only one machine exists at a time: the previous one
    is ended.
    """
    opened: list[BenchDevice[Any]] = []

    def at(machine: str, seed: int = 1, entropy: int = 0) -> BenchDevice[Any]:
        while opened:
            opened.pop().end()
        kind = KINDS[find(machine).kind]
        if kind is Shoe and benches.kind == CHIP:
            kind = PointedShoe
        bench = fresh_bench(machine, seed)
        if artefacts is not None and benches.kind == CHIP:
            bench.do("vcd", to=str(artefacts.pins.resolve()))
        tap = artefacts.tap if artefacts is not None else None
        opened.append(
            BenchDevice(bench, kind, entropy, benches.retry, fillings=benches.fillings, tap=tap)
        )
        return opened[-1]

    yield at
    if artefacts is not None and opened:
        if benches.kind == CHIP:
            opened[-1].bench.do("vcd")
        artefacts.keep(opened[-1].events)
    while opened:
        opened.pop().end()


@pytest.fixture
def shuffler(bench_device: Callable[..., BenchDevice[Shuffler]]) -> BenchDevice[Shuffler]:
    """Return a carousel with one deck in it."""
    return bench_device("carousel-38").fill()


@pytest.fixture
def shoe(bench_device: Callable[..., BenchDevice[Shoe]]) -> BenchDevice[Shoe]:
    """Return a shoe with one deck in it, reported to its device."""
    return bench_device("shoe-8").fill()


@pytest.fixture
def controller(bench_device: Callable[..., BenchDevice[Controller]]) -> BenchDevice[Controller]:
    """Return a controller for four tables, without prizes."""
    return bench_device("controller-4")


@pytest.fixture
def device(request: pytest.FixtureRequest, artefacts: Artefacts | None) -> Iterator[AnyDevice]:
    """Yield the driver of the device at `--port`, for tests without manual actions.

    Without a port, use a new carousel on the bench.
    """
    port = request.config.getoption("port")
    if kind_of(request.config) != BOARD:
        there = request.getfixturevalue("bench_device")("carousel-38")
        yield there.device
    else:
        events: list[Event] = []
        tap = artefacts.tap if artefacts is not None else None
        with open_device(port, record=events.append, tap=tap) as found:
            yield found
        if artefacts is not None:
            artefacts.keep(events)
