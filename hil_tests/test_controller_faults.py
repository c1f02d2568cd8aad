"""A controller's faults: told and latched, the displays as they were, and the way out of each."""

from __future__ import annotations

import pytest

from cutcard.devices import Controller
from cutcard.devices.errors import CommandRefusedError, InFaultError, StateLostError
from cutcard.devices.events import FaultRaised, IdlePress, PrizeDrawn
from hil_tests.conftest import PRIZES
from hil_tests.table import Table
from hil_tests.test_controller import pressed, shown


def expect_fault(there: Table[Controller], name: str, detail: int = 0) -> None:
    """The whole controller stands: told once, latched across a power cut, every lamp dark."""
    for _ in range(2):
        there.bench.settle()
        status = there.status()
        assert (status.mode, status.fault, status.detail) == ("fault", name, detail)
        assert there.bench.status()["light"] == "fault"
        assert not any(table["lit"] for table in there.bench.status()["tables"])
        with pytest.raises(InFaultError):
            there.device.offer(1, 99, 1, wager=500)
        with pytest.raises(InFaultError):
            there.device.press(2, 99, 1, wager=500)
        assert [fault.fault for fault in there.events_of(FaultRaised)] == [name]
        there.bench.cycle_power()


def expect_table_fault(there: Table[Controller], table: int, name: str, detail: int) -> None:
    """One table is out of order, also after a power cut; the other one draws."""
    for round in (1, 2):
        there.bench.settle()
        panel = there.device.panel(table)
        assert (panel.fault, panel.detail, panel.offered) == (name, detail, False)
        with pytest.raises(InFaultError) as refused:
            there.device.offer(table, 99, 1, wager=500)
        assert refused.value.fault == name
        assert there.status().mode == "ready"
        assert pressed(there, 3 - table, round).counter
        assert [fault.fault for fault in there.events_of(FaultRaised)] == [name]
        there.bench.cycle_power()


def draws_again(there: Table[Controller], round: int) -> None:
    """Out of the fault: everything works as before."""
    assert there.status().fault is None
    draw = pressed(there, 1, round)
    assert shown(there) == {"meter": draw.amount, "panel": draw.amount, "lit": False}


# one table


@pytest.mark.parametrize(("which", "detail"), [("meter", 1), ("panel", 257)])
def test_a_display_that_says_nothing(
    controller: Table[Controller], which: str, detail: int
) -> None:
    controller.do("display", how="break", table=1, which=which)
    controller.device.offer(1, round=1, box=1, wager=500)
    expect_table_fault(controller, 1, "display-failed", detail)
    controller.do("display", how="mend", table=1, which=which)
    controller.device.resume(1)
    controller.bench.settle()
    draws_again(controller, 3)


def test_a_display_that_is_not_mended_fails_again(controller: Table[Controller]) -> None:
    controller.do("display", how="break", table=1)
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.bench.settle()
    controller.device.resume(1)
    controller.bench.settle()
    assert controller.device.panel(1).fault == "display-failed"
    assert len(controller.events_of(FaultRaised)) == 2


def test_a_prize_whose_display_fails_stands(controller: Table[Controller]) -> None:
    """It was recorded before the display was told: mended, the display shows it."""
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.bench.settle()
    controller.do("display", how="break", table=1)
    controller.do("press", table=1)
    controller.bench.settle()
    [event] = controller.events_of(PrizeDrawn)
    assert controller.device.panel(1).fault == "display-failed"
    controller.do("display", how="mend", table=1)
    controller.device.resume(1)
    assert shown(controller)["meter"] == event.draw.amount


def test_a_button_that_stays_down(controller: Table[Controller]) -> None:
    """It counts as one press; held too long it is stuck, and must be free before it goes on."""
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("stick", sensor="button-1", level=1)
    expect_table_fault(controller, 1, "button-stuck", 1)
    with pytest.raises(CommandRefusedError, match="button-1"):
        controller.device.resume(1)
    controller.do("release", sensor="button-1")
    controller.bench.settle()
    controller.device.resume(1)
    assert len([e for e in controller.events_of(PrizeDrawn) if e.draw.table == 1]) == 1
    draws_again(controller, 3)


def test_a_broken_button_never_presses(controller: Table[Controller]) -> None:
    """Nothing can be known of it: the host presses, and the offer is used up."""
    controller.do("stick", sensor="button-1", level=0)
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("press", table=1)
    controller.bench.settle()
    assert not controller.events_of(PrizeDrawn)
    assert controller.device.press(1, round=1, box=1, wager=500).counter == 1
    assert not controller.device.panel(1).offered


