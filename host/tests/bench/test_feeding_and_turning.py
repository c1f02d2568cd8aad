"""Tray, entry and wheel, driven by hand: effects of motors, reports of sensors."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cutcard.bench.plant import Plant
from cutcard_firmware.core.devices.sensors import (
    DOOR,
    ENTRY,
    FEED,
    HALF,
    HOME,
    HOMING,
    SLOT,
    STALL,
    TRAY,
    TURN,
)
from tests.bench.plants import edges, plant, run, say, values


def feed_one(made: Plant) -> None:
    made.drive(FEED, 1)
    run(made, 70)
    while made.sensors.levels[ENTRY]:
        made.timeline.run_next()
    made.drive(FEED, 0)


def entry_cover(made: Plant) -> int:
    covered, free = edges(made, ENTRY)
    return free[0] - covered[0]


def test_feed_moves_the_top_card_of_the_tray_into_the_bin_at_the_feeder() -> None:
    made = plant()
    top = made.tray[0]
    feed_one(made)
    assert made.bins.cells[0] == [top]


def test_one_card_covers_the_entry_for_80_to_90_milliseconds() -> None:
    made = plant()
    feed_one(made)
    assert 80 <= entry_cover(made) <= 90


def test_cards_follow_one_another_while_the_feed_is_on() -> None:
    made = plant()
    made.drive(FEED, 1)
    run(made, 1000)
    covered = [time for time, _, level in edges(made, ENTRY) if level]
    assert len(covered) >= 6
    assert all(b - a >= 130 for a, b in pairwise(covered))


def test_card_before_the_entry_stays_in_the_tray_when_the_feed_stops() -> None:
    made = plant()
    made.drive(FEED, 1)
    run(made, 40)
    made.drive(FEED, 0)
    run(made)
    assert len(made.tray) == 52


def test_card_half_way_stays_half_way_at_a_power_cut() -> None:
    made = plant()
    made.drive(FEED, 1)
    run(made, 100)
    made.power_off()
    run(made)
    assert len(made.entry.inside) == 1
    assert made.sensors.levels[ENTRY] == 1


def test_card_half_way_continues_with_the_feed() -> None:
    made = plant()
    made.drive(FEED, 1)
    run(made, 100)
    made.drive(FEED, 0)
    feed_one(made)
    assert len(made.bins.cells[0]) == 1


def test_tray_sensor_detects_the_removal_of_the_last_card() -> None:
    made = plant(decks=0)
    say(made, "put", cards="As")
    assert made.sensors.levels[TRAY] == 1
    feed_one(made)
    assert made.sensors.levels[TRAY] == 0


def test_turn_takes_its_time_and_reports_its_distance() -> None:
    made = plant()
    made.drive(TURN, 5)
    run(made)
    assert edges(made, SLOT) == [(5 * 12 + made.timeline.now - 60, SLOT, 5)]
    assert made.bins.position == 5


def test_long_turn_is_reported_modulo_256() -> None:
    made = plant("slots-416")
    made.drive(TURN, 300)
    run(made)
    assert values(made, SLOT) == [300 - 256]


def test_home_is_seen_while_bin_0_is_at_the_feeder() -> None:
    made = plant()
    made.drive(TURN, 1)
    run(made)
    assert made.sensors.levels[HOME] == 0
    made.drive(TURN, 37)
    run(made)
    assert made.sensors.levels[HOME] == 1


def test_homing_stops_at_bin_0_on_command() -> None:
    made = plant()
    made.drive(TURN, 10)
    run(made)
    made.drive(HOMING, 1)
    while not made.sensors.levels[HOME]:
        made.timeline.run_next()
    run(made, 19)  # the delay of a debounced main loop
    made.drive(HOMING, 0)
    run(made)
    assert (made.bins.position, made.sensors.levels[HOME]) == (0, 1)


def test_homing_without_a_stop_passes_bin_0_repeatedly() -> None:
    made = plant()
    made.drive(HOMING, 1)
    run(made, 2000)
    assert values(made, HOME).count(1) >= 2


@pytest.mark.parametrize(("turn", "reached"), [(10, 3), (19 + HALF, 2)])
def test_wheel_stopped_half_way_is_at_the_last_bin_it_reached(turn: int, reached: int) -> None:
    """It stops after 40 ms of a turn by ten bins, 12 ms each, or of a leg with its ramps."""
    made = plant()
    made.drive(TURN, turn)
    run(made, 40)
    made.drive(TURN, 0)
    run(made)
    assert made.bins.position == reached
    assert values(made, SLOT) == []


@pytest.mark.parametrize(
    ("turn", "takes", "stands_at"),
    [(1, 12, 1), (-2, 24, 36), (2 + HALF, 36, 1), (-4 - HALF, 50, 36)],
)
def test_turn_time_depends_on_distance_and_leg_time_does_not_depend_on_direction(
    turn: int, takes: int, stands_at: int
) -> None:
    made = plant()
    began = made.timeline.now
    made.drive(TURN, turn)
    run(made)
    assert (made.timeline.now - began, made.bins.position) == (takes, stands_at)
    assert values(made, SLOT) == [abs(turn) % HALF]


def test_between_two_bins_no_card_enters_and_home_is_not_seen() -> None:
    made = plant()
    made.drive(TURN, 1 + HALF)
    run(made)
    assert (made.bins.position, made.bins.between) == (0, True)
    assert not made.bins.takes()
    assert made.sensors.levels[HOME] == 0
    made.drive(TURN, -1 - HALF)
    run(made)
    assert made.bins.takes()
    assert made.sensors.levels[HOME] == 1


def test_double_feed_covers_the_entry_longer_than_one_card_can() -> None:
    made = plant()
    say(made, "double", where="feed")
    feed_one(made)
    assert entry_cover(made) > 130
    assert len(made.bins.cells[0]) == 2


def test_hidden_double_feed_looks_like_one_card() -> None:
    made = plant()
    say(made, "double", where="feed", hidden=True)
    feed_one(made)
    assert entry_cover(made) <= 90
    assert len(made.bins.cells[0]) == 2


def test_slipping_card_arrives_when_the_feed_is_pulsed_again() -> None:
    made = plant()
    say(made, "misfeed", rate=1)
    made.drive(FEED, 1)
    run(made, 1000)
    assert edges(made, ENTRY) == []
    say(made, "misfeed", rate=0)
    made.drive(FEED, 0)
    feed_one(made)
    assert len(made.bins.cells[0]) == 1


def test_jammed_card_covers_the_entry_until_a_person_clears_it() -> None:
    made = plant()
    top = made.tray[0]
    say(made, "jam", where="entry")
    made.drive(FEED, 1)
    run(made, 5000)
    assert made.sensors.levels[ENTRY] == 1
    made.drive(FEED, 0)
    assert say(made, "clear") == {"cleared": 1}
    assert made.sensors.levels[ENTRY] == 0
    assert made.tray[0] is top


def test_jam_can_be_delayed_by_three_cards() -> None:
    made = plant()
    say(made, "jam", where="entry", after=3)
    made.drive(FEED, 1)
    run(made)
    assert len(made.bins.cells[0]) == 3
    assert made.entry.jammed


def test_card_stuck_in_the_tray_never_reaches_the_entry() -> None:
    made = plant()
    say(made, "jam", where="tray")
    made.drive(FEED, 1)
    run(made, 5000)
    assert edges(made, ENTRY) == []


def test_turning_wheel_catches_a_card_half_way() -> None:
    made = plant()
    made.drive(FEED, 1)
    run(made, 100)
    made.drive(TURN, 1)
    run(made, 5000)
    assert made.entry.jammed


def test_overfull_bin_jams_the_entry() -> None:
    made = plant()
    made.drive(FEED, 1)
    run(made)
    assert len(made.bins.cells[0]) == 12
    assert made.sensors.levels[ENTRY] == 1


def test_blocked_motor_shows_on_the_stall_line_while_it_is_driven() -> None:
    made = plant()
    say(made, "stall", motor="turn")
    assert made.sensors.levels[STALL] == 0
    made.drive(TURN, 3)
    run(made, 1000)
    assert (made.sensors.levels[STALL], values(made, SLOT)) == (1, [])
    made.drive(TURN, 0)
    assert made.sensors.levels[STALL] == 0


def gone_wrong(how: str) -> tuple[list[int], int]:
    """Return the reports of a turn by 5, and the position of the wheel."""
    made = plant()
    say(made, "bin", how=how)
    made.drive(TURN, 5)
    run(made)
    return values(made, SLOT), made.bins.position


def test_wheel_that_stops_short_reports_its_position() -> None:
    reported, position = gone_wrong("short")
    assert reported == [position]
    assert position < 5


def test_slipping_wheel_reports_the_requested_bins_and_stops_one_further() -> None:
    assert gone_wrong("slip") == ([5], 6)


def test_stuck_wheel_sends_no_report() -> None:
    reported, position = gone_wrong("stuck")
    assert reported == []
    assert position < 5


def test_stuck_wheel_turns_again_after_clearing() -> None:
    made = plant()
    say(made, "bin", how="stuck")
    made.drive(TURN, 5)
    run(made)
    say(made, "clear")
    made.drive(TURN, 2)
    run(made)
    assert values(made, SLOT) == [2]


def test_bounces_stay_within_three_milliseconds_and_end_at_the_level() -> None:
    made = plant(decks=0)
    made.sensors.bouncing = True
    for turn in range(50):
        made.sensors.edges.clear()
        made.set_door(turn % 2 == 0)
        began = made.timeline.now
        run(made)
        assert values(made, DOOR)[-1] == made.sensors.levels[DOOR]
        assert edges(made, DOOR)[-1][0] - began <= 3


def test_newer_change_cancels_the_bounces_of_an_older_one() -> None:
    made = plant(decks=0)
    made.sensors.bouncing = True
    for _ in range(50):
        made.set_door(True)
        made.set_door(False)
        run(made)
        assert made.sensors.lines[DOOR] == 0
