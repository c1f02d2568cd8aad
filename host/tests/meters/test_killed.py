"""A process is killed before or after any commit of an evening; no change is lost."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from cutcard.meters import Meters
from cutcard.meters.checking import LedgerCheck
from cutcard.meters.ledger import LedgerEntry
from tests.meters.databases import schema
from tests.meters.evening import CLOSING, OPENING, PLAY, process
from tests.meters.forks import FORKS

NEVER = -1
SCHEMA = 1  # the tables first; then each step is one commit
POINTS = 2 * (SCHEMA + len(OPENING) + len(PLAY) + len(CLOSING))


@pytest.fixture(params=["sqlite", "postgresql"])
def addresses(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield empty databases."""
    server = request.getfixturevalue("postgresql") if request.param == "postgresql" else None
    tag = tmp_path.name.replace("-", "_")
    return (
        schema(server, f"killed_{tag}_{number}") if server else str(tmp_path / f"{number}.sqlite")
        for number in count()
    )


def run(where: str, log: Path, die_at: int) -> int | None:
    child = FORKS.Process(target=process, args=(where, log, die_at))
    child.start()
    child.join()
    return child.exitcode


def look(where: str) -> tuple[list[LedgerEntry], LedgerCheck]:
    with Meters.open(where) as meters:
        return meters.history(), meters.check()


@pytest.mark.parametrize(
    "one_in", [6, pytest.param(1, marks=pytest.mark.soak)], ids=["some", "all"]
)
def test_evening_ends_the_same_after_a_kill_at_any_commit(
    addresses: Iterator[str], tmp_path: Path, one_in: int
) -> None:
    undisturbed = next(addresses)
    assert run(undisturbed, tmp_path / "undisturbed", NEVER) == 0
    log = (tmp_path / "undisturbed").read_text().split()
    assert log == [str(point) for point in range(POINTS)], "a commit that is not enumerated"
    ledger, found = look(undisturbed)
    assert not found.problems
    for point in range(random.randrange(one_in), POINTS, one_in):
        where = next(addresses)
        assert run(where, tmp_path / f"killed {point}", point) == -signal.SIGKILL
        if point > 1:  # before the commit of the tables, the database is empty
            half, holds = look(where)
            assert not holds.problems, (point, holds.problems)
            assert half == ledger[: len(half)], point
        assert run(where, tmp_path / f"again {point}", NEVER) == 0
        again, holds = look(where)
        assert again == ledger, point
        assert not holds.problems, (point, holds.problems)


def test_evening_pays_by_the_rules(addresses: Iterator[str], tmp_path: Path) -> None:
    where = next(addresses)
    assert run(where, tmp_path / "log", NEVER) == 0
    ledger, found = look(where)
    paid = [entry for entry in ledger if entry.kind == "prize"]
    prizes = [(entry.detail["table"], entry.detail["hand"], int(entry.cents)) for entry in paid]
    tenths = (100_010 + 100_000) // 2  # a tenth of $10,001, and of $10,000 after it
    assert prizes == [
        ("T1", "suited-aces", tenths),
        ("T1", "suited-aces", tenths),
        ("T2", "suited-aces-spades", 1_000_000),
        ("T3", "mystery", 100_500),
        ("T3", "major", 2_000_500),
        ("T3", "minor", 50_500),
        ("T2", "suited-aces-spades", 1_000_100),
    ]
    assert all(sums.lowest is not None and sums.lowest >= 0 for sums in found.meters.values())
