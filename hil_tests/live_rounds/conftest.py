"""Live tables on the bench; the fixture checks the balance of each at the end of its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cutcard.bench.client import Bench
from hil_tests.live_rounds.live_table import Evening, Filled


@pytest.fixture
def live(
    fresh_bench: Callable[..., Bench], filled: Filled | None, tmp_path: Path
) -> Iterator[Callable[..., Evening]]:
    opened: list[Evening] = []

    def at(machine: str, rulebook: str, decks: int = 4, **sign: Any) -> Evening:
        bench = fresh_bench(machine, 1)
        opened.append(Evening(bench, rulebook, tmp_path, decks, filled=filled, **sign))
        return opened[-1]

    yield at
    for evening in opened:
        try:
            evening.check()
        finally:
            evening.close()
