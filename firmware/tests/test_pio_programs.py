"""The step generator's pulses and times, the exact stop of homing, and the sampler's period."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cutcard.machines import find, shipped
from cutcard_firmware.boards.rp2 import steps
from firmware.tests.pio import PIO, StateMachine, load_programs

programs = load_programs()


def turned(pulses: int, period: int) -> StateMachine:
    machine = StateMachine(programs.turn)
    for word in steps.turn(pulses, period):
        machine.put(word)
    machine.run_until_idle()
    return machine


@settings(max_examples=40, deadline=None)
@given(pulses=st.integers(1, 200), period=st.integers(100, 2000))
@example(pulses=1, period=100)
@example(pulses=24, period=100)
@example(pulses=25, period=100)
def test_a_turn_has_exactly_its_pulses_and_then_one_interrupt(pulses: int, period: int) -> None:
    machine = turned(pulses, period)
    assert [level for _, level in machine.changes] == [1, 0] * pulses
    assert len(machine.interrupts) == 1
    assert machine.interrupts[0] > machine.changes[-1][0]


@settings(max_examples=40, deadline=None)
@given(pulses=st.integers(1, 200), period=st.integers(100, 2000))
def test_a_turn_takes_the_time_that_was_planned(pulses: int, period: int) -> None:
    words = steps.turn(pulses, period)
    machine = turned(pulses, period)
    # In addition to the pulses: six instructions for each stretch, four at the end.
    assert abs(machine.interrupts[0] - steps.duration(words)) <= 6 * len(words)


def test_a_turn_starts_and_ends_slowly() -> None:
    machine = turned(100, 800)
    rises = [cycle for cycle, level in machine.changes if level]
    gaps = [round(after - before, -2) for before, after in pairwise(rises)]
    assert gaps[0] == 3200
    assert gaps[50] == 800
    assert gaps[-1] == 3200
    fastest = gaps.index(min(gaps))
    assert gaps[:fastest] == sorted(gaps[:fastest], reverse=True)


@pytest.mark.parametrize("file", shipped(), ids=lambda file: str(file.stem))
def test_every_turn_of_every_machine_fits_fifo_and_patience(file: Path) -> None:
    machine = find(file.stem)
    if machine.kind != "shuffler":
        return
    per_bin, turn_bin = machine.whole("motor.steps_bin"), machine.whole("timing.turn_bin")
    positions = machine.positions
    for halves in machine.legs or range(2, positions + 1, 2):
        pulses = halves * per_bin // 2
        words = steps.turn(pulses, turn_bin * 1000 // per_bin)
        assert len(words) <= 8
        assert steps.pulses(words) == pulses
        assert all(word < 1 << 32 for word in words)
        allowed = halves * turn_bin // 2 + machine.whole("timing.turn_slack")
        assert steps.duration(words) / 1000 < allowed - 20  # and 20 ms until the report


PERIOD = 750


def searching(slowly: bool, home: Callable[[StateMachine], bool]) -> StateMachine:
    """Return the search for home with its words; `home` gives the level of the home pin."""
    machine = StateMachine(programs.home, jump_pin=lambda: int(home(machine)))
    for word in steps.search(PERIOD, slowly):
        machine.put(word)
    machine.run(100_000)
    return machine


@pytest.mark.parametrize("slowly", [False, True])
@pytest.mark.parametrize("pulses", [1, 2, 4, 5, 8, 9, 37])
def test_search_stops_on_the_step_that_covers_the_home_sensor(slowly: bool, pulses: int) -> None:
    machine = searching(slowly, lambda at: len(at.changes) >= 2 * pulses)
    assert len(machine.changes) == 2 * pulses
    assert machine.output == 0


def test_search_does_not_move_a_wheel_that_is_home() -> None:
    for slowly in (False, True):
        assert searching(slowly, lambda at: True).changes == []


@pytest.mark.parametrize("slowly", [False, True])
def test_search_ignores_a_home_pin_that_is_high_for_less_than_a_pulse(slowly: bool) -> None:
    """Interference on the line: high for half of each millisecond, at any time of a pulse."""
    machine = searching(slowly, lambda at: at.cycle % 1009 < 500)
    assert len(machine.changes) > 2 * 20


def test_slow_search_needs_the_home_pin_high_for_an_entire_pulse() -> None:
    """The line rises and stays high except for one sample."""
    moments: list[int] = []

    def home(at: StateMachine) -> bool:
        if len(at.changes) >= 2 * 10:
            moments.append(at.cycle)
        return bool(moments) and len(moments) != 300

    machine = searching(True, home)
    assert len(machine.changes) == 2 * 11


def test_fast_search_starts_slowly_and_slow_search_stays_slow() -> None:
    for slowly, paces in ((False, [3, 3, 3, 3, 2, 2, 2, 2, 1.25, 1.25]), (True, [3] * 10)):
        machine = searching(slowly, lambda at: False)
        rises = [cycle for cycle, level in machine.changes if level]
        gaps = [after - before for before, after in pairwise(rises)]
        assert gaps[:10] == pytest.approx([pace * PERIOD for pace in paces], abs=12)
        assert len(set(gaps[10:])) == 1


AROUND, STEPS_BIN, FLAG = 38 * 16, 16, 4  # steps; the flag is narrower than a bin


class Homing:
    """A wheel that overruns by some steps when its pulses stop, with a home flag."""

    def __init__(self, at: int, runs_on: int) -> None:
        self.at = at
        self.runs_on = runs_on

    def is_home(self) -> bool:
        return self.at % AROUND < FLAG

    def turn(self, way: int) -> None:
        self.at += way * steps.pulses(steps.turn(STEPS_BIN, PERIOD))

    def search(self, slowly: bool) -> None:
        begun = self.at

        def home(machine: StateMachine) -> bool:
            self.at = begun + len(machine.changes) // 2
            return self.is_home()

        machine = StateMachine(programs.home, jump_pin=lambda: int(home(machine)))
        for word in steps.search(PERIOD, slowly):
            machine.put(word)
        machine.run_until_idle(2 * AROUND * 4 * PERIOD)
        self.at += 0 if slowly else self.runs_on


@pytest.mark.parametrize("at", [0, 1, 3, 4, 5, 300, AROUND - 1, AROUND - 16])
@pytest.mark.parametrize("runs_on", [0, 1, 3])
def test_homing_ends_on_the_same_step_from_any_position(at: int, runs_on: int) -> None:
    """The sequence of `Shuffler._home`: fast, one bin back, slowly forward."""
    wheel = Homing(at, runs_on)
    if not wheel.is_home():
        wheel.search(slowly=False)
        assert wheel.is_home()
    wheel.turn(-1)
    assert not wheel.is_home()
    wheel.search(slowly=True)
    assert wheel.at % AROUND == 0


def test_a_sample_is_taken_every_millisecond() -> None:
    times: list[int] = []
    machine = StateMachine(programs.sample, levels=lambda: times.append(machine.cycle) or 0)
    for _ in range(100):
        machine.run(programs.SAMPLE_HZ // 1000)
        machine.rx.clear()  # as DMA does
    assert times == list(range(0, 100 * 20, 20))


def test_a_sample_is_all_pins_and_needs_no_long_integer() -> None:
    machine = StateMachine(programs.sample, levels=lambda: 0xFFFFFFFF)
    machine.run(1)
    assert machine.rx[0] == (1 << 29) - 1 < 1 << 30


@pytest.mark.parametrize("megahertz", [125, 150, 200])
def test_the_clocks_divide_the_systems_exactly(megahertz: int) -> None:
    for hertz in (programs.SAMPLE_HZ, programs.STEP_HZ):
        assert megahertz * 1_000_000 % hertz == 0
        assert 1 <= megahertz * 1_000_000 // hertz < 65536


def test_all_programs_fit_one_pio() -> None:
    every = (programs.sample, programs.turn, programs.home)
    assert sum(len(program.instructions) for program in every) <= 32
    assert programs.turn.settings["fifo_join"] == PIO.JOIN_TX
