"""An evening on the bench in which the power goes once, at a write of the flash."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from cutcard.bench.client import Bench

TORN = (0.0, 0.5, 1.0)  # nothing of it was written, half of it, all of it and nobody was told


ONE_IN = 8


class Evening(Protocol):
    """What is done at a machine, by a host that mends what a cut left behind."""

    cuts: int  # how often the power went

    def live(self) -> None: ...

    def end(self) -> None:
        """Check that all is as it should be, and go."""


def evening_with_a_cut(
    begin: Callable[[Bench], Evening], bench: Bench, at: int, torn: float
) -> bool:
    """Whether the cut came at all: a later one than the last write does not."""
    evening = begin(bench)
    bench.do("flash", what="cut", at=at, torn=torn)
    evening.live()
    evening.end()
    return evening.cuts == 1


def some_writes(writes: int) -> range:
    """One write in so many, from a first that the seed of the run chooses. `make soak` cuts at all
    of them."""
    return range(random.randint(1, ONE_IN), writes + 1, ONE_IN)


def writes_of_an_evening(begin: Callable[[Bench], Evening], bench: Bench) -> int:
    evening = begin(bench)
    before = bench.do("flash", what="wear")["operations"]
    evening.live()
    evening.end()
    return int(bench.do("flash", what="wear")["operations"] - before)
