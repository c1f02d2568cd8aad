"""A pytest plugin: `pytest_plugins = ["cutcard.testing.plugin"]` in the topmost conftest.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cutcard.bench.client import Bench
from cutcard.devices import AnyDevice, Controller, Shoe, Shuffler, open_device
from cutcard.devices.any_device import KINDS
from cutcard.machines import find
from cutcard.testing.bench_device import BenchDevice

__all__ = ["Benches"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--port", default="bench", help="bench, or a port string such as /dev/ttyACM0")


class Benches:
    """One process for each machine and worker, started when it is first needed."""

    def __init__(self) -> None:
        self._running: dict[str, Bench] = {}

    def fresh(self, machine: str, seed: int) -> Bench:
        """A device that has never run: blank flash, a key and a seed of its own."""
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
    """The benches of this worker; they end with the session."""
    running = Benches()
    yield running
    running.close()


@pytest.fixture
def fresh_bench(request: pytest.FixtureRequest, benches: Benches) -> Callable[..., Bench]:
    """A bench by machine and seed, without a driver. Skipped on a board, which has no hands."""
    if request.config.getoption("port") != "bench":
        pytest.skip("needs hands: cards, sensors and power are worked by the person at the bench")
    return benches.fresh


@pytest.fixture
def bench_device(
    fresh_bench: Callable[..., Bench],
) -> Iterator[Callable[..., BenchDevice[Any]]]:
    """Puts a machine on the bench, by its name or its file; at the end looks for crashes and
    leaks. One at a time: the one before is ended."""
    opened: list[BenchDevice[Any]] = []

    def at(machine: str, seed: int = 1, entropy: int = 0) -> BenchDevice[Any]:
        while opened:
            opened.pop().end()
        kind = KINDS[find(machine).kind]
        opened.append(BenchDevice(fresh_bench(machine, seed), kind, entropy))
        return opened[-1]

    yield at
    while opened:
        opened.pop().end()


@pytest.fixture
def shuffler(bench_device: Callable[..., BenchDevice[Shuffler]]) -> BenchDevice[Shuffler]:
    """A carousel with one deck in it."""
    return bench_device("carousel-38").fill()


@pytest.fixture
def shoe(bench_device: Callable[..., BenchDevice[Shoe]]) -> BenchDevice[Shoe]:
    """A shoe with one deck in it, known by its device."""
    return bench_device("shoe-8").fill()


@pytest.fixture
def controller(bench_device: Callable[..., BenchDevice[Controller]]) -> BenchDevice[Controller]:
    """A controller for four tables, without prizes yet."""
    return bench_device("controller-4")


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[AnyDevice]:
    """The driver of the device at `--port`, for tests that need no hands; of a fresh carousel
    where no port was given."""
    port = request.config.getoption("port")
    if port == "bench":
        there = request.getfixturevalue("bench_device")("carousel-38")
        yield there.device
    else:
        with open_device(port) as found:
            yield found
