"""Deal decks with the core and the board's code together, on the bench's mechanics."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard_firmware.core.devices.sensors import FEED, HALF, HOME, HOMING, SLOWLY, TURN
from firmware.tests.pin_rig import PinRig


def loaded(root: Path, erase: int) -> PinRig:
    rig = PinRig(root)
    rig.erase = erase
    rig.put(1)
    assert rig.command("load", decks=1, pack=52).error == "ok"
    rig.run()
    assert (rig.mode, rig.fault) == ("ready", "none")
    return rig


def dealt(rig: PinRig, count: int) -> list[int]:
    before = len(rig.events_of("card"))
    assert rig.command("deal", cards=count).error == "ok"
    rig.run()
    return [card["face"] for card in rig.events_of("card")[before:]]


@pytest.mark.parametrize("erase", [0, 45, 400])
def test_a_deck_is_loaded_and_dealt_at_any_erase_time(erase: int, tmp_path: Path) -> None:
    rig = loaded(tmp_path / "flash", erase)
    faces = dealt(rig, 20)
    assert (rig.mode, rig.fault) == ("ready", "none")
    # The host's events name the cards on the table, in order.
    assert faces == [card.shows for card in rig.plant.mouth.outside]
    assert rig.erases >= 70  # before each card in, after each card out
    assert rig.board.edges.lost == 0
    assert rig.board.reader.dropped == 0


@pytest.mark.parametrize("erase", [45, 400])
def test_discards_are_fed_while_the_hand_draws_at_any_erase_time(
    erase: int, tmp_path: Path
) -> None:
    """No motor runs while the flash is written, so tray and bin release one card at a time."""
    rig = loaded(tmp_path / "flash", erase)
    faces = dealt(rig, 20)
    rig.return_cards()
    fed = rig.device.cards_in
    out = [card.shows for card in rig.plant.mouth.outside]
    more = dealt(rig, 12)
    assert (rig.mode, rig.fault) == ("ready", "none")
    assert more == [card.shows for card in rig.plant.mouth.outside][len(out) :]
    assert rig.device.cards_in == fed + len(faces)
    assert rig.status()["inside"] == 52 - 12


def test_opening_the_door_stops_the_wheel_immediately(tmp_path: Path) -> None:
    rig = PinRig(tmp_path / "flash")
    rig.put(1)
    rig.command("load", decks=1, pack=52)
    for _ in range(10_000):
        if rig.plant.driven[FEED]:
            break
        rig._once()
    rig.plant.set_door(True)
    rig.board.look()
    assert not rig.plant.driven[FEED]
    rig.run()
    assert (rig.mode, rig.fault) == ("fault", "door-open")


@pytest.mark.parametrize("steps", range(40, 340, 25))
def test_door_that_bounces_within_a_job_is_a_fault_and_the_wheel_homes_again(
    tmp_path: Path, steps: int
) -> None:
    """Any duration of the opening counts, also between two movements: the wheel had current."""
    rig = PinRig(tmp_path / "flash")
    rig.put(1)
    rig.command("load", decks=1, pack=52)
    for _ in range(steps):
        rig._once()
    while rig.device.job is None:
        rig._once()
    rig.board.motors.cut(rig.board.door)  # calls the handler; the door is shut again
    assert not rig.plant.driven[FEED]
    rig.run()
    assert (rig.mode, rig.fault) == ("fault", "door-open")
    assert rig.device.position is None
    rig.set_right()
    rig.pass_time(50)  # the board sees it
    rig.run()
    assert rig.command("recover", outside=rig.outside()).error == "ok"
    rig.return_cards()  # one may have been partly inside
    rig.run()
    assert (rig.mode, rig.fault) == ("ready", "none")
    assert rig.device.position is not None


def homing(rig: PinRig) -> list[tuple[int, int]]:
    """Return the wheel's (actuator, value) commands before the first turn to a bin."""
    driven: list[tuple[int, int]] = []
    drive = rig.board.motors.drive

    def noted(actuator: int, value: int) -> None:
        if value and actuator in (TURN, HOMING) and abs(value) < HALF:
            driven.append((actuator, value))
        drive(actuator, value)

    rig.board.motors.drive = noted
    rig.put(1)
    assert rig.command("load", decks=1, pack=52).error == "ok"
    rig.run()
    return driven


def test_wheel_away_from_home_is_homed_fast_then_back_then_slowly(tmp_path: Path) -> None:
    rig = PinRig(tmp_path / "flash")
    rig.plant.bins.turn(5)
    rig.pass_time(200)
    rig.run()
    assert homing(rig) == [(HOMING, 1), (TURN, -1), (HOMING, SLOWLY)]
    assert (rig.mode, rig.fault) == ("ready", "none")


def test_wheel_at_home_is_homed_without_the_fast_search(tmp_path: Path) -> None:
    rig = PinRig(tmp_path / "flash")
    assert homing(rig) == [(TURN, -1), (HOMING, SLOWLY)]
    assert (rig.mode, rig.fault) == ("ready", "none")


@pytest.mark.parametrize("level", [0, 1])
def test_home_sensor_that_never_changes_is_stuck(tmp_path: Path, level: int) -> None:
    rig = PinRig(tmp_path / "flash")
    rig.plant.sensors.stick(HOME, level)
    rig.pass_time(50)
    rig.run()
    homing(rig)
    assert (rig.mode, rig.fault) == ("fault", "sensor-stuck")
    assert rig.status()["detail"] == HOME


def test_door_that_bounces_at_rest_is_no_fault(tmp_path: Path) -> None:
    """No motor had current, so the guard stopped none."""
    rig = loaded(tmp_path / "flash", 0)
    rig.board.motors.cut(rig.board.door)
    rig.run()
    assert (rig.mode, rig.fault) == ("ready", "none")
    assert len(dealt(rig, 3)) == 3


def test_two_cards_drawn_together_are_reported_with_their_faces(tmp_path: Path) -> None:
    rig = loaded(tmp_path / "flash", 45)
    rig.plant.mouth.hand = False
    assert rig.command("deal", cards=2).error == "ok"
    rig.run()
    rig.plant.mouth.draw(2, order_known=False)
    rig.run()
    assert rig.fault == "simultaneous-draw"
    reported = list(rig.events_of("fault")[0]["faces"])
    assert sorted(reported) == sorted(card.shows for card in rig.plant.mouth.outside)
