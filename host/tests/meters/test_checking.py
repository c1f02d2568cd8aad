"""`check` holds an untouched ledger for good, and says where it is not the one that was noted."""

from __future__ import annotations

import pytest

from cutcard.meters import Meters
from tests.meters.evening import Clockwork, play


@pytest.fixture
def evening(where: str) -> Meters:
    clock = Clockwork()
    meters = Meters.open(where, clock, create=True)
    play(meters, clock)
    return meters


def test_a_ledger_written_anew_does_not_hold_what_was_noted(evening: Meters) -> None:
    with evening:
        noted = evening.history()[40]
        assert not evening.check(f"{noted.number}:{noted.hash}").problems
        (problem,) = evening.check(f"{noted.number}:{'0' * 64}").problems
    assert "is not the one that was noted" in problem
