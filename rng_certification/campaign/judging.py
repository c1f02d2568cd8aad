"""Judges all parts of a campaign as one family: one verdict, one file."""

from __future__ import annotations

from typing import Any

from rng_certification.base.judgement import judge
from rng_certification.base.rows import from_row, judged_rows
from rng_certification.campaign.given import PROFILE
from rng_certification.campaign.plan import FORMAT, Plan
from rng_certification.profiles.answers import answers, verdict_over_all
from rng_certification.profiles.profile import profiles_of


def judged(plan: Plan, parts: list[dict[str, Any]], fingerprints: dict[str, Any]) -> dict[str, Any]:
    findings = [
        from_row(row).named(f"{part['id']}/{row['name']}")
        for part in parts
        for row in part["findings"]
    ]
    judgement = judge(findings, plan.alpha, plan.weights)
    tests = judged_rows(judgement)
    profiles = () if plan.profile == PROFILE else profiles_of(plan.profile)
    clauses = answers(profiles, tests, parts, plan.weights)
    return {
        "format": FORMAT,
        "plan": plan.as_json(),
        "plan_sha256": plan.sha256,
        "fingerprints": fingerprints,
        "parts": parts,
        "judgement": {"alpha": judgement.alpha, "verdict": judgement.verdict, "tests": tests},
        "clauses": clauses,
        "verdict": verdict_over_all(clauses, tests),
    }
