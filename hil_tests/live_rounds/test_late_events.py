"""Events from before a count that arrive after it: the count includes them, or they are over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hil_tests.live_rounds.live_table import Evening

Live = Callable[..., Evening]
CARDS = "Ts Th Td Tc 9s 9h 9d 9c"  # no hand must draw, in any order of these cards


def recovered(at: Evening) -> None:
    at.live.device.recover(at.floor.outside(), at.live.machine.pack)


def filled_anew(at: Evening) -> None:
    at.live.device.unload()
    at.floor.renew(at.live.table.decks, at.live.table.pack)
    at.live.device.fill(at.live.table.decks, at.live.table.pack)


def open_and_shut(at: Evening) -> None:
    at.bench.do("door", how="open")
    at.bench.settle()
    at.bench.do("door", how="close")
    at.bench.settle()


@pytest.mark.parametrize("ended", [recovered, filled_anew])
def test_fault_that_is_over_does_not_affect_the_round_that_receives_it(
    live: Live, ended: Callable[[Evening], None]
) -> None:
    at = live("carousel-38", "nz-division-2")
    open_and_shut(at)
    ended(at)
    at.play(CARDS, "stand stand")
    assert at.faults() == []
    assert at.records("locked") == []


def test_fault_that_stops_the_machine_is_found_behind_one_that_is_over(live: Live) -> None:
    at = live("carousel-38", "nz-division-2")
    open_and_shut(at)
    recovered(at)
    at.device.coming[:] = ["Ts"]
    at.turn_next_card()
    at.play(CARDS, "stand stand")
    assert [fault for fault, _ in at.faults()] == ["face-up-card"]


def test_discards_included_in_a_count_are_not_subtracted_again(live: Live) -> None:
    at = live("carousel-38", "nz-division-2")
    at.play(CARDS, "stand stand")
    at.bench.return_cards()
    at.bench.settle()
    open_and_shut(at)
    at.play(CARDS, "stand stand")
    assert [fault for fault, _ in at.faults()] == ["door-open"]
    assert at.live.machine.reported_outside == at.device.status().outside


def test_card_included_in_a_count_is_drawn_in_error_and_not_counted_again(
    live: Live,
) -> None:
    at = live("carousel-38", "nz-division-2")
    at.device.coming[:] = ["2d"]
    at.draw_unasked()
    open_and_shut(at)
    at.play(CARDS, "stand stand")
    assert "drawn-in-error" in at.irregularities()
    assert at.live.machine.reported_outside == at.device.status().outside


def test_discards_included_in_a_count_do_not_end_a_wait_for_others(live: Live) -> None:
    at = live("carousel-38", "nz-division-2")
    at.play(CARDS, "stand stand")
    at.bench.return_cards(2)
    at.bench.settle()
    open_and_shut(at)
    at.live.machine.reported_outside = at.live.device.recover(
        at.floor.outside(), at.live.machine.pack
    ).outside
    at.live.bring_back_discards()
    assert at.records("returned") == [{"cards": 2}, {"cards": 4}]
    assert at.live.machine.reported_outside == at.device.status().outside == 0


def test_table_does_not_wait_for_discards_found_inside_by_a_recovery(live: Live) -> None:
    at = live("carousel-38", "nz-division-2")
    at.play(CARDS, "stand stand")
    at.bench.do("double", where="feed", after=4, step="feed")  # the last two pass as one card
    at.live.bring_back_discards()
    assert [fault for fault, _ in at.faults()] == ["double-feed"]
    assert at.records("returned") == []
    at.play(CARDS, "stand stand")
    at.live.bring_back_discards()
    assert at.records("returned") == [{"cards": 6}]
    assert at.live.machine.reported_outside == at.device.status().outside == 0
