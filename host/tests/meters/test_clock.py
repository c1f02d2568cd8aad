"""After a wrong clock the meters can continue, and its effects are reported."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cutcard.meters.errors import (
    BadTermsError,
    ClockAgreesError,
    ClockImplausibleError,
    ClockRanAheadError,
    ClockWentBackwardsError,
    NoticeTooShortError,
)
from cutcard.meters.groups import NOTICE
from tests.meters.floor import JACKPOTS, Hands

MONTH, YEARS = timedelta(days=31), timedelta(days=3650)
HOUR = timedelta(hours=1)


def test_request_by_a_clock_ten_years_ahead_is_refused(hands: Hands) -> None:
    hands.open("city", "T1")
    before = hands.meters.history()
    hands.watch.wait(YEARS)
    with pytest.raises(ClockRanAheadError, match="cutcard meter clock"):
        hands.meters.deposit("12", 500, "a")
    assert hands.meters.history() == before
    hands.watch.wait(-YEARS)
    assert not hands.meters.deposit("12", 500, "a").repeated


def test_play_continues_after_a_long_pause_is_confirmed(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.watch.wait(2 * MONTH)
    hands.meters.set_clock("closed for the works", "w")
    hands.bet("T1", 1, 1)
    (note,) = hands.meters.check().notes
    assert "because: closed for the works" in note


def test_ledger_ahead_of_the_clock_continues_after_a_reason_is_given(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.watch.wait(30 * HOUR * 24)
    hands.meters.deposit("12", 500, "too early")
    hands.watch.wait(-30 * HOUR * 24)
    with pytest.raises(ClockWentBackwardsError, match="cutcard meter clock"):
        hands.meters.deposit("12", 500, "a")
    hands.meters.set_clock("the battery was flat", "w")
    hands.bet("T1", 1, 1)
    assert hands.meters.set_clock("the battery was flat", "w").repeated
    assert not hands.meters.check().problems


def test_sign_counts_from_the_setting_of_the_clock(hands: Hands) -> None:
    hands.meters.create("city", JACKPOTS)
    hands.sign("join", "city", "T1")
    hands.watch.wait(-HOUR)
    hands.meters.set_clock("summer time", "w")
    hands.watch.wait(NOTICE - timedelta(minutes=1))
    with pytest.raises(NoticeTooShortError):
        hands.done("join", "city", "T1")
    hands.watch.wait(timedelta(minutes=1))
    hands.done("join", "city", "T1")


def test_entries_made_with_a_fast_clock_are_reported(hands: Hands) -> None:
    """Set ahead, carry out, set back: the ledger has all steps, and a note of the open question."""
    hands.open("city", "T1")
    joined = hands.meters.history()[-1].number
    hands.watch.wait(-NOTICE)
    hands.meters.set_clock("wrong", "w")
    notes = hands.meters.check().notes
    assert f"entries {joined} were made by the wrong clock" in notes[1]


@pytest.mark.parametrize("year", [1970, 2024, 2100])
def test_implausible_year_is_refused_also_for_the_first_entry(hands: Hands, year: int) -> None:
    hands.watch.now = datetime(year, 1, 1, tzinfo=UTC)
    with pytest.raises(ClockImplausibleError, match="Correct the clock"):
        hands.meters.deposit("12", 500, "a")
    with pytest.raises(ClockImplausibleError):
        hands.meters.set_clock("it says so", "w")


def test_setting_a_right_clock_is_refused(hands: Hands) -> None:
    hands.open("city", "T1")
    with pytest.raises(ClockAgreesError):
        hands.meters.set_clock("to be sure", "w")


@pytest.mark.parametrize("reason", ["", "  ", "x" * 201, "two\nlines"])
def test_reason_must_be_a_readable_line(hands: Hands, reason: str) -> None:
    hands.open("city", "T1")
    hands.watch.wait(-HOUR)
    with pytest.raises(BadTermsError, match="1 to 200 characters"):
        hands.meters.set_clock(reason, "w")
