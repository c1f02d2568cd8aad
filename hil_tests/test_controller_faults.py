"""A controller's faults: reported and latched, displays unchanged, and each recovery."""

from __future__ import annotations

import pytest

from cutcard.devices import Controller
from cutcard.devices.errors import CommandRefusedError, InFaultError, StateLostError
from cutcard.devices.events import FaultRaised, IdlePress, PrizeDrawn
from hil_tests.conftest import PRIZES
from hil_tests.table import Table
from hil_tests.test_controller import pressed, shown


def expect_fault(there: Table[Controller], name: str, detail: int = 0) -> None:
    """Expect a fault of the controller: reported once, latched across a power cut, all lamps
    dark."""
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
    """Expect a fault of one table, latched across a power cut; the other table still draws."""
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
    """Check that draws work after the recovery."""
    assert there.status().fault is None
    draw = pressed(there, 1, round)
    assert shown(there) == {"meter": draw.amount, "panel": draw.amount, "lit": False}


# Faults of one table


@pytest.mark.parametrize(("which", "detail"), [("meter", 1), ("panel", 257)])
def test_display_without_a_reply_is_a_fault(
    controller: Table[Controller], which: str, detail: int
) -> None:
    controller.do("display", how="break", table=1, which=which)
    controller.device.offer(1, round=1, box=1, wager=500)
    expect_table_fault(controller, 1, "display-failed", detail)
    controller.do("display", how="mend", table=1, which=which)
    controller.device.resume(1)
    controller.bench.settle()
    draws_again(controller, 3)


def test_display_still_broken_after_recovery_fails_again(controller: Table[Controller]) -> None:
    controller.do("display", how="break", table=1)
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.bench.settle()
    controller.device.resume(1)
    controller.bench.settle()
    assert controller.device.panel(1).fault == "display-failed"
    assert len(controller.events_of(FaultRaised)) == 2


def test_prize_is_valid_if_its_display_fails(controller: Table[Controller]) -> None:
    """The prize was recorded before the display received it; the repaired display shows it."""
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


def test_stuck_button_is_a_fault_until_released(controller: Table[Controller]) -> None:
    """It counts as one press. After the time limit it is stuck, and must be released to recover."""
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


def test_broken_button_never_presses(controller: Table[Controller]) -> None:
    """The device cannot detect this fault: the host presses, and the offer is used up."""
    controller.do("stick", sensor="button-1", level=0)
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("press", table=1)
    controller.bench.settle()
    assert not controller.events_of(PrizeDrawn)
    assert controller.device.press(1, round=1, box=1, wager=500).counter == 1
    assert not controller.device.panel(1).offered


def test_wait_for_a_press_raises_an_earlier_fault_of_the_table(
    controller: Table[Controller],
) -> None:
    controller.do("display", how="break", table=1)
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.bench.settle()
    controller.reopen()
    with pytest.raises(InFaultError) as latched:
        controller.device.wait_for_press(1, round=1, box=1, deadline=1)
    assert latched.value.fault == "display-failed"


# Faults of the controller


def test_wait_for_a_press_raises_an_earlier_fault_of_the_controller(
    controller: Table[Controller],
) -> None:
    controller.do("door", how="open")
    controller.bench.settle()
    controller.reopen()
    with pytest.raises(InFaultError) as latched:
        controller.device.wait_for_press(1, round=1, box=1, deadline=1)
    assert latched.value.fault == "door-open"


def test_prize_drawn_before_a_fault_is_returned(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("press", table=1)
    controller.bench.settle()
    controller.do("door", how="open")
    controller.bench.settle()
    assert controller.device.wait_for_press(1, round=1, box=1).counter == 1


def test_open_cabinet_is_a_fault(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("door", how="open")
    expect_fault(controller, "door-open")
    with pytest.raises(CommandRefusedError, match="door"):
        controller.device.resume()
    controller.do("door", how="close")
    controller.bench.settle()
    controller.device.resume()
    draws_again(controller, 2)


def test_noise_that_fails_its_test_is_a_fault(controller: Table[Controller]) -> None:
    """No prize is drawn from it; a prize drawn before stays displayed."""
    draw = pressed(controller)
    controller.bench.stick_noise(1)
    expect_fault(controller, "random-source")
    assert shown(controller)["meter"] == draw.amount
    with pytest.raises(InFaultError):
        controller.device.resume()
    controller.do("noise", how="good")
    controller.device.resume()
    draws_again(controller, 2)


def test_power_cut_while_a_button_is_on_offer_is_a_fault(controller: Table[Controller]) -> None:
    """The offer is withdrawn without a draw; a ruling decides on the wager."""
    draw = pressed(controller, table=2)
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.bench.cycle_power()
    expect_fault(controller, "power-lost", 0b01)
    assert controller.device.draws() == [draw]
    assert shown(controller, 2)["meter"] == draw.amount
    controller.device.resume()
    assert not controller.device.panel(1).offered
    draws_again(controller, 2)


def test_power_cut_at_rest_is_no_fault(controller: Table[Controller]) -> None:
    draw = pressed(controller)
    controller.bench.cycle_power()
    assert controller.status().mode == "ready"
    assert shown(controller)["meter"] == draw.amount


def test_hanging_firmware_is_a_fault(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("hang")
    controller.bench.advance(9000)
    expect_fault(controller, "watchdog", 0b01)
    controller.device.resume()
    draws_again(controller, 2)


def test_press_works_with_full_flash(controller: Table[Controller]) -> None:
    """The data of a press replaces earlier data, so it needs no free space."""
    controller.bench.cut_power()
    controller.do("flash", what="fill")
    controller.bench.restore_power()
    controller.bench.settle()
    controller.device.press(1, round=1, box=1, wager=500)
    assert controller.device.identity().draws == 1
    controller.bench.cycle_power()
    controller.bench.settle()
    assert controller.device.identity().draws == 1


def test_lost_state_needs_a_new_key(controller: Table[Controller]) -> None:
    """The earlier draws are unknown, so the old key signs no more records."""
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


def test_new_key_is_refused_without_a_lost_state(controller: Table[Controller]) -> None:
    with pytest.raises(CommandRefusedError, match="not possible while the device is ready"):
        controller.device.renew()


def test_press_in_a_fault_draws_no_prize(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.do("door", how="open")
    controller.bench.settle()
    controller.do("press", table=1)
    assert len(controller.events_of(IdlePress)) == 1
    assert not controller.events_of(PrizeDrawn)
    controller.do("door", how="close")


def test_prizes_survive_everything_except_a_new_prize_table(controller: Table[Controller]) -> None:
    controller.bench.cycle_power()
    assert controller.device.panel(1).prizes == 6
    controller.device.set_prizes(1, "1 7\n")
    controller.bench.cycle_power()
    assert controller.device.panel(1).prizes == 1
    assert controller.device.panel(2).prizes == len(PRIZES.splitlines()) * 2
