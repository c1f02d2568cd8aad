"""`check` accepts an unchanged ledger, and reports each change in a changed one."""

from __future__ import annotations

import pytest

from cutcard.meters import Meters, checking
from tests.meters.evening import Clockwork, play


@pytest.fixture
def evening(where: str) -> Meters:
    clock = Clockwork()
    meters = Meters.open(where, clock, create=True)
    play(meters, clock)
    return meters


def test_rewritten_ledger_lacks_the_noted_entry(evening: Meters) -> None:
    with evening:
        noted = evening.history()[40]
        assert not evening.check(f"{noted.number}:{noted.hash}").problems
        (problem,) = evening.check(f"{noted.number}:{'0' * 64}").problems
    assert "it is another ledger, or was changed" in problem


def test_check_of_a_long_ledger_reports_progress(
    evening: Meters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRESS_EVERY", 30)
    progress: list[tuple[int, int]] = []
    with evening:
        evening.check(on_progress=lambda done, all: progress.append((done, all)))
    assert [done // 30 for done, _ in progress] == [1, 2]
    assert {all for _, all in progress} == {74}
