"""Run shards on all cores of this machine, or on a Dask cluster, with identical bytes.

Both take and return plain data. Results are written immediately, in the order of arrival; later
steps use the plan's order.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import asdict
from itertools import chain
from typing import Any

from cutcard.untrusted import shown
from rng_certification.base.cluster import on_cluster
from rng_certification.base.one_core import pool
from rng_certification.campaign.folder import CampaignFolder, DamagedShardError
from rng_certification.campaign.plan import AT_PORT, CampaignPlan, Part
from rng_certification.campaign.work import Task, part_of, timed_shard

Done = tuple[Task, dict[str, Any], float]  # the result of a task, and the seconds that it took


def tasks_of(plan: CampaignPlan) -> list[Task]:
    machine_file = plan.product.machine_file if plan.product else ""
    return [
        Task(part, shard, plan.seed, machine_file)
        for part in plan.parts
        for shard in range(part.shards)
    ]


def _arguments(task: Task) -> tuple[dict[str, Any], int, str, str]:
    """Return the arguments of `timed_shard`."""
    return asdict(task.part), task.shard, task.seed, task.machine_file


def run_all(
    plan: CampaignPlan,
    folder: CampaignFolder,
    *,
    processes: int | None = None,
    scheduler: str | None = None,
    finished: Callable[[Task, float | None], None] = lambda task, seconds: None,
) -> list[dict[str, Any]]:
    """Return the results of all parts; shards in the folder are not run again.

    `finished` is called with each task and its duration in seconds; None for a shard in the folder.
    """
    left = []
    for task in tasks_of(plan):
        if folder.has_shard(task.part, task.shard):
            finished(task, None)
        else:
            left.append(task)
    # The longest first, so that a short task ends last.
    left.sort(key=lambda task: -task.seconds)
    here = [task for task in left if task.part.source in AT_PORT]
    away = [task for task in left if task.part.source not in AT_PORT]
    work = _on_cluster(away, scheduler) if scheduler else _on_this_machine(away, processes)
    for task, result, seconds in chain(_one_after_the_other(here), work):
        folder.keep_shard(task.part, task.shard, result)
        finished(task, seconds)
    results = []
    for part in plan.parts:
        results.append(_together(part, folder))
        folder.keep_part(part, results[-1])
    return results


def _together(part: Part, folder: CampaignFolder) -> dict[str, Any]:
    shards = folder.shards_of(part)
    try:
        return part_of(part, shards)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DamagedShardError(
            f"a shard of {part.id} in {folder.path}/shards is invalid "
            f"({shown(repr(error))}). Remove the shards of {part.id} to run them again"
        ) from error


def _one_after_the_other(tasks: Sequence[Task]) -> Iterator[Done]:
    """Run the tasks one after another, for a single core or a single device."""
    for task in tasks:
        yield task, *timed_shard(*_arguments(task))


def _on_this_machine(tasks: Sequence[Task], processes: int | None) -> Iterator[Done]:
    cores = min(processes or len(os.sched_getaffinity(0)), len(tasks))
    if cores <= 1:
        yield from _one_after_the_other(tasks)
        return
    with pool(cores) as workers:
        running = {workers.submit(timed_shard, *_arguments(task)): task for task in tasks}
        try:
            for future in as_completed(running):
                yield running[future], *future.result()
        except BaseException:
            # Running tasks are cancelled: a later run repeats them from their own seeds.
            workers.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.kill()
            raise


def _on_cluster(tasks: Sequence[Task], scheduler: str) -> Iterator[Done]:
    arguments = [_arguments(task) for task in tasks]
    for place, timed in on_cluster(scheduler, timed_shard, arguments):
        yield tasks[place], *timed
