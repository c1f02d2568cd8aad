"""Tests with a Poisson law: birthday spacings, duplicates, and repeated stretches."""

from __future__ import annotations

from math import ceil, log2

import numpy as np

from rng_certification.base.compiled import Draws, Words
from rng_certification.base.finding import Finding
from rng_certification.base.laws import poisson
from rng_certification.base.repeats import Repeats

BIRTHDAYS = 1024
YEAR_BITS = 27  # smallest year: 1024^3 / 4 / 2^27 = 2 equal spacings per year
MOST_YEARS = 2000  # the Poisson law is an approximation: more years would test the approximation
DUPLICATES_BITS = 32


def _numbers(draws: Draws, span: int, together: int) -> Words:
    """Groups of `together` draws, each converted to one number in base N."""
    groups = draws[: len(draws) // together * together].reshape(-1, together)
    number = np.zeros(len(groups), dtype=np.uint64)
    for place in range(together):
        number = number * np.uint64(span) + groups[:, place]
    return number


class BirthdaySpacings:
    """Equal spacings between 1024 birthdays in a long year (Marsaglia)."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.together = max(1, ceil(YEAR_BITS / log2(span)))
        self.year = span**self.together
        self.people = int((8 * self.year) ** (1 / 3)) if self.year < 1 << 40 else 4 * BIRTHDAYS
        self.years = 0
        self.equal = 0

    def feed(self, draws: Draws) -> None:
        days = _numbers(draws, self.span, self.together)
        years = min(len(days) // self.people, MOST_YEARS - self.years)
        if years <= 0:
            return
        calendar = np.sort(days[: years * self.people].reshape(years, self.people), axis=1)
        spacings = np.sort(np.diff(calendar, axis=1), axis=1)
        self.equal += int(np.count_nonzero(spacings[:, 1:] == spacings[:, :-1]))
        self.years += years

    def findings(self) -> list[Finding]:
        name = "poisson/birthday-spacings"
        if self.years < 10:
            return [Finding.skip(name, self.years, "years", "fewer than ten years")]
        mean = self.years * self.people**3 / (4 * self.year)
        return [poisson(name, self.years, "years", self.equal, mean, "excess of equal spacings")]


class Duplicates:
    """Groups of draws that occur twice within a million, compared with the expected number."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.together = max(1, ceil(DUPLICATES_BITS / log2(span)))
        self.combinations = span**self.together
        self.groups = 0
        self.mean = 0.0
        self.equal = 0

    def feed(self, draws: Draws) -> None:
        numbers = np.sort(_numbers(draws, self.span, self.together))
        self.equal += int(np.count_nonzero(numbers[1:] == numbers[:-1]))
        self.groups += len(numbers)
        n, m = len(numbers), self.combinations
        self.mean += n - m * -np.expm1(n * np.log1p(-1 / m))

    def findings(self) -> list[Finding]:
        meaning = "excess of duplicates"
        return [poisson("duplicates", self.groups, "groups", self.equal, self.mean, meaning)]


class RepeatedStretches:
    """Stretches of 96 bits or more of draws that occur a second time."""

    def __init__(self, span: int) -> None:
        self.length = max(2, ceil(96 / log2(span)))
        self.repeats = Repeats()
        self.history = np.empty(0, dtype=np.uint32)

    def feed(self, draws: Draws) -> None:
        joined = np.concatenate((self.history, draws))
        self.repeats.feed(joined, self.length)
        self.history = joined[max(0, len(joined) - self.length + 1) :]

    def findings(self) -> list[Finding]:
        return [self.repeats.finding("repeated-stretches", "stretches")]
