"""What the page is told of a machine while it runs."""

from __future__ import annotations

import pytest

from cutcard.devices.device import Counters, Status
from cutcard.table.running import told_of

COUNTERS = Counters(1, 2, 3, 4, 9000, 4096, 0, 0)


@pytest.mark.parametrize(
    ("fault", "noise"),
    [(None, "good"), ("random-source", "failed its test"), ("door-open", "")],
)
def test_the_health_of_the_noise_is_told_only_where_it_is_known(
    fault: str | None, noise: str
) -> None:
    mode = "ready" if fault is None else "fault"
    status = Status(mode, fault, 0, 312, 306, 6, 5, 1, 40, 30, 2)
    assert told_of(status, COUNTERS) == {
        "mode": mode,
        "ready": 5,
        "behind": 301,
        "armed": 1,
        "noise": noise,
        "free_heap": 9000,
        "refused": 10,
    }
