"""The permutation tests of section 5.1: whether the order of the samples has information.

Each statistic of the data is compared with the statistics of up to 10,000 shuffles of the same
samples. If at most five shuffles reach the data's statistic, or at most five do not exceed it, the
samples are not independent and identically distributed. Shuffling ends when each side has six,
because more could not change the answer. The p-value is from Besag and Clifford (1991), which is
right with such a stop: six divided by the number of shuffles.
"""

from __future__ import annotations

import bz2
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rng_certification.base.compiled import Bytes, Floats, Words, compiled
from rng_certification.base.laws import two_sided
from rng_certification.sp800_90b.samples import Samples

Flags = npt.NDArray[np.bool_]
SHUFFLES = 10_000
ENOUGH = 6
LAGS = (1, 2, 8, 16, 32)
COMPRESSION = "compression"
NAMES = (
    "excursion",
    "directional-runs/number",
    "directional-runs/longest",
    "increases-and-decreases",
    "median-runs/number",
    "median-runs/longest",
    "collision/average",
    "collision/maximum",
    *(f"periodicity/lag-{lag}" for lag in LAGS),
    *(f"covariance/lag-{lag}" for lag in LAGS),
    COMPRESSION,
)
CHEAP = len(NAMES) - 1


@dataclass(frozen=True)
class PermutationRank:
    """The rank of the data's statistic among those of its shuffles."""

    name: str
    statistic: float
    at_least: int  # shuffles with a statistic at least as large
    at_most: int  # shuffles with a statistic at most as large
    shuffles: int
    p: float

    @property
    def passes(self) -> bool:
        """Return whether NIST's rule for identically distributed, independent samples is met."""
        return min(self.at_least, self.at_most) >= ENOUGH


def permutation_tests(
    samples: Samples,
    seed: int,
    shuffles: int = SHUFFLES,
    advance: Callable[[int], None] = lambda undecided: None,
) -> tuple[PermutationRank, ...]:
    """Run the tests; `advance` receives the number of undecided statistics after each shuffle."""
    data = samples.raw.copy()
    binary = samples.alphabet <= 2 and samples.bits == 1
    mean, median = float(data.mean()), 0.5 if binary else float(np.median(data))
    undecided = np.ones(len(NAMES), dtype=bool)
    own = np.append(_statistics(data, binary, mean, median, undecided), _compressed(data))
    reached = np.zeros((2, len(NAMES)), dtype=np.int64)  # at least, at most
    until = np.zeros((2, len(NAMES)), dtype=np.int64)  # the shuffle with the sixth
    done = np.zeros(len(NAMES), dtype=np.int64)
    random = np.random.SeedSequence(seed).generate_state(4, np.uint64).astype(np.uint64)
    for turn in range(1, shuffles + 1):
        _shuffle(data, random)
        here = np.append(_statistics(data, binary, mean, median, undecided), own[-1])
        if undecided[-1]:
            here[-1] = _compressed(data)
        for side, hit in enumerate((here >= own, here <= own)):
            reached[side, undecided & hit] += 1
            until[side, (reached[side] == ENOUGH) & (until[side] == 0)] = turn
        done[undecided] = turn
        undecided &= ~until.all(axis=0)
        advance(int(undecided.sum()))
        if not undecided.any():
            break
    return tuple(
        PermutationRank(
            name,
            float(own[i]),
            int(reached[0, i]),
            int(reached[1, i]),
            int(done[i]),
            two_sided(*(_p(int(reached[s, i]), int(until[s, i]), int(done[i])) for s in (0, 1))),
        )
        for i, name in enumerate(NAMES)
    )


def _p(reached: int, until: int, shuffles: int) -> float:
    return ENOUGH / until if until else (reached + 1) / (shuffles + 1)


def _compressed(data: Bytes) -> float:
    """Return the length of the samples as decimal numbers with spaces between, after bzip2."""
    if int(data.max()) < 10:
        text = np.full(2 * len(data), ord(" "), dtype=np.uint8)
        text[::2] = data + ord("0")
        return float(len(bz2.compress(text.tobytes(), 5)))
    return float(len(bz2.compress(" ".join(map(str, data.tolist())).encode(), 5)))


