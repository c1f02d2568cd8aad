"""One verdict over all findings: one family and one alpha, declared before the data is seen.

If each of several hundred tests is judged at 0.01, a good source nearly always fails at least one.
Here every test, every sequence and every second-level rule is a member of one family. Holm's
step-down adjustment limits the chance that a good source fails any of them to at most
`FAMILY_ALPHA`, however the tests depend on each other. Each test has a share of alpha, by a weight
that is declared before the data is seen; the share of a skipped test is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rng_certification.base.finding import Finding
from rng_certification.base.weights import WEIGHTS, Weights, weight_of

FAMILY_ALPHA = 0.005


@dataclass(frozen=True)
class Judged:
    """A finding with its rank in the family. A skipped test does not pass or fail."""

    finding: Finding
    adjusted: float | None
    verdict: str  # "pass", "fail" or "skipped"
    detectable: float | None  # at power 0.99, with the correction for all tests of the family


@dataclass(frozen=True)
class Judgement:
    """Every test with its verdict, and one verdict over all tests at the family's alpha."""

    alpha: float
    tests: tuple[Judged, ...]

    @property
    def passed(self) -> bool:
        return not any(test.verdict == "fail" for test in self.tests)

    @property
    def verdict(self) -> str:
        """Return `pass` or `fail` for all tests of the family."""
        return "pass" if self.passed else "fail"

    @property
    def failures(self) -> tuple[Judged, ...]:
        """Return the failed tests, smallest adjusted p first."""
        failed = (test for test in self.tests if test.verdict == "fail")
        return tuple(sorted(failed, key=lambda test: test.finding.p or 0.0))


def judge(
    findings: Iterable[Finding], alpha: float = FAMILY_ALPHA, weights: Weights = WEIGHTS
) -> Judgement:
    given = list(findings)
    weighed = [weight_of(finding.name, weights) for finding in given]
    ran = [(f.p, w) for f, w in zip(given, weighed, strict=True) if f.p is not None]
    places = iter(holm([p for p, _ in ran], [weight for _, weight in ran], sum(weighed)))
    shares = iter(weight / sum(weighed) for _, weight in ran)
    return Judgement(
        alpha,
        tuple(
            _skipped(finding)
            if finding.p is None
            else _judged(finding, next(places), alpha, next(shares))
            for finding in given
        ),
    )


def holm(
    p_values: Sequence[float], weights: Sequence[float] = (), total: float = 0.0
) -> list[float]:
    """Return adjusted p-values in the given order: at most alpha exactly where Holm's method
    rejects.

    `total` is the weight of all planned tests, including those that did not run.
    """
    weights = weights or [1.0] * len(p_values)
    left = max(total, sum(weights))
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for i in sorted(range(len(p_values)), key=lambda i: p_values[i] / weights[i]):
        highest = max(highest, min(1.0, left / weights[i] * p_values[i]))
        adjusted[i] = highest
        left -= weights[i]
    return adjusted


def _judged(finding: Finding, adjusted: float, alpha: float, share: float) -> Judged:
    detectable = finding.power.detectable(alpha * share) if finding.power else None
    return Judged(finding, adjusted, "fail" if adjusted <= alpha else "pass", detectable)


def _skipped(finding: Finding) -> Judged:
    return Judged(finding, None, "skipped", None)
