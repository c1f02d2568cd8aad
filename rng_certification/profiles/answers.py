"""The verdict on each clause, on each profile, and over all.

A clause fails with any of its tests. It is `skipped` where none of them ran, or where the sample
was smaller than the clause accepts. A profile with a skipped clause is `incomplete`: nobody may
read a pass into tests that were not done. Over all, every test of the campaign counts, whether
or not a clause asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rng_certification.base.judgement import holm
from rng_certification.base.weights import WEIGHTS, Weights, weight_of
from rng_certification.profiles.profile import Clause, Profile

PASS, FAIL, SKIPPED = "pass", "fail", "skipped"
CONSTRUCTION, NOT_CLAIMED = "shown by construction", "not claimed"
INCOMPLETE = "incomplete"

# A test as a campaign's judgement lists it: name, p, adjusted_p, verdict, sample ...
Test = Mapping[str, Any]


def answers(
    profiles: Iterable[Profile],
    tests: Sequence[Test],
    samples: Mapping[str, int],
    weights: Weights = WEIGHTS,
) -> list[dict[str, Any]]:
    """One entry for each profile, with one for each clause. `samples`: outcomes of each part."""
    return [_profile(profile, tests, samples, weights) for profile in profiles]


def chance_of_any_failure(profiles: Iterable[Mapping[str, Any]]) -> float:
    """The most that a good source fails some profile with, at the highest confidence of each."""
    alphas = [
        1 - max(map(float, entry["at_confidence"])) for entry in profiles if entry["at_confidence"]
    ]
    return min(1.0, sum(alphas))


def verdict_over_all(profiles: Iterable[Mapping[str, Any]], tests: Iterable[Test]) -> str:
    if any(test["verdict"] == FAIL for test in tests):
        return FAIL
    return _worst(entry["verdict"] for entry in profiles)


def _profile(
    profile: Profile, tests: Sequence[Test], samples: Mapping[str, int], weights: Weights
) -> dict[str, Any]:
    clauses = [_clause(clause, tests, samples) for clause in profile.clauses]
    answering = {test["name"] for clause in profile.clauses for test in _tests_of(clause, tests)}
    ran = _adjusted([test for test in tests if test["name"] in answering], weights)
    return {
        "profile": profile.name,
        "title": profile.title,
        "about": profile.about,
        "verdict": _worst(clause["verdict"] for clause in clauses),
        # Our decision is the verdict; this is what the standard's own confidence would say, over
        # the tests that answer this profile and no others.
        "at_confidence": {
            str(level): FAIL if any(p <= 1 - level for p in ran) else PASS
            for level in profile.confidence
            if ran
        },
        "clauses": clauses,
    }


def _adjusted(tests: Sequence[Test], weights: Weights) -> list[float]:
    """p-values of one profile's tests, adjusted as a family of their own."""
    weighed = {test["name"]: weight_of(test["name"], weights) for test in tests}
    ran = [test for test in tests if test["p"] is not None]
    own = [weighed[test["name"]] for test in ran]
    return holm([test["p"] for test in ran], own, sum(weighed.values()))


def _worst(verdicts: Iterable[str]) -> str:
    given = set(verdicts)
    if FAIL in given:
        return FAIL
    return INCOMPLETE if given & {SKIPPED, INCOMPLETE} else PASS


def _tests_of(clause: Clause, tests: Iterable[Test]) -> list[Test]:
    return [test for test in tests if clause.answered_by(test["name"])]


def _clause(clause: Clause, tests: Sequence[Test], samples: Mapping[str, int]) -> dict[str, Any]:
    entry: dict[str, Any] = {"clause": clause.id, "cites": clause.cites, "asks": clause.asks}
    if clause.shown_by:
        entry["shown_by"] = list(clause.shown_by)
    if clause.page:
        entry["page"] = clause.page
    entry |= clause.limits
    if not clause.tests:
        entry["verdict"] = NOT_CLAIMED if clause.not_claimed else CONSTRUCTION
        if clause.not_claimed:
            entry["why"] = clause.not_claimed
        return entry
    found = _tests_of(clause, tests)
    ran = [test for test in found if test["p"] is not None]
    entry["tests"] = list(clause.tests)
    entry["number"], entry["ran"] = len(found), len(ran)
    entry["failed"] = [test["name"] for test in ran if test["verdict"] == FAIL]
    if ran:
        entry["smallest_p"] = min(test["p"] for test in ran)
        entry["smallest_adjusted_p"] = min(test["adjusted_p"] for test in ran)
    why = _why_skipped(clause, found, ran, samples)
    entry["verdict"] = FAIL if entry["failed"] else SKIPPED if why else PASS
    if why:
        entry["why"] = why
    return entry


def _why_skipped(
    clause: Clause, found: list[Test], ran: list[Test], samples: Mapping[str, int]
) -> str:
    """Empty where the clause was answered."""
    if not found:
        return "no part of this campaign has the tests that answer it"
    if not ran:
        return "every test that answers it was skipped for want of data"
    largest = max(samples.get(test["name"].split("/")[0], 0) for test in ran)
    if largest < clause.least:
        return f"asks for {clause.least:,} outcomes; there were {largest:,}"
    return ""