def test_a_wait_for_a_press_raises_a_fault_of_the_table_from_before(
    controller: Table[Controller],
) -> None:
    controller.do("display", how="break", table=1)
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.bench.settle()
    controller.reopen()
    with pytest.raises(InFaultError) as latched:
        controller.device.wait_for_press(1, round=1, box=1, deadline=1)
    assert latched.value.fault == "display-failed"


# the whole controller


def test_a_wait_for_a_press_raises_a_fault_from_before(controller: Table[Controller]) -> None:
    controller.do("door", how="open")
    controller.bench.settle()
    controller.reopen()
    with pytest.raises(InFaultError) as latched:
        controller.device.wait_for_press(1, round=1, box=1, deadline=1)
    assert latched.value.fault == "door-open"


def test_a_prize_drawn_before_a_fault_is_returned(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("press", table=1)
    controller.bench.settle()
    controller.do("door", how="open")
    controller.bench.settle()
    assert controller.device.wait_for_press(1, round=1, box=1).counter == 1


def test_an_open_cabinet(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("door", how="open")
    expect_fault(controller, "door-open")
    with pytest.raises(CommandRefusedError, match="door"):
        controller.device.resume()
    controller.do("door", how="close")
    controller.bench.settle()
    controller.device.resume()
    draws_again(controller, 2)


def test_noise_that_fails_its_test(controller: Table[Controller]) -> None:
    """Nothing is drawn from it; a prize drawn before stays on show."""
    draw = pressed(controller)
    controller.do("noise", how="stuck", value=1)
    controller.bench.advance(5000)
    expect_fault(controller, "random-source")
    assert shown(controller)["meter"] == draw.amount
    with pytest.raises(InFaultError):
        controller.device.resume()
    controller.do("noise", how="good")
    controller.device.resume()
    draws_again(controller, 2)


def test_power_lost_while_a_button_is_on_offer(controller: Table[Controller]) -> None:
    """The offer is withdrawn and nothing was drawn: what becomes of the wager is ruled."""
    draw = pressed(controller, table=2)
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.bench.cycle_power()
    expect_fault(controller, "power-lost", 0b01)
    assert controller.device.draws() == [draw]
    assert shown(controller, 2)["meter"] == draw.amount
    controller.device.resume()
    assert not controller.device.panel(1).offered
    draws_again(controller, 2)


def test_power_lost_at_rest_is_no_fault(controller: Table[Controller]) -> None:
    draw = pressed(controller)
    controller.bench.cycle_power()
    assert controller.status().mode == "ready"
    assert shown(controller)["meter"] == draw.amount


def test_a_firmware_that_hangs(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("hang")
    controller.bench.advance(9000)
    expect_fault(controller, "watchdog", 0b01)
    controller.device.resume()
    draws_again(controller, 2)


def test_flash_without_room(controller: Table[Controller]) -> None:
    """What a press writes takes the place of what was written before: it needs no room."""
    controller.bench.cut_power()
    controller.do("flash", what="fill")
    controller.bench.restore_power()
    controller.bench.settle()
    controller.device.press(1, round=1, box=1, wager=500)
    assert controller.device.identity().draws == 1
    controller.bench.cycle_power()
    controller.bench.settle()
    assert controller.device.identity().draws == 1


def test_a_lost_state_needs_a_new_key(controller: Table[Controller]) -> None:
    """Nobody knows what was drawn: the old key signs nothing more."""
    pressed(controller)
    before = controller.device.identity().public_key
    controller.bench.cut_power()
    controller.do("flash", what="forget")
    controller.bench.restore_power()
    controller.bench.settle()
    with pytest.raises(StateLostError):
        controller.status()
    controller.events.clear()
    controller.reopen()
    assert controller.status().fault == "state-lost"
    with pytest.raises(InFaultError):
        controller.device.resume()
    renewed = controller.device.renew()
    identity = controller.device.identity()
    assert identity.public_key == renewed.public_key != before
    assert (identity.draws, identity.chain) == (0, bytes(32))
    assert controller.device.panel(1).prizes == 6
    draws_again(controller, 1)


def test_only_a_lost_state_brings_a_new_key(controller: Table[Controller]) -> None:
    with pytest.raises(CommandRefusedError, match="not possible while the device is ready"):
        controller.device.renew()


def test_a_press_in_a_fault_draws_nothing(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("door", how="open")
    controller.bench.settle()
    controller.do("press", table=1)
    assert len(controller.events_of(IdlePress)) == 1
    assert not controller.events_of(PrizeDrawn)
    controller.do("door", how="close")


def test_prizes_survive_everything_but_a_new_text(controller: Table[Controller]) -> None:
    controller.bench.cycle_power()
    assert controller.device.panel(1).prizes == 6
    controller.device.set_prizes(1, "1 7\n")
    controller.bench.cycle_power()
    assert controller.device.panel(1).prizes == 1
    assert controller.device.panel(2).prizes == len(PRIZES.splitlines()) * 2
