"""Times that are days old, on a clock that wraps after twelve days.

`since` treats a time as future if it is more than half of that period ago.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard_firmware.core.devices.sensors import WRAP, aged, since
from cutcard_firmware.core.storage import state as st
from firmware.tests.panel_rig import PanelRig
from firmware.tests.rig import Rig

HOUR = 3_600_000
DAYS = [1, 5, 7, 9, 12, 13, 20]


def pass_days(rig: Rig, days: int) -> None:
    """Let time pass with a step each hour; a board steps every four seconds."""
    for _ in range(24 * days):
        rig.plant.timeline.now += HOUR
        rig.step()


def cycles_in_a_second(rig: Rig) -> int:
    """Return how often the generator advances without a request."""
    cycled = []
    rig.device.source.cycle = lambda: cycled.append(rig.board.now())
    for _ in range(20):
        rig.plant.timeline.now += 50
        rig.step()
    return len(cycled)


@pytest.mark.parametrize("days", DAYS)
@pytest.mark.parametrize("machine", ["carousel-38", "shelves-10", "shoe-8"])
def test_generator_cycles_immediately_after_a_fault_of_days(
    tmp_path: Path, machine: str, days: int
) -> None:
    rig = Rig(tmp_path, machine)
    rig.run()
    rig.device.fault("random-source")
    pass_days(rig, days)
    assert rig.mode == "fault"
    assert rig.command("recover", outside=0).error == "ok"
    rig.run()
    assert rig.mode == "empty"
    assert cycles_in_a_second(rig) == 1000 // rig.spec.CYCLE


@pytest.mark.parametrize("days", DAYS)
def test_controllers_generator_cycles_immediately_after_a_fault_of_days(
    tmp_path: Path, days: int
) -> None:
    rig = PanelRig(tmp_path)
    rig.set_up(1)
    rig.device.fault("random-source")
    pass_days(rig, days)
    assert rig.command("resume", table=0).error == "ok"
    assert cycles_in_a_second(rig) == 1000 // rig.spec.CYCLE


@pytest.mark.parametrize("days", DAYS)
def test_change_days_after_the_last_job_is_written_in_time(tmp_path: Path, days: int) -> None:
    rig = Rig(tmp_path, "carousel-38")
    rig.put(1)
    rig.run()
    assert rig.command("load", decks=1, pack=52).error == "ok"
    rig.run()
    pass_days(rig, days)
    rig.device.state.add(st.DEALT, 1)
    rig.run_for(3000)
    assert not rig.device.state.dirty


@pytest.mark.parametrize("days", DAYS)
def test_rest_of_sensors_after_a_fault_of_days_is_in_the_past(tmp_path: Path, days: int) -> None:
    """`supply_disagrees` compares these times with `timing.stuck`."""
    rig = Rig(tmp_path, "carousel-38")
    rig.run()
    rig.device.fault("random-source")
    pass_days(rig, days)
    assert all(since(rig.device.now, then) >= HOUR for then in rig.device.rest_since)


@pytest.mark.parametrize("now", [0, 1, WRAP - 1, WRAP // 3])
def test_aged_time_stays_in_the_past_until_the_next_check(now: int) -> None:
    """`Device._age` runs when a sixteenth of the circle has passed."""
    for ago in range(0, (WRAP >> 2) + (WRAP >> 4), WRAP >> 8):
        then = aged((now - ago) % WRAP, now)
        assert 0 <= since((now + (WRAP >> 4)) % WRAP, then) < WRAP >> 1
        if ago <= WRAP >> 2:
            assert then == (now - ago) % WRAP
