"""Runs the shards of a job on all cores of this machine, or on a Dask cluster: the same numbers.

Counts are whole numbers and are added up, so that neither order nor number of workers matters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict

from cutcard.edge.simulate.figures import Figures, Shard, figures
from cutcard.edge.simulate.job import Job, Ready, rounds_of, run_shard
from rng_certification.base.cluster import on_cluster


class Interrupted(Exception):
    """Raised where somebody stopped it before the first shard was played."""


def simulate(
    job: Job,
    made: Ready,
    rounds: int,
    *,
    cores: int | None = None,
    scheduler: str | None = None,
    played: Callable[[int], None] = lambda rounds: None,
) -> tuple[Figures, bool]:
    """The figures of so many rounds, and whether all of them were played.

    Ctrl-C gives what there is until then. Raises Interrupted where that is nothing.
    """
    shards: list[Shard] = []
    work = _on_cluster(job, rounds, scheduler) if scheduler else _here(job, rounds, cores)
    whole = True
    try:
        for shard in work:
            shards.append(shard)
            played(shard[0][0])
    except KeyboardInterrupt:
        whole = False
    if not shards:
        raise Interrupted
    return figures(job, made.bets, made.sides, shards), whole


def _arguments(job: Job, rounds: int) -> list[tuple[dict[str, object], int, int]]:
    number = -(-rounds // job.shard_rounds)
    data = asdict(job)
    return [(data, shard, rounds_of(job, shard, rounds)) for shard in range(number)]


def _here(job: Job, rounds: int, cores: int | None) -> Iterator[Shard]:
    """Threads, for the kernel lets go of the interpreter: nothing is started anew."""
    arguments = _arguments(job, rounds)
    run_shard(arguments[0][0], 0, 1)  # compiles, or loads what was compiled, once
    pool = ThreadPoolExecutor(cores or len(os.sched_getaffinity(0)))
    try:
        running = [pool.submit(run_shard, *each) for each in arguments]
        for future in as_completed(running):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _on_cluster(job: Job, rounds: int, scheduler: str) -> Iterator[Shard]:
    for _, result in on_cluster(scheduler, run_shard, _arguments(job, rounds)):
        yield result
