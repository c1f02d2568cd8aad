"""Examine a noise source: its assessed entropy, and whether that supports its claim.

A noise source need not be uniform, so uniformity is not tested. The tests are: whether it has the
entropy that its maker claims, after a start and later; whether it is independent if that is
claimed; and whether the device's health tests would detect a loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import floor
from typing import Any

from scipy.special import bdtrc

from cutcard.machines.entropy import LAGS, WINDOW, noise_settings
from rng_certification.base.finding import Finding
from rng_certification.sp800_90b.assessment import Assessment, assess
from rng_certification.sp800_90b.counting import MOST_COMMON_VALUE
from rng_certification.sp800_90b.health_rates import detections, false_alarms
from rng_certification.sp800_90b.independence import independence_tests
from rng_certification.sp800_90b.permutation import SHUFFLES, permutation_tests
from rng_certification.sp800_90b.restart import Restarts, restart_tests
from rng_certification.sp800_90b.samples import Samples

INDEPENDENT = "independent and identically distributed"
DEPENDENT = "independence not assumed"


@dataclass
class ExaminationResult:
    """Findings for the family, and the figures for a report."""

    sample: int
    unit: str = "samples"
    findings: list[Finding] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def examine(
    samples: Samples,
    claim: float,
    *,
    independent: bool = False,
    restarts: Samples | None = None,
    seed: int = 0,
    shuffles: int = SHUFFLES,
    advance: Callable[[str], None] = lambda step: None,
) -> ExaminationResult:
    """Compare a million samples, and data of a thousand restarts if available, with a claim.

    `independent` selects the standard's track for samples claimed to be independent and identically
    distributed. They are tested for it, and assessed only by their most common value.
    """
    done = ExaminationResult(len(samples))
    advance("ten estimators")
    assessment = assess(samples)
    track = DEPENDENT
    if independent:
        track = _test_independence(samples, seed, shuffles, done, advance)
    assessed = _commonest(assessment) if track == INDEPENDENT else assessment.entropy
    done.findings += [
        _commonest_value(samples, claim),
        _hypothesis_finding("entropy/assessed", done, assessed, assessed > 0 and assessed >= claim),
    ]
    done.figures["entropy"] = {
        **assessment.as_json(),
        "claim": claim,
        "track": track,
        "assessed": assessed,
        "credited": assessed,
    }
    if restarts is not None:
        advance("restarts")
        initial = min(claim, assessed) if claim else assessed
        _test_restarts(restarts, initial, done)
    return done


def examine_health_tests(
    claim: float, alarm_bits: int, trials: int, seed: int
) -> ExaminationResult:
    """Examine the firmware's own tests on simulated noise: false alarms and times to detection."""
    done = ExaminationResult(trials, "trials")
    for entropy in sorted({claim, 0.5, 1.0}):
        done.findings += false_alarms(entropy, trials, seed)
    seen = detections(claim, alarm_bits, max(1, trials // 20), seed)
    done.findings += [finding for detection in seen for finding in detection.findings()]
    settings = noise_settings(claim, alarm_bits=alarm_bits)
    done.figures["health_tests"] = {
        "repetition_cutoff": settings.repetition_cutoff,
        "proportion_cutoff": settings.proportion_cutoff,
        "lag_cutoff": settings.lag_cutoff,
        "lags": LAGS,
        "window": WINDOW,
        "detections": [detection.as_json() for detection in seen],
    }
    done.notes.append(
        f"The noise is simulated. The lag test detects periods of up to {LAGS} samples, "
        "and of twice as many if the second half is the complement of the first; longer "
        "periods are not tested."
    )
    return done


def _hypothesis_finding(
    name: str, done: ExaminationResult, statistic: float, kept: bool
) -> Finding:
    """A requirement of the standard without a p-value: 1 if it is met, 0 if not."""
    return Finding(name, done.sample, done.unit, float(kept), statistic)


def _commonest_value(samples: Samples, claim: float) -> Finding:
    """Test whether a source of that entropy can show a value this often.

    Several values may have the largest chance that the entropy allows.
    """
    chance, mode = 2.0**-claim, int(samples.counts.max())
    p = min(1.0, floor(1 / chance) * float(bdtrc(mode - 1, len(samples), chance)))
    return Finding("entropy/commonest-value", len(samples), "samples", p, float(mode))


def _commonest(assessment: Assessment) -> float:
    """Return the estimate for independent samples (6.1): the most common value or bit."""
    whole = _named(assessment.literal)
    if not assessment.bitwise:
        return whole
    return min(whole, assessment.sample_bits * _named(assessment.bitwise))


def _named(estimates: tuple[Any, ...]) -> float:
    return next(float(e.entropy) for e in estimates if e.name == MOST_COMMON_VALUE)


def _test_independence(
    samples: Samples,
    seed: int,
    shuffles: int,
    done: ExaminationResult,
    advance: Callable[[str], None],
) -> str:
    """Add p-values to the family, and return the track that NIST's own rules allow."""
    if samples.alphabet < 2:
        return DEPENDENT
    advance("chi-square and longest repeat")
    tested = independence_tests(samples)
    advance("permutation tests")

    def undecided(number: int) -> None:
        advance(f"permutation tests, {number} undecided")

    ranked = permutation_tests(samples, seed, shuffles, undecided)
    done.findings += [
        *(
            Finding(f"independence/{test.name}", len(samples), "samples", test.both, test.statistic)
            for test in tested
        ),
        *(
            Finding(f"independence/{rank.name}", len(samples), "samples", rank.p, rank.statistic)
            for rank in ranked
        ),
    ]
    rejected = [test.name for test in tested if not test.passes]
    rejected += [rank.name for rank in ranked if not rank.passes]
    done.figures["independence"] = {
        "nist_rejects": rejected,
        "permutations": [
            {
                "name": rank.name,
                "statistic": rank.statistic,
                "at_least": rank.at_least,
                "at_most": rank.at_most,
                "shuffles": rank.shuffles,
                "p": rank.p,
            }
            for rank in ranked
        ],
    }
    return DEPENDENT if rejected else INDEPENDENT


def _test_restarts(restarts: Samples, initial: float, done: ExaminationResult) -> None:
    found = restart_tests(restarts, initial)
    done.findings += [
        Finding("restart/sanity", len(restarts), "samples", found.p, float(found.commonest)),
        Finding(
            "restart/validation",
            len(restarts),
            "samples",
            float(found.validated),
            min(found.rows.original, found.columns.original),
        ),
    ]
    done.figures["entropy"] |= {"restarts": _restart_figures(found), "credited": found.entropy}


def _restart_figures(found: Restarts) -> dict[str, Any]:
    return {
        "held_against": found.claimed,
        "commonest": found.commonest,
        "bound": found.bound,
        "h_rows": found.rows.original,
        "h_columns": found.columns.original,
        "validated": found.validated,
    }
