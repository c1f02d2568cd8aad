"""The estimate of the time that is left, on computers of any speed."""

from __future__ import annotations

from math import exp

import pytest

from rng_certification.campaign.pace import Pace
from rng_certification.campaign.work import Task
from rng_certification.tests.mini_campaign import mini_plan


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _tasks() -> list[Task]:
    """Four tasks of the same cost."""
    part = mini_plan().parts[0]
    return [Task(part, shard, "s") for shard in range(4)]


def test_the_first_estimate_uses_the_speed_of_this_computer() -> None:
    cost = _tasks()[0].seconds
    assert Pace(_tasks(), 2, 1.0, Clock()).left() == pytest.approx(2 * cost)
    assert Pace(_tasks(), 2, 3.0, Clock()).left() == pytest.approx(6 * cost)
    assert Pace(_tasks(), 8, 1.0, Clock()).left() == pytest.approx(cost)


def test_the_estimate_is_corrected_by_the_time_of_finished_tasks() -> None:
    clock, tasks = Clock(), _tasks()
    cost = tasks[0].seconds
    pace = Pace(tasks, 2, 1.0, clock)
    clock.now = 5 * cost
    pace.finished(tasks[0], 5 * cost)
    assert pace.left() == pytest.approx(7.5 * cost)


def test_progress_moves_before_the_first_task_ends() -> None:
    clock, tasks = Clock(), _tasks()
    pace = Pace(tasks, 2, 1.0, clock)
    assert pace.share() == 0.0
    clock.now = tasks[0].seconds / 4
    assert pace.share() == pytest.approx((1 - exp(-1 / 4)) / 2)
    earlier = pace.share()
    clock.now = 2 * tasks[0].seconds
    assert earlier < pace.share() < 0.5


def test_progress_never_falls_and_waits_for_running_tasks() -> None:
    clock, tasks = Clock(), _tasks()
    cost = tasks[0].seconds
    pace = Pace(tasks, 2, 1.0, clock)
    clock.now = 1_000 * cost
    assert pace.share() == pytest.approx(0.5)
    assert pace.left() > 0
    pace.finished(tasks[0], 1_000 * cost)
    assert pace.share() == pytest.approx(0.5)
    for task in tasks[1:]:
        pace.finished(task, 1_000 * cost)
    assert (pace.share(), pace.left()) == (1.0, 0.0)


def test_tasks_of_an_earlier_run_do_not_change_the_speed() -> None:
    clock, tasks = Clock(), _tasks()
    pace = Pace(tasks, 1, 2.0, clock)
    for task in tasks[:3]:
        pace.finished(task, None)
    assert pace.left() == pytest.approx(2 * tasks[3].seconds)
    assert pace.share() == pytest.approx(0.75)