@compiled
def _shuffle(data: Bytes, state: Words) -> None:
    """Shuffle by Fisher and Yates, with xoshiro256** (Blackman and Vigna); `state` advances.

    An index is the upper part of a product. For a million samples no index is more likely than
    another by more than 2^-23 of its chance, which no rank among 10,000 can show.
    """
    a, b, c, d = state
    keep = np.uint64(1)
    while np.uint64(len(data)) >> keep:
        keep += np.uint64(1)
    rest = np.uint64(64) - keep
    for place in range(len(data) - 1, 0, -1):
        fives = b * np.uint64(5)
        drawn = (fives << np.uint64(7) | fives >> np.uint64(57)) * np.uint64(9)
        shifted = b << np.uint64(17)
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = d << np.uint64(45) | d >> np.uint64(19)
        other = (drawn >> keep) * np.uint64(place + 1) >> rest
        data[place], data[other] = data[other], data[place]
    state[0], state[1], state[2], state[3] = a, b, c, d


@compiled
def _eights(data: Bytes, weigh: bool) -> Bytes:
    """Return groups of eight bits as numbers of ones (conversion I) or as bytes (conversion II)."""
    out = np.zeros((len(data) + 7) // 8, dtype=np.uint8)
    for place in range(len(data)):
        if weigh:
            out[place >> 3] += data[place]
        else:
            out[place >> 3] |= data[place] << (7 - (place & 7))
    return out


@compiled
def _statistics(data: Bytes, binary: bool, mean: float, median: float, wanted: Flags) -> Floats:
    """Return all statistics but compression, in the order of NAMES; zero if unwanted."""
    weights = _eights(data, True) if binary else data
    numbers = _eights(data, False) if binary and wanted[6:8].any() else data
    out = np.zeros(CHEAP, dtype=np.float64)
    if wanted[0]:
        out[0] = _excursion(data, mean)
    if wanted[1:4].any():
        out[1], out[2], out[3] = _directions(weights)
    if wanted[4:6].any():
        out[4], out[5] = _median_runs(data, median)
    if wanted[6:8].any():
        out[6], out[7] = _collisions(numbers)
    for k, lag in enumerate(LAGS):
        if wanted[8 + k] or wanted[8 + len(LAGS) + k]:
            out[8 + k], out[8 + len(LAGS) + k] = _lagged(weights, lag)
    return out


@compiled
def _excursion(data: Bytes, mean: float) -> float:
    total, most = 0, 0.0
    for place in range(len(data)):
        total += data[place]
        most = max(most, abs(total - (place + 1) * mean))
    return most


@compiled
def _directions(data: Bytes) -> tuple[int, int, int]:
    """Return runs of falling and not falling: their number, the longest, the common direction."""
    runs, longest, run, falls = 1, 1, 1, 0
    before = data[0] > data[1]
    falls += before
    for place in range(1, len(data) - 1):
        falling = data[place] > data[place + 1]
        falls += falling
        run = run + 1 if falling == before else 1
        runs += falling != before
        longest = max(longest, run)
        before = falling
    return runs, longest, max(falls, len(data) - 1 - falls)


@compiled
def _median_runs(data: Bytes, median: float) -> tuple[int, int]:
    runs, longest, run = 1, 1, 1
    before = data[0] < median
    for place in range(1, len(data)):
        below = data[place] < median
        run = run + 1 if below == before else 1
        runs += below != before
        longest = max(longest, run)
        before = below
    return runs, longest


@compiled
def _collisions(data: Bytes) -> tuple[float, int]:
    """Return the mean and largest number of samples until one repeats; the count then restarts."""
    last = np.full(256, -1, dtype=np.int64)
    begin = times = total = most = 0
    for place in range(len(data)):
        if last[data[place]] >= begin:
            waited = place - begin + 1
            times += 1
            total += waited
            most = max(most, waited)
            begin = place + 1
        else:
            last[data[place]] = place
    return total / max(1, times), most


@compiled
def _lagged(data: Bytes, lag: int) -> tuple[int, int]:
    """Return the samples that equal the sample at this lag, and the sum of their products."""
    equal = product = 0
    for place in range(len(data) - lag):
        here, there = data[place], data[place + lag]
        equal += here == there
        product += np.int64(here) * there
    return equal, product
