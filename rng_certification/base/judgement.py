"""One verdict over all findings: one family, one alpha, declared before the data is seen.

A good source fails at least one of a few hundred tests nearly always if each is held against
0.01. Here every test, every sequence and every second-level rule is a member of one family.
Holm's step-down adjustment keeps the chance that a good source fails any of them at most
`FAMILY_ALPHA`, however the tests depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rng_certification.base.finding import Finding

FAMILY_ALPHA = 0.005


@dataclass(frozen=True)
class Judged:
    """A finding with its place in the family. A skipped test neither passes nor fails."""

    finding: Finding
    adjusted: float | None
    verdict: str  # "pass", "fail" or "skipped"
    detectable: float | None  # at power 0.99, with the whole family's correction


@dataclass(frozen=True)
class Judgement:
    """Every test with its verdict, and one verdict over all of them at the family's alpha."""

    alpha: float
    tests: tuple[Judged, ...]

    @property
    def passed(self) -> bool:
        return not any(test.verdict == "fail" for test in self.tests)

    @property
    def verdict(self) -> str:
        """`pass` or `fail`, over the whole family."""
        return "pass" if self.passed else "fail"

    @property
    def failures(self) -> tuple[Judged, ...]:
        """The tests that failed, the most certain first."""
        failed = (test for test in self.tests if test.verdict == "fail")
        return tuple(sorted(failed, key=lambda test: test.finding.p or 0.0))


def judge(findings: Iterable[Finding], alpha: float = FAMILY_ALPHA) -> Judgement:
    given = list(findings)
    adjusted = holm([finding.p for finding in given if finding.p is not None])
    members = len(adjusted)
    places = iter(adjusted)
    return Judgement(
        alpha,
        tuple(
            _skipped(finding)
            if finding.p is None
            else _judged(finding, next(places), alpha, members)
            for finding in given
        ),
    )


def holm(p_values: list[float]) -> list[float]:
    """Adjusted p-values in the order given: at most alpha exactly where Holm's method rejects."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    ranked = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for rank, i in enumerate(ranked):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def _judged(finding: Finding, adjusted: float, alpha: float, members: int) -> Judged:
    detectable = finding.power.detectable(alpha / members) if finding.power else None
    return Judged(finding, adjusted, "fail" if adjusted <= alpha else "pass", detectable)


def _skipped(finding: Finding) -> Judged:
    return Judged(finding, None, "skipped", None)
