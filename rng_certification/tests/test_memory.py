"""Batteries have large tables: each must be freed with its last reference, before a collection."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rng_certification.bits.bits_battery import BitsBattery
from rng_certification.draws.draws_battery import DrawsBattery
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.jackpot.prizes_battery import PrizesBattery
from rng_certification.planted import bits, draws, shuffles
from rng_certification.shuffles.shuffles_battery import ShufflesBattery

RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("make", "data"),
    [
        (BitsBattery, lambda: bits.good(RANDOM, 130_000)),
        (lambda: DrawsBattery(38), lambda: draws.good(RANDOM, 10_000, 38)),
        (lambda: ShufflesBattery(52), lambda: shuffles.good(RANDOM, 1_000, 52)),
        (
            lambda: PrizesBattery(find_prizes("madness-21")),
            lambda: draws.good(RANDOM, 10_000, 3750),
        ),
    ],
    ids=["bits", "draws", "shuffles", "prizes"],
)
def test_a_battery_is_freed_with_its_last_reference(
    make: Callable[[], Any], data: Callable[[], Any]
) -> None:
    first = make()  # compile first: the compiler's own cycles do not belong to the battery
    first.feed(data())
    first.findings()
    gc.disable()
    try:
        battery = make()
        battery.feed(data())
        battery.findings()
        gone = weakref.ref(battery)
        del battery
        assert gone() is None
    finally:
        gc.enable()
