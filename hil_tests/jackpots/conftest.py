"""Live tables with a jackpot; the fixture checks the balance of each at the end of its test."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cutcard.bench.client import Bench
from hil_tests.jackpots.jackpot_table import ButtonTable, button_table
from hil_tests.jackpots.meter_table import MeterTable, meter_table
from hil_tests.live_rounds.live_table import Filled


@pytest.fixture
def with_button(
    fresh_bench: Callable[..., Bench], filled: Filled | None, tmp_path: Path
) -> Iterator[Callable[..., ButtonTable]]:
    opened: list[ButtonTable] = []

    def at(machine: str, rulebook: str, bet: str, choice: str = "") -> ButtonTable:
        while opened:
            opened.pop().end()
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        benches = fresh_bench("controller-4", 1), fresh_bench(machine, 1)
        opened.append(button_table(*benches, rulebook, bet, choice, folder, filled))
        return opened[-1]

    yield at
    while opened:
        opened.pop().end()


@pytest.fixture
def with_meter(
    fresh_bench: Callable[..., Bench], filled: Filled | None, tmp_path: Path
) -> Iterator[Callable[..., MeterTable]]:
    opened: list[MeterTable] = []

    def at(bet: str, one_in: int = 0) -> MeterTable:
        benches = fresh_bench("controller-4", 1), fresh_bench("shoe-8", 1)
        opened.append(meter_table(*benches, bet, one_in, tmp_path, filled))
        return opened[-1]

    yield at
    while opened:
        opened.pop().end()
