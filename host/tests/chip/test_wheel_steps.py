"""The number of steps that the board may make before its home sensor can change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cutcard.bench.plant import Plant, works_of
from cutcard.chip.wheel import Wheel
from cutcard.machines import find
from cutcard_firmware.core.devices.sensors import HOME

CAROUSEL = find("carousel-38")


def wheel_at(step: int) -> tuple[Plant, Wheel]:
    works = works_of(CAROUSEL, "1", Wheel)
    assert isinstance(works, Plant)
    assert isinstance(works.bins, Wheel)
    works.bins.stand_at(0)
    for _ in range(abs(step)):
        works.bins.pulse(1 if step > 0 else -1)
    return works, works.bins


@given(st.integers(-900, 900), st.sampled_from([1, -1]))
def test_no_earlier_step_changes_the_home_sensor(at: int, way: int) -> None:
    works, wheel = wheel_at(at)
    before = works.sensors.levels[HOME]
    for _ in range(wheel.unseen_steps - 1):
        wheel.pulse(way)
        assert works.sensors.levels[HOME] == before


@given(st.integers(-900, 900))
def test_returned_step_changes_the_sensor_in_one_direction(at: int) -> None:
    changed = []
    for way in (1, -1):
        works, wheel = wheel_at(at)
        before = works.sensors.levels[HOME]
        for _ in range(wheel.unseen_steps):
            wheel.pulse(way)
        changed.append(works.sensors.levels[HOME] != before)
    assert any(changed)


def test_wheel_about_to_block_reports_every_step() -> None:
    _, wheel = wheel_at(100)
    wheel.sticking = "stuck"
    wheel.counted()
    assert wheel.unseen_steps == 1
