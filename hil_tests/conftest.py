"""Hardware-in-the-loop tests: on the bench by default, on an emulated board with `--port chip:`, or
on a board with `--port /dev/ttyACM0`.

On a board only the tests of the wire run. Tests that insert cards, cause jams or cut the power need
manual actions and are skipped by name. The fixtures are those of `cutcard.testing.plugin`: each
test gets a new device, and fails if the firmware crashed or leaked heap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cutcard.devices import Controller
from cutcard.testing.plugin import BOARD, CHIP, Benches, kind_of
from hil_tests.chip_parts import GAP, need_the_chip
from hil_tests.flashed import FlashedBench, Maker
from hil_tests.line import RawLine
from hil_tests.live_rounds.live_table import Filled
from hil_tests.table import Table

MACHINES = {"carousel": "carousel-38", "slots": "drum-60", "shelves": "shelves-10"}

PRIZES = "1 1000\n2 100\n3 5\n"  # six prizes for each $1


@pytest.fixture(scope="session", autouse=True)
def _parts_of_the_chip(request: pytest.FixtureRequest) -> None:
    """Require the parts of the emulated chip if the tests run on it."""
    if kind_of(request.config) == CHIP:
        need_the_chip()


@pytest.fixture(autouse=True)
def _looks_at_its_pins_often(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test on the emulated chip if the pins were not read for half a second."""
    if kind_of(request.config) != CHIP:
        yield
        return
    benches = request.getfixturevalue("benches")
    yield
    assert benches.longest_gap() < GAP


@pytest.fixture(scope="session")
def filled(benches: Benches) -> Filled | None:
    """Return the tables of this worker with a filled machine, where filling takes long; else
    None."""
    return {} if benches.kind == CHIP else None


@pytest.fixture
def table(bench_device: Callable[..., Table[Any]]) -> Callable[..., Table[Any]]:
    """Open a table at a machine, or at the default machine of a mechanism."""

    def at(machine: str, seed: int = 1, entropy: int = 0) -> Table[Any]:
        return bench_device(MACHINES.get(machine, machine), seed, entropy)

    return at


@pytest.fixture
def controller(table: Callable[..., Table[Controller]]) -> Table[Controller]:
    """Return a controller with prizes for tables 1 and 2."""
    there = table("controller-4")
    there.device.set_prizes(1, PRIZES)
    there.device.set_prizes(2, PRIZES)
    there.bench.settle()
    return there


@pytest.fixture(scope="module")
def maker(benches: Benches, tmp_path_factory: pytest.TempPathFactory) -> Maker:
    """Return a maker with a new set of keys that builds images."""
    return Maker(tmp_path_factory.mktemp("keys"), benches.board)


@pytest.fixture(scope="module")
def flashed(
    benches: Benches, maker: Maker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FlashedBench]:
    made = FlashedBench(tmp_path_factory.mktemp("flashed"), maker.image(2), benches.start)
    yield made
    made.close()


@pytest.fixture
def board(request: pytest.FixtureRequest, flashed: FlashedBench) -> FlashedBench:
    """Return a device that runs a newly flashed image of the maker."""
    if kind_of(request.config) == BOARD:
        pytest.skip("needs hands: power, cable and files of a board are reached")
    return flashed.renew()


@pytest.fixture
def alike(benches: Benches) -> None:
    """Skip on the chip: its draws depend on the time of each request, and its clock always runs."""
    if benches.kind == CHIP:
        pytest.skip("compares two devices that are alike to the last sample: only a bench has them")


def loaded(there: Table[Any], decks: int = 1, pack: int = 52) -> Table[Any]:
    return there.fill(decks, pack)


@pytest.fixture
def line(request: pytest.FixtureRequest, benches: Benches) -> Iterator[RawLine]:
    """Return a raw connection, byte by byte, to a bench or a board."""
    if kind_of(request.config) == BOARD:
        there = RawLine(request.config.getoption("port"))
    else:
        there = RawLine.to_bench(benches.fresh("carousel-38", 1))
    yield there
    there.check()
    there.close()
