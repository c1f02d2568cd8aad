"""The step generator counts and times, homing stops on the step, the sampler keeps time."""

from __future__ import annotations

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
    # Besides the pulses: six instructions for each stretch, four at the end.
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
        assert steps.duration(words) / 1000 < allowed - 20  # and 20 ms to be told of it


def test_homing_stops_on_the_step_that_covers_the_sensor() -> None:
    machine = StateMachine(programs.home, jump_pin=lambda: int(len(machine.changes) >= 2 * 37))
    machine.put(steps.pace(750))
    machine.run_until_idle()
    assert len(machine.changes) == 2 * 37
    assert machine.output == 0


def test_homing_does_not_move_a_wheel_that_is_home() -> None:
    machine = StateMachine(programs.home, jump_pin=lambda: 1)
    machine.put(steps.pace(750))
    machine.run_until_idle()
    assert machine.changes == []


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
