"""Tests of the random walk: cumulative sums, random excursions and their variant.

SP 800-22, 2.13 to 2.15: the walk moves +1 for a one and -1 for a zero.

The walk advances a byte at a time from tables. It advances by single bits only near zero, which is
rare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erfc, gammaincc, ndtr

from rng_certification.base.compiled import Bytes, Counts, Floats, compiled, whole
from rng_certification.sp800_22.sequence import BitSequence

STATES = (-4, -3, -2, -1, 1, 2, 3, 4)
VARIANT_STATES = tuple(x for x in range(-9, 10) if x)
_NEAR = 9 + 8  # from farther out, eight steps do not reach a counted state
_MOST_VISITS = 5


def _steps_of_a_byte() -> Counts:
    """For each byte: the sum of its eight steps, and the lowest and highest place on the way."""
    table = np.zeros((256, 3), dtype=np.int64)
    for value in range(256):
        path = np.cumsum([1 if value >> (7 - i) & 1 else -1 for i in range(8)])
        table[value] = path[-1], path.min(), path.max()
    return table


_STEPS = _steps_of_a_byte()


@dataclass(frozen=True)
class Walk:
    """The statistics of one random walk for the tests."""

    bits: int
    figures: Counts  # the extremes, in the order of the properties below
    tallies: Counts  # cycles by state of STATES and visits 0 .. 5 or more
    visits: Counts  # visits to -9 .. 9 over the entire walk

    @property
    def end(self) -> int:
        return int(self.figures[0])

    @property
    def farthest(self) -> int:
        """The farthest distance from the beginning."""
        return int(max(-self.figures[1], self.figures[2]))

    @property
    def farthest_from_end(self) -> int:
        return int(max(self.figures[0] - self.figures[3], self.figures[4] - self.figures[0]))

    @property
    def cycles(self) -> int:
        """The number of cycles from zero to zero, including a last unfinished one."""
        return int(self.figures[5])


@compiled
def _walk(data: Bytes, bits: int, steps: Counts) -> tuple[Counts, Counts, Counts]:
    at = 0
    lowest, highest = bits, -bits
    lowest_before, highest_before = 0, 0
    cycles = 0
    tallies = np.zeros((9, 6), dtype=np.int64)
    visits = np.zeros(19, dtype=np.int64)
    in_cycle = np.zeros(9, dtype=np.int64)
    before_last = (bits - 1) // 8  # bytes that cannot contain the last bit
    for place in range(before_last + 1):
        value = data[place]
        if place < before_last and (at > 17 or at < -17):
            lowest = min(lowest, at + steps[value, 1])
            highest = max(highest, at + steps[value, 2])
            at += steps[value, 0]
            continue
        for i in range(min(8, bits - 8 * place)):
            lowest_before, highest_before = min(lowest, 0), max(highest, 0)
            at += 2 * ((whole(value) >> (7 - i)) & 1) - 1
            lowest, highest = min(lowest, at), max(highest, at)
            if -9 <= at <= 9:
                visits[at + 9] += 1
                if at == 0:
                    cycles += 1
                    for state in range(9):
                        tallies[state, min(in_cycle[state], 5)] += 1
                        in_cycle[state] = 0
                elif -4 <= at <= 4:
                    in_cycle[at + 4] += 1
    if at != 0:
        cycles += 1
        for state in range(9):
            tallies[state, min(in_cycle[state], 5)] += 1
    figures = np.array([at, lowest, highest, lowest_before, highest_before, cycles], dtype=np.int64)
    return figures, tallies, visits


def walk(sequence: BitSequence) -> Walk:
    figures, tallies, visits = _walk(sequence.packed, sequence.bits, _STEPS)
    return Walk(sequence.bits, figures, np.delete(tallies, 4, axis=0), visits)


def cumulative_sums(path: Walk) -> tuple[float, float]:
    """Forward and backward; backward uses the farthest distance of a partial sum from the end."""
    return (
        _chance_to_reach(path.bits, path.farthest),
        _chance_to_reach(path.bits, path.farthest_from_end),
    )


def _chance_to_reach(n: int, z: int) -> float:
    root = np.sqrt(n)

    def between(low: Counts, high: Counts) -> float:
        return float(np.sum(ndtr(high * z / root) - ndtr(low * z / root)))

    # integers, divided as in C: towards zero
    k = np.arange(int((int(-n / z) + 1) / 4), int((int(n / z) - 1) / 4) + 1)
    first = between(4 * k - 1, 4 * k + 1)
    k = np.arange(int((int(-n / z) - 3) / 4), int((int(n / z) - 1) / 4) + 1)
    return 1 - first + between(4 * k + 1, 4 * k + 3)


def least_cycles(bits: int) -> int:
    """The number of cycles below which the excursions tests do not apply."""
    return max(500, int(0.005 * bits**0.5))


def visit_chances(state: int) -> tuple[float, ...]:
    """Return the chances of 0, 1 .. 4, and 5 or more visits to a state in one cycle."""
    stay = 1 - 1 / (2 * abs(state))
    inner = [(1 - stay) ** 2 * stay ** (k - 1) for k in range(1, _MOST_VISITS)]
    return (stay, *inner, (1 - stay) * stay ** (_MOST_VISITS - 1))


def random_excursions(path: Walk) -> Floats:
    """Return one p-value for each of STATES."""
    expected = path.cycles * np.array([visit_chances(state) for state in STATES])
    statistic = ((path.tallies - expected) ** 2 / expected).sum(axis=1)
    p: Floats = gammaincc(5 / 2, statistic / 2)
    return p


def random_excursions_variant(path: Walk) -> Floats:
    """Return one p-value for each of VARIANT_STATES."""
    states = np.array(VARIANT_STATES)
    surplus = np.abs(path.visits[states + 9] - path.cycles)
    p: Floats = erfc(surplus / np.sqrt(2 * path.cycles * (4 * np.abs(states) - 2)))
    return p
