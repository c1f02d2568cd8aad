"""The exact rates of false alarms of the two health tests, for independent samples.

Section 4.4 bounds the chance of a false alarm; here it is computed, for the tests as implemented in
the firmware: the first sample of a window counts itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import bdtrc


def mean_wait_for_repetition(chances: Sequence[float], cutoff: int) -> float:
    """Return the mean number of samples until a value has occurred `cutoff` times in a row."""
    rate = sum(p**cutoff * (1 - p) / (1 - p**cutoff) for p in chances if 0 < p < 1)
    return cutoff if 1.0 in chances else 1 / rate


@lru_cache(maxsize=64)
def repetition_alarm(chances: tuple[float, ...], cutoff: int, samples: int) -> float:
    """Return the chance of an alarm within this many samples after a reset."""
    law = np.zeros(
        (len(chances), cutoff)
    )  # indices: value, and run so far minus one; alarmed runs have left the table
    p = np.array(chances)
    law[:, 0] = p
    alarmed = 1 - float(law.sum())
    for _ in range(samples - 1):
        after = np.zeros_like(law)
        after[:, 1:] = law[:, :-1] * p[:, None]
        by_value = law.sum(axis=1)
        after[:, 0] = (by_value.sum() - by_value) * p
        alarmed += float(after[:, -1].sum())
        after[:, -1] = 0
        law = after
    return alarmed


def proportion_alarm(chances: Sequence[float], cutoff: int, window: int) -> float:
    """Return the chance that one window alarms: its first value occurs `cutoff` times, itself
    included."""
    return sum(p * float(bdtrc(cutoff - 2, window - 1, p)) for p in chances)


def mean_wait_for_proportion(chances: Sequence[float], cutoff: int, window: int) -> float:
    """Return the mean number of samples until a window alarms, up to the alarm itself."""
    alarm = proportion_alarm(chances, cutoff, window)
    if alarm == 0:
        return float("inf")
    # The failing window does not run to its end: the alarm is at the cutoff-th occurrence.
    within = sum(p * _mean_alarm_place(p, cutoff, window) for p in chances if p > 0) / alarm
    return (1 / alarm - 1) * window + within


def _mean_alarm_place(p: float, cutoff: int, window: int) -> float:
    """Return the place of the alarm times its chance, in a window that began with this value."""
    # The alarm is at place n if cutoff - 2 of the n - 2 samples in between equal the value, and so
    # does this one.
    places = np.arange(cutoff, window + 1)
    at_least = np.array([float(bdtrc(cutoff - 2, int(n) - 1, p)) for n in places])
    falls_on = np.diff(at_least, prepend=0.0)
    return float(np.dot(places, falls_on))
