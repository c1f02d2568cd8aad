"""Run the shards of a job on all cores of this machine, or on a Dask cluster: the same numbers.

Counts are integers and are added up, so order and number of workers do not matter.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, TypeVar

from cutcard.edge.simulate.cut_card import SHOES, run_cut_shard
from cutcard.edge.simulate.figures import Shard, SimulationFigures, figures
from cutcard.edge.simulate.job import Job, Ready, rounds_of, run_shard
from cutcard.edge.simulate.machines import (
    run_machine_shard,
    run_watched_shard,
    seen_in_a_shard,
)
from cutcard.edge.simulate.rounds import PlayedRounds, joined, record_shard
from cutcard.edge.simulate.watching import Gauge, learned
from rng_certification.base.cluster import ClusterFailedError, on_cluster

if TYPE_CHECKING:
    from distributed import Client

Result = TypeVar("Result")
LEARNING_SHARDS = 24  # shards without wagers
_LEARNING = 1 << 40  # the first of them, beyond all that are played


class SimulationInterruptedError(Exception):
    """Raised if the simulation was stopped before the first shard was played."""


def simulate(
    job: Job,
    made: Ready,
    rounds: int,
    *,
    machine: str = "",
    cores: int | None = None,
    scheduler: str | Client | None = None,
    played: Callable[[int], None] = lambda rounds: None,
    lost: Callable[[str], None] = lambda why: None,
) -> tuple[SimulationFigures, bool]:
    """Return the figures of this many rounds, and whether all of them were played.

    Ctrl-C returns the rounds so far, and so does a lost cluster, which is reported to `lost`.
    Raises SimulationInterruptedError or ClusterFailedError if there are none.
    """
    shards, whole = played_shards(job, rounds, machine, cores, scheduler, played, lost=lost)
    return figures(job, made.bets, made.sides, shards), whole


def played_shards(
    job: Job,
    rounds: int,
    machine: str = "",
    cores: int | None = None,
    scheduler: str | Client | None = None,
    played: Callable[[int], None] = lambda rounds: None,
    gauge: Gauge | None = None,
    after: int = 0,
    lost: Callable[[str], None] = lambda why: None,
) -> tuple[list[Shard], bool]:
    """Return the shards of a job, on a machine if one is named, and whether all were played.

    With a `gauge`, watching counters weigh rounds by it, and their gain is a shard's last part.
    `after`: this many shards are skipped, because they were played elsewhere. Ctrl-C returns the
    shards so far, and so does a lost cluster, which is reported to `lost`. Raises
    SimulationInterruptedError or ClusterFailedError if there are none.
    """
    work: Callable[..., Shard] = run_machine_shard if machine else run_shard
    named: tuple[Any, ...] = (machine,) if machine else ()
    if gauge is not None:
        work, named = run_watched_shard, (machine, asdict(gauge))
    return _gathered(work, _arguments(job, rounds, named, after), cores, scheduler, played, lost)


def play_recorded(
    job: Job,
    rounds: int,
    cores: int | None = None,
    scheduler: str | Client | None = None,
    played: Callable[[int], None] = lambda rounds: None,
) -> PlayedRounds:
    """Play and return rounds as arrays: the same rounds as `simulate` counts.

    Ctrl-C raises KeyboardInterrupt, and a failing cluster ClusterFailedError.
    """
    work = record_shard
    arguments = _arguments(job, rounds, (), 0)
    results = (
        on_cluster(scheduler, work, arguments)
        if scheduler
        else _here_in_order(work, arguments, cores)
    )
    shards: dict[int, Sequence[Any]] = {}
    for place, shard in results:
        shards[place] = shard
        played(shard[0][0])
    return joined([shards[place] for place in sorted(shards)])


def cut_shards(
    job: Job,
    shoes: int,
    fixed: int,
    cores: int | None = None,
    scheduler: str | Client | None = None,
    played: Callable[[int], None] = lambda rounds: None,
    lost: Callable[[str], None] = lambda why: None,
) -> tuple[list[Shard], bool]:
    """Return shards of shoes, each dealt to the cutting card and to a fixed number of rounds.

    Early ends and errors are as with `played_shards`.
    """
    arguments = [(asdict(job), fixed, shard, SHOES) for shard in range(-(-shoes // SHOES))]
    return _gathered(run_cut_shard, arguments, cores, scheduler, played, lost)


def _gathered(
    work: Callable[..., Shard],
    arguments: list[tuple[Any, ...]],
    cores: int | None,
    scheduler: str | Client | None,
    played: Callable[[int], None],
    lost: Callable[[str], None],
) -> tuple[list[Shard], bool]:
    """Return the results, each with the number of its rounds first, and whether all arrived."""
    done = (
        (result for _, result in on_cluster(scheduler, work, arguments))
        if scheduler
        else _here(work, arguments, cores)
    )
    shards: list[Shard] = []
    whole = True
    try:
        for shard in done:
            shards.append(shard)
            played(shard[0][0])
    except KeyboardInterrupt:
        whole = False
    except ClusterFailedError as failed:
        lost(str(failed))
        if not shards:
            raise
        whole = False
    if not shards:
        raise SimulationInterruptedError
    return shards, whole


def having_learned(job: Job, machine: str, gauge: Gauge, cores: int | None = None) -> Gauge:
    """Return the gauge of a watcher who has seen a machine deal, with the chances of cards by
    place."""
    shards = range(_LEARNING, _LEARNING + LEARNING_SHARDS)
    data, plain = asdict(job), asdict(gauge)
    arguments = [(data, machine, plain, shard, job.shard_rounds) for shard in shards]
    seen = list(_here(seen_in_a_shard, arguments, cores))
    hits, exposures = (sum(part) for part in zip(*seen, strict=True))
    return replace(gauge, chances=learned(hits, exposures))


def _arguments(job: Job, rounds: int, named: tuple[Any, ...], after: int) -> list[tuple[Any, ...]]:
    number = -(-rounds // job.shard_rounds)
    data = asdict(job)
    return [(data, *named, after + shard, rounds_of(job, shard, rounds)) for shard in range(number)]


def _here_in_order(
    work: Callable[..., Result], arguments: list[tuple[Any, ...]], cores: int | None
) -> Iterator[tuple[int, Result]]:
    """Yield each result with its place, in the order of the arguments."""
    with ThreadPoolExecutor(cores or len(os.sched_getaffinity(0))) as pool:
        yield from enumerate(pool.map(lambda each: work(*each), arguments))


def _here(
    work: Callable[..., Result], arguments: list[tuple[Any, ...]], cores: int | None
) -> Iterator[Result]:
    """Run in threads, because the kernel releases the interpreter: no process is started."""
    work(*arguments[0][:-1], 1)  # compiles, or loads the compiled code, once
    pool = ThreadPoolExecutor(cores or len(os.sched_getaffinity(0)))
    try:
        running = [pool.submit(work, *each) for each in arguments]
        for future in as_completed(running):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
