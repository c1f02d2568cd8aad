"""Tests against a real device: the bench by default, or a board with `--port /dev/ttyACM0`.

On a board only the tests of the wire run: whatever puts cards in, jams them or cuts the power
needs hands, and is skipped by name. Each worker keeps one bench a machine; every test gets a
device that is new, and fails if the firmware crashed or leaked heap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cutcard.bench.client import Bench
from cutcard.devices import Controller, Shoe, Shuffler
from cutcard.devices.device import Device
from cutcard.machines import find
from hil_tests.line import Line
from hil_tests.table import Table

KINDS: dict[str, type[Device]] = {kind.KIND: kind for kind in (Shuffler, Shoe, Controller)}
MACHINES = {"carousel": "carousel-38", "slots": "drum-60", "shelves": "shelves-10"}

PRIZES = "1 1000\n2 100\n3 5\n"  # six prizes for each $1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--port", default="bench", help="bench, or a port string such as /dev/ttyACM0")


class Benches:
    """One process a machine and worker, started when it is first needed."""

    def __init__(self) -> None:
        self._running: dict[str, Bench] = {}

    def fresh(self, machine: str, seed: int) -> Bench:
        if machine in self._running:
            self._running[machine].factory(seed)
        else:
            self._running[machine] = Bench.start(machine, seed=seed)
        return self._running[machine]

    def close(self) -> None:
        for bench in self._running.values():
            bench.close()


@pytest.fixture(scope="session")
def benches() -> Iterator[Benches]:
    running = Benches()
    yield running
    running.close()


@pytest.fixture
def fresh_bench(request: pytest.FixtureRequest, benches: Benches) -> Callable[..., Bench]:
    if request.config.getoption("port") != "bench":
        pytest.skip("needs hands: cards, sensors and power are worked by the person at the bench")
    return benches.fresh


@pytest.fixture
def table(fresh_bench: Callable[..., Bench]) -> Iterator[Callable[..., Table[Any]]]:
    """Opens a table at a machine; at the end looks for crashes and leaks."""
    opened: list[Table[Any]] = []

    def at(machine: str, seed: int = 1, entropy: int = 0) -> Table[Any]:
        while opened:
            opened.pop().end()
        machine = MACHINES.get(machine, machine)
        kind = KINDS[find(machine).kind]
        opened.append(Table(fresh_bench(machine, seed), kind, entropy))
        return opened[-1]

    yield at
    while opened:
        opened.pop().end()


@pytest.fixture
def shuffler(table: Callable[..., Table[Shuffler]]) -> Table[Shuffler]:
    """A carousel with one deck in it."""
    return loaded(table("carousel"))


@pytest.fixture
def shoe(table: Callable[..., Table[Shoe]]) -> Table[Shoe]:
    """A shoe with one deck in it, known by its device."""
    return loaded(table("shoe-8"))


@pytest.fixture
def controller(table: Callable[..., Table[Controller]]) -> Table[Controller]:
    """A controller whose tables 1 and 2 have prizes."""
    there = table("controller-4")
    there.device.set_prizes(1, PRIZES)
    there.device.set_prizes(2, PRIZES)
    there.bench.settle()
    return there


def loaded(there: Table[Any], decks: int = 1, pack: int = 52) -> Table[Any]:
    there.bench.put(decks, pack)
    there.bench.settle()
    if there.kind is Shoe:
        there.device.stack(decks, pack)
    else:
        there.device.load(decks, pack)
    return there


@pytest.fixture
def line(request: pytest.FixtureRequest, benches: Benches) -> Iterator[Line]:
    """The wire itself, byte by byte, to a bench or a board."""
    port = request.config.getoption("port")
    there = Line.to_bench(benches.fresh("carousel-38", 1)) if port == "bench" else Line(port)
    yield there
    there.check()
    there.close()
