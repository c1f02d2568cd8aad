"""Ejector, chute, stack and mouth, driven by hand."""

from __future__ import annotations

from cutcard.bench.person.words import DelayedAnswer
from cutcard.bench.plant import Plant
from cutcard_firmware.core.devices.sensors import (
    CHUTE,
    CUT,
    EJECT,
    EXIT,
    FACE,
    FEED,
    FOREIGN,
    GATE,
    MOUTH,
    POINT_CUT,
    POINT_PLACE,
    READ,
    TOGETHER,
    TURN,
    UNREADABLE,
)
from tests.bench.plants import edges, plant, run, say, values


def shuffler(cards: str, machine: str = "carousel-38") -> Plant:
    """Return a shuffler with these cards in the chute, the first in front."""
    made = plant(machine, decks=0)
    for card in cards.split():
        say(made, "add", card=card, where="chute")
    made.sensors.edges.clear()
    return made


def codes(made: Plant) -> list[int]:
    return [card.code for card in made.mouth.outside]


def test_carousel_bin_ejects_first_in_first_out() -> None:
    made = plant(decks=0)
    for card in ("As", "2s", "3s"):
        say(made, "add", card=card, bin=0)
    made.drive(EJECT, 1)
    run(made)
    assert [card.name for card in made.supply.cards] == ["As", "2s", "3s"]
    assert values(made, EXIT) == [1, 0] * 3
    assert made.sensors.levels[CHUTE] == 1


def test_first_card_covers_the_exit_after_about_100_milliseconds() -> None:
    made = plant(decks=0)
    say(made, "add", bin=0)
    began = made.timeline.now
    made.drive(EJECT, 1)
    run(made)
    assert 90 <= edges(made, EXIT)[0][0] - began <= 110


def test_shelf_takes_cards_on_top_or_underneath_and_ejects_from_the_top() -> None:
    made = plant("shelves-10", decks=0)
    say(made, "put", cards="As 2s 3s")
    for position in (0, 1, 0):
        while made.bins.position != position:
            made.drive(TURN, 1)
            run(made)
        made.drive(FEED, 1)
        run(made, 170)
        made.drive(FEED, 0)
        run(made)
    made.drive(EJECT, 1)
    run(made)
    assert [card.name for card in made.supply.cards] == ["3s", "As", "2s"]


def test_holding_bin_ejects_no_cards() -> None:
    made = plant(decks=0)
    say(made, "add", bin=0)
    say(made, "bin", how="hold", number=0)
    made.drive(EJECT, 1)
    run(made, 5000)
    assert edges(made, EXIT) == []


def test_slipping_card_arrives_late_by_itself_at_the_exit() -> None:
    made = plant(decks=0)
    say(made, "add", bin=0)
    say(made, "misfeed", rate=1, where="exit")
    began = made.timeline.now
    made.drive(EJECT, 1)
    run(made)
    assert 200 <= edges(made, EXIT)[0][0] - began <= 360


def test_hand_draws_when_the_gate_opens_and_the_reader_sees_the_face() -> None:
    made = shuffler("Th")
    made.drive(GATE, 1)
    run(made)
    (covered, free), (read,) = edges(made, MOUTH), edges(made, READ)
    assert 110 <= free[0] - covered[0] <= 130
    assert covered[0] < read[0] < free[0]
    assert [read[2]] == codes(made)


def test_only_a_forced_draw_passes_a_closed_gate() -> None:
    made = shuffler("Th")
    run(made, 10_000)
    assert made.mouth.outside == []
    say(made, "draw", force=True)
    run(made)
    assert len(made.mouth.outside) == 1


def test_two_cards_drawn_together_cover_the_mouth_without_a_gap() -> None:
    made = shuffler("Th As")
    say(made, "draw", count=2, force=True)
    run(made)
    covered, free = edges(made, MOUTH)
    assert free[0] - covered[0] > 170
    assert values(made, READ) == codes(made)


def test_order_of_two_cards_seen_together_is_not_reported() -> None:
    made = shuffler("Th As")
    say(made, "draw", count=2, order="unknown", force=True)
    run(made)
    assert values(made, READ)[0] == TOGETHER
    assert sorted(values(made, READ)[1:]) == sorted(codes(made))
    assert len({time for time, _, _ in edges(made, READ)}) == 1


def test_foreign_and_unreadable_cards_are_reported_as_such() -> None:
    made = shuffler("foreign unreadable")
    made.drive(GATE, 1)
    run(made)
    assert values(made, READ) == [FOREIGN, UNREADABLE]


def test_face_up_card_is_detected_before_its_draw() -> None:
    made = shuffler("As 2s")
    say(made, "flip", index=1)
    assert made.sensors.levels[FACE] == 0
    say(made, "draw", force=True)
    run(made)
    assert made.sensors.levels[FACE] == 1


def test_swapped_card_shows_its_new_face() -> None:
    made = shuffler("As")
    assert say(made, "swap", **{"with": "Kd"}) == {"was": "As", "is": "Kd"}


def test_overfull_chute_jams_the_exit() -> None:
    made = plant(decks=0)
    room = made.supply.room
    for _ in range(room):
        say(made, "add", where="chute")
    say(made, "add", bin=0)
    made.drive(EJECT, 1)
    run(made, 5000)
    assert made.sensors.levels[EXIT] == 1


def test_hand_cuts_the_stack_at_the_shown_depth() -> None:
    made = plant("shoe-8")
    order = [card.number for card in made.supply.cards]
    made.drive(POINT_CUT, 20)
    assert [card.number for card in made.supply.cards] == order[20:] + order[:20]


def test_hand_places_a_cutting_card_that_passes_the_mouth_unread() -> None:
    made = plant("shoe-8")
    made.drive(POINT_PLACE, 2)
    made.drive(GATE, 1)
    run(made, 1100)
    made.drive(GATE, 0)
    run(made)
    assert [card.cutting for card in made.mouth.outside] == [False, False, True]
    assert values(made, CUT) == [1, 0]
    assert len(edges(made, READ)) == 2


def test_switched_off_hand_places_no_cutting_card() -> None:
    made = plant("shoe-8")
    say(made, "hand", on=False)
    made.drive(POINT_PLACE, 2)
    assert not any(card.cutting for card in made.supply.cards)


def test_returned_cards_go_under_those_in_the_tray() -> None:
    made = shuffler("Th")
    say(made, "put", cards="As")
    say(made, "draw", force=True)
    run(made)
    returned = say(made, "return")
    assert isinstance(returned, DelayedAnswer)
    assert returned.answer() == {"returned": 1}
    assert [card.name for card in made.tray] == ["As", "Th"]
