"""Tables join, leave and move, and systems close, only with twenty minutes' notice."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from cutcard.meters.errors import (
    BadTermsError,
    NoNoticeError,
    NoticeStandsError,
    NoticeTooShortError,
    RoundOpenError,
    TableTakenError,
    UnknownSystemError,
    UnknownTableError,
)
from cutcard.meters.groups import SignChange
from cutcard.meters.systems import tables_of
from tests.meters.floor import JACKPOTS, SUPERNOVA, Hands

MOMENT = timedelta(milliseconds=1)


def test_a_table_joins_after_twenty_minutes(hands: Hands) -> None:
    hands.open("city", "T1")
    assert list(tables_of(hands.meters.database, "city")) == ["T1"]


def test_table_cannot_join_before_twenty_minutes(hands: Hands) -> None:
    hands.meters.create("city", JACKPOTS)
    hands.sign("join", "city", "T1")
    hands.watch.wait(-MOMENT)
    with pytest.raises(NoticeTooShortError, match=r"21\.5\.1\(e\).*from 2026-11-16T20:20:00"):
        hands.done("join", "city", "T1")


def test_changes_without_a_sign_are_refused(hands: Hands) -> None:
    hands.meters.create("city", JACKPOTS)
    with pytest.raises(NoNoticeError, match="cutcard meter notice join"):
        hands.done("join", "city", "T1")


def test_a_sign_counts_from_when_it_was_first_displayed(hands: Hands) -> None:
    hands.meters.create("city", JACKPOTS)
    hands.meters.notice(SignChange("join", "city", "T1"), "a")
    with pytest.raises(NoticeStandsError, match="displayed since"):
        hands.meters.notice(SignChange("join", "city", "T1"), "b")


def test_sign_is_valid_for_one_change(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.sign("leave", "city", "T1")
    hands.done("leave", "city", "T1")
    with pytest.raises(NoNoticeError):
        hands.done("join", "city", "T1")


def test_repeated_change_is_reported_as_done(hands: Hands) -> None:
    hands.open("city", "T1")
    assert hands.done("join", "city", "T1").repeated


def test_a_table_is_in_one_group_only(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.meters.create("east", JACKPOTS)
    with pytest.raises(TableTakenError, match=r"21\.5\.1\(c\)"):
        hands.meters.notice(SignChange("join", "east", "T1"), "a")


def test_a_table_moves_and_feeds_the_other_meter(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.open("east")
    hands.sign("move", "city", "T1", "east")
    hands.done("move", "city", "T1", "east")
    hands.bet("T1", 1, 1)
    assert hands.meter("city").value == 1_000_000
    assert hands.meter("east").value == 1_000_000 + Fraction(15, 2)


def test_a_table_that_waits_for_an_outcome_stays(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.sign("leave", "city", "T1")
    hands.bet("T1", 1, 1)
    with pytest.raises(RoundOpenError, match="round 1 at table T1"):
        hands.done("leave", "city", "T1")


def test_closing_moves_the_value_above_the_seed(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.open("east")
    hands.bet("T1", 1, 1, 2)
    hands.meters.settle("T1", 1, {})
    hands.sign("close", "city")
    receipt = hands.done("close", "city", into={"east": Fraction(1)})
    assert hands.meter("city").value == 0
    assert hands.meter("east").value == 1_000_015
    assert {"21.5.1(f)", "21.5.1(g)"} <= set(receipt.rules)
    assert not tables_of(hands.meters.database, "city")


def test_closing_moves_the_value_to_several_systems_in_shares(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.open("east")
    hands.open("west")
    hands.bet("T1", 1, 1)
    hands.meters.settle("T1", 1, {})
    hands.sign("close", "city")
    hands.done("close", "city", into={"east": Fraction(1, 3), "west": Fraction(2, 3)})
    assert hands.meter("west").value - 1_000_000 == 5
    assert hands.meter("east").value - 1_000_000 == Fraction(5, 2)


@pytest.mark.parametrize("into", [{}, {"east": Fraction(1, 2)}, {"nova": Fraction(1)}])
def test_closing_rejects_invalid_receivers_and_shares(
    hands: Hands, into: dict[str, Fraction]
) -> None:
    hands.open("city")
    hands.open("east")
    hands.open("nova", terms=SUPERNOVA)
    hands.sign("close", "city")
    with pytest.raises(BadTermsError, match=r"21\.5\.1\(g\)"):
        hands.done("close", "city", into=into)


def test_a_table_that_joined_after_the_closing_sign_had_no_notice(hands: Hands) -> None:
    hands.open("city")
    hands.open("east")
    hands.sign("close", "city")
    hands.sign("join", "city", "T9")
    hands.done("join", "city", "T9")
    with pytest.raises(NoticeTooShortError, match="T9 joined city"):
        hands.done("close", "city", into={"east": Fraction(1)})


def test_a_closed_system_takes_no_table(hands: Hands) -> None:
    hands.open("city")
    hands.open("east")
    hands.sign("close", "city")
    hands.done("close", "city", into={"east": Fraction(1)})
    with pytest.raises(UnknownSystemError, match="has been closed"):
        hands.meters.notice(SignChange("join", "city", "T1"), "late")


def test_table_can_leave_only_its_own_group(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.open("east")
    with pytest.raises(UnknownTableError, match="plays for city, not for east"):
        hands.meters.notice(SignChange("leave", "east", "T1"), "a")
