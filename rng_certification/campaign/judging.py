"""Judge all parts of a campaign as one family: one verdict, one file."""

from __future__ import annotations

from typing import Any

from rng_certification.base.finding_rows import from_row, judged_rows
from rng_certification.base.judgement import judge
from rng_certification.campaign.layers import judged_layers, verdict_of
from rng_certification.campaign.plan import FORMAT, CampaignPlan
from rng_certification.profiles.answers import answers
from rng_certification.profiles.profile import Profile, profile_in, profiles_of


def profiles_for(plan: CampaignPlan) -> tuple[Profile, ...]:
    """Return the profiles that a plan answers; no profiles for given data."""
    if plan.product is None:
        return ()
    if plan.profile_file:
        return (profile_in(plan.profile_file, plan.profile),)
    return profiles_of(plan.profile)


def judged(
    plan: CampaignPlan, parts: list[dict[str, Any]], fingerprints: dict[str, Any]
) -> dict[str, Any]:
    findings = [
        from_row(row).named(f"{part['id']}/{row['name']}")
        for part in parts
        for row in part["findings"]
    ]
    judgement = judge(findings, plan.alpha, plan.weights)
    tests = judged_rows(judgement)
    product = plan.product
    layers = judged_layers(product, tests, parts, plan.evidence) if product else []
    lacks = product.lacks if product else lambda test: ""
    clauses = answers(profiles_for(plan), tests, parts, plan.weights, lacks)
    return {
        "format": FORMAT,
        "plan": plan.as_json(),
        "plan_sha256": plan.sha256,
        "fingerprints": fingerprints,
        "parts": parts,
        "judgement": {"alpha": judgement.alpha, "verdict": judgement.verdict, "tests": tests},
        "layers": layers,
        "clauses": clauses,
        "verdict": verdict_of(layers) if product else judgement.verdict,
    }
