"""An estimate of the remaining time of a campaign.

It begins with the declared cost of each part, scaled by the speed of this computer. The actual time
of each finished part corrects it.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence

from rng_certification.campaign.work import Task

# Seconds of `_sample` on the computer on which the costs of parts were measured.
REFERENCE = 0.028
_SAMPLES = 3


def slowness() -> float:
    """Return the time of this computer for the same work, relative to the reference computer."""
    return min(_sample() for _ in range(_SAMPLES)) / REFERENCE


def _sample() -> float:
    began = time.perf_counter()
    state = b""
    for _ in range(40_000):
        state = hashlib.sha256(state).digest()
    return time.perf_counter() - began


class Pace:
    """Estimates of one run of several tasks on `cores` cores."""

    def __init__(
        self,
        tasks: Sequence[Task],
        cores: int,
        slower: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._slower = slower
        self._costs = {(task.part.id, task.shard): task.seconds for task in tasks}
        self._cores = max(1, min(cores, len(tasks)))
        self._at = clock()
        self._expected = self._spent = 0.0
        self._left = self._from_costs()
        self._whole = sum(self._costs.values())
        self._share = 0.0

    def finished(self, task: Task, seconds: float | None) -> None:
        """Record the end of a task; `seconds` is None for a task finished by an earlier run."""
        cost = self._costs.pop((task.part.id, task.shard))
        if seconds is not None:
            self._expected += cost
            self._spent += seconds
        self._at, self._left = self._clock(), self._from_costs()

    def left(self) -> float:
        """Return the seconds until all tasks are finished: fewer as time passes, but never 0 before
        that."""
        if not self._left:
            return 0.0
        return self._left * math.exp(-(self._clock() - self._at) / self._left)

    def share(self) -> float:
        """Return the finished share of all costs, which never falls."""
        left = sorted(self._costs.values(), reverse=True)
        passed = (self._clock() - self._at) * self._cores / self._slower_now()
        cost = sum(left[: self._cores])
        # Advances while tasks run, but never counts them as finished.
        running = -cost * math.expm1(-passed / cost) if cost else 0.0
        if self._whole:
            self._share = max(self._share, 1 - (sum(left) - running) / self._whole)
        return self._share

    def _slower_now(self) -> float:
        return self._spent / self._expected if self._expected else self._slower

    def _from_costs(self) -> float:
        costs = self._costs.values()
        # The longest task is a lower bound of the time on any number of cores.
        return self._slower_now() * max(sum(costs) / self._cores, max(costs, default=0.0))
