"""The Magnificent Sevens schedule adds up, and chips decide the progress."""

import pytest

from cutcard.tournament.schedule import (
    NoSuchScheduleError,
    TiedError,
    TournamentRound,
    placings,
    progress,
    schedule_for,
    schedules,
)


@pytest.mark.parametrize("entrants", [49, 98, 147, 196])
def test_progressing_players_are_the_entrants_of_the_next_round(entrants: int) -> None:
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


def test_unlisted_number_of_entrants_is_rejected() -> None:
    with pytest.raises(NoSuchScheduleError, match="49, 98, 147, 196 entrants, not 60"):
        schedule_for(60)


TWO_TABLES = TournamentRound(entrants=6, tables=2, heats=1, through=1, others=1)


def test_best_of_each_table_and_the_next_best_of_all_progress() -> None:
    chips = [{"A": 900, "B": 800, "C": 10}, {"D": 500, "E": 400, "F": 0}]
    assert progress(TWO_TABLES, chips) == ["A", "D", "B"]


def test_progress_with_a_tie_for_the_last_place_raises_tied_error() -> None:
    chips = [{"A": 900, "B": 400, "C": 10}, {"D": 500, "E": 400, "F": 0}]
    with pytest.raises(TiedError, match=r"B, E are tied.*13.8.5\(d\)"):
        progress(TWO_TABLES, chips)


def test_progress_ignores_a_tie_that_decides_no_place() -> None:
    chips = [{"A": 900, "B": 800, "C": 10}, {"D": 500, "E": 10, "F": 10}]
    assert progress(TWO_TABLES, chips) == ["A", "D", "B"]


def test_number_of_tables_must_match_the_round() -> None:
    with pytest.raises(ValueError, match="has 2 tables, not 1"):
        progress(TWO_TABLES, [{"A": 1}])


def test_the_final_pays_by_chips() -> None:
    final = {name: 100 * number for number, name in enumerate("ABCDEFG")}
    paid = placings(final, schedule_for(49))
    assert paid[:2] == [("G", 250_000), ("F", 50_000)]
    assert sum(prize for _, prize in paid) == 370_000


def final_of(**chips: int) -> dict[str, int]:
    return chips


@pytest.mark.parametrize(
    ("final", "players", "rules"),
    [
        (final_of(A=5, B=5, C=4, D=4), ("A", "B"), ("13.8.5(e)",)),
        (final_of(A=5, B=5, C=5, D=4), ("A", "B", "C"), ("13.8.5(e)",)),
        (final_of(A=9, B=5, C=5, D=5), ("B", "C", "D"), ("13.8.5(f)", "13.8.5(d)")),
        (final_of(A=9, B=5, C=4, D=4), ("C", "D"), ("13.8.5(f)", "13.8.5(d)")),
    ],
)
def test_placings_with_a_tie_name_all_tied_players_and_the_rule(
    final: dict[str, int], players: tuple[str, ...], rules: tuple[str, ...]
) -> None:
    with pytest.raises(TiedError) as tied:
        placings(final, schedule_for(49))
    assert (tied.value.players, tied.value.rules) == (players, rules)


def test_placings_with_a_tie_for_first_ask_for_one_shoe() -> None:
    with pytest.raises(TiedError, match=r"first place in the final: let them play one shoe"):
        placings(final_of(A=5, B=5), schedule_for(49))


def test_placings_with_first_place_still_tied_after_the_shoe_ask_for_hands() -> None:
    with pytest.raises(TiedError, match="additional hands") as tied:
        placings(final_of(A=5, B=5, C=5, D=1), schedule_for(49), [final_of(A=8, B=8, C=2)])
    assert (tied.value.players, tied.value.rules) == (("A", "B"), ("13.8.5(e)", "13.8.5(d)"))


def test_placings_with_second_place_tied_after_the_shoe_ask_for_hands() -> None:
    with pytest.raises(TiedError) as tied:
        placings(final_of(A=5, B=5, C=5, D=1), schedule_for(49), [final_of(A=8, B=2, C=2)])
    assert (tied.value.players, tied.value.rules) == (("B", "C"), ("13.8.5(f)", "13.8.5(d)"))


def test_placings_after_a_play_off_leave_the_other_players_in_their_places() -> None:
    final = final_of(D=4, A=5, B=5, C=5)
    paid = placings(final, schedule_for(49), [final_of(A=1, B=9, C=0)])
    assert [player for player, _ in paid] == ["B", "A", "C", "D"]


def test_placings_with_a_lower_tie_played_off_first_keep_the_tie_for_first() -> None:
    final = final_of(A=5, B=5, C=4, D=4)
    with pytest.raises(TiedError) as tied:
        placings(final, schedule_for(49), [final_of(C=3, D=6)])
    assert tied.value.players == ("A", "B")
    paid = placings(final, schedule_for(49), [final_of(C=3, D=6), final_of(A=2, B=1)])
    assert [player for player, _ in paid] == ["A", "B", "D", "C"]


def test_placings_reject_a_play_off_between_players_that_are_not_tied() -> None:
    with pytest.raises(ValueError, match="A, B are not all the players of one tie"):
        placings(final_of(A=5, B=5, C=5), schedule_for(49), [final_of(A=1, B=2)])
