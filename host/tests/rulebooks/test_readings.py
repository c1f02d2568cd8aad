"""Every numbered reading has an effect: a case shows it, and cites it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cutcard.cases.runner import CaseReport, run_file
from cutcard.engine.results import results
from cutcard.rulebooks.readings import Reading, readings

CASES = Path(__file__).parents[2] / "cutcard" / "cases" / "library"

# The tests of the meters show seven aces of one suit in a game of six decks. A cut is not part
# of a round: the tests of the cut show it.
WITHOUT_A_CASE = {"crown-several-suited-aces", "cut-designated-player-gone"}


def shown() -> list[Reading]:
    return [entry for entry in readings().values() if entry.name not in WITHOUT_A_CASE]


def cited(report: CaseReport) -> Iterator[str]:
    assert report.round is not None
    for wager in results(report.round):
        yield from wager.rules
    for ruling in report.round.rulings:
        yield from ruling.rules


@pytest.mark.parametrize("entry", shown(), ids=lambda entry: entry.name)
def test_case_of_a_reading_cites_it(entry: Reading) -> None:
    report = run_file(CASES / entry.case)
    assert report.ok, report.malformed or report.differences
    assert entry.citation in cited(report)


def test_readings_without_a_case_state_the_reason() -> None:
    without = [entry for entry in readings().values() if not entry.case]
    assert {entry.name for entry in without} == WITHOUT_A_CASE
    assert all("No case shows it: " in entry.text + entry.why for entry in without)
