"""The Magnificent Sevens schedule: it adds up, and chips decide who goes on."""

import pytest

from cutcard.tournament.schedule import (
    NoSuchScheduleError,
    Round,
    TiedError,
    placings,
    progress,
    schedule_for,
    schedules,
)


@pytest.mark.parametrize("entrants", [49, 98, 147, 196])
def test_who_goes_on_from_a_round_are_the_entrants_of_the_next(entrants: int) -> None:
    rounds = schedule_for(entrants).rounds
    assert [played.progressing for played in rounds[:-1]] == [r.entrants for r in rounds[1:]]


@pytest.mark.parametrize("entrants", [49, 98, 147, 196])
def test_every_table_seats_seven(entrants: int) -> None:
    assert all(played.entrants == 7 * played.tables for played in schedule_for(entrants).rounds)


@pytest.mark.parametrize("entrants", [49, 98, 147, 196])
def test_the_seven_prizes_are_the_pool(entrants: int) -> None:
    schedule = schedule_for(entrants)
    assert (len(schedule.prizes), sum(schedule.prizes)) == (7, schedule.pool)


def test_the_pool_grows_with_the_entrants() -> None:
    assert {n: s.pool // n for n, s in schedules().items()} == dict.fromkeys(
        (49, 98, 147, 196), 370_000 // 49
    )


def test_a_number_of_entrants_that_is_not_scheduled_waits() -> None:
    with pytest.raises(NoSuchScheduleError, match="49, 98, 147, 196 entrants, not 60"):
        schedule_for(60)


TWO_TABLES = Round(entrants=6, tables=2, heats=1, through=1, others=1)


def test_the_best_of_each_table_and_the_next_best_of_all_go_on() -> None:
    chips = [{"A": 900, "B": 800, "C": 10}, {"D": 500, "E": 400, "F": 0}]
    assert progress(TWO_TABLES, chips) == ["A", "D", "B"]


def test_a_tie_for_the_last_place_is_played_off() -> None:
    chips = [{"A": 900, "B": 400, "C": 10}, {"D": 500, "E": 400, "F": 0}]
    with pytest.raises(TiedError, match=r"B, E are tied.*13.8.5\(d\)"):
        progress(TWO_TABLES, chips)


def test_a_tie_that_changes_nothing_is_none() -> None:
    chips = [{"A": 900, "B": 800, "C": 10}, {"D": 500, "E": 10, "F": 10}]
    assert progress(TWO_TABLES, chips) == ["A", "D", "B"]


def test_the_tables_must_be_those_of_the_round() -> None:
    with pytest.raises(ValueError, match="has 2 tables, and 1 were counted"):
        progress(TWO_TABLES, [{"A": 1}])


def test_the_final_pays_by_chips() -> None:
    final = {name: 100 * number for number, name in enumerate("ABCDEFG")}
    paid = placings(final, schedule_for(49))
    assert paid[:2] == [("G", 250_000), ("F", 50_000)]
    assert sum(prize for _, prize in paid) == 370_000


def test_a_tie_in_the_final_is_played_off_first() -> None:
    with pytest.raises(TiedError):
        placings({"A": 5, "B": 5}, schedule_for(49))
