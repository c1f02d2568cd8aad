"""Tables join, leave and move, and systems close: with twenty minutes' notice, and not without."""

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


def test_a_moment_earlier_it_does_not(hands: Hands) -> None:
    hands.meters.create("city", JACKPOTS)
    hands.sign("join", "city", "T1")
    hands.watch.wait(-MOMENT)
    with pytest.raises(NoticeTooShortError, match=r"21\.5\.1\(e\).*from 2026-11-16T20:20:00"):
        hands.done("join", "city", "T1")


def test_without_a_sign_nothing_moves(hands: Hands) -> None:
    hands.meters.create("city", JACKPOTS)
    with pytest.raises(NoNoticeError, match="cutcard meter notice join"):
        hands.done("join", "city", "T1")


def test_a_sign_counts_from_when_it_was_first_displayed(hands: Hands) -> None:
    hands.meters.create("city", JACKPOTS)
    hands.meters.notice(SignChange("join", "city", "T1"), "a")
    with pytest.raises(NoticeStandsError, match="displayed since"):
        hands.meters.notice(SignChange("join", "city", "T1"), "b")


def test_one_sign_is_good_for_one_change(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.sign("leave", "city", "T1")
    hands.done("leave", "city", "T1")
    with pytest.raises(NoNoticeError):
        hands.done("join", "city", "T1")


def test_asking_again_says_that_it_is_done(hands: Hands) -> None:
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


def test_closing_moves_what_stands_above_the_seed(hands: Hands) -> None:
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


def test_it_may_go_to_several_in_shares_that_make_one(hands: Hands) -> None:
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
def test_what_players_have_built_up_goes_nowhere_else(
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


def test_a_table_can_leave_only_where_it_is(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.open("east")
    with pytest.raises(UnknownTableError, match="plays for city, not for east"):
        hands.meters.notice(SignChange("leave", "east", "T1"), "a")
