"""The clauses of a report: for each profile, the requirements of its clauses and the answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rng_certification.campaign.judging import profiles_for
from rng_certification.campaign.plan_reading import read_plan

CLAUSE_VERDICTS = (
    "pass",
    "fail",
    "simulated",
    "skipped",
    "not applicable",
    "shown by construction",
    "not claimed",
)


def profile_of(entry: dict[str, Any]) -> dict[str, Any]:
    counts = Counter(clause["verdict"] for clause in entry["clauses"])
    return {
        "name": entry["profile"],
        "title": entry["title"],
        "about": entry["about"],
        "verdict": entry["verdict"],
        "counts": {verdict: counts[verdict] for verdict in CLAUSE_VERDICTS},
        "at_confidence": [
            {"confidence": f"{100 * float(level):g} %", "verdict": verdict}
            for level, verdict in entry["at_confidence"].items()
        ],
        "clauses": [_clause(clause) for clause in entry["clauses"]],
    }


def _clause(clause: dict[str, Any]) -> dict[str, Any]:
    return {
        "cites": clause["cites"],
        "asks": clause["asks"],
        "here": clause.get("here", ""),
        "verdict": clause["verdict"],
        "tests": _so_many(clause) if "ran" in clause else "",
        "smallest_p": f"{clause['smallest_p']:.2g}" if "smallest_p" in clause else "",
        "adjusted_p": (
            f"{clause['smallest_adjusted_p']:.2g}" if "smallest_adjusted_p" in clause else ""
        ),
        "why": clause.get("why", ""),
        "failed": clause.get("failed", []),
        "shown_by": [_shown_by(where) for where in clause.get("shown_by", [])],
        "page": clause.get("page", ""),
    }


def _so_many(clause: dict[str, Any]) -> str:
    ran, number = clause["ran"], clause["number"]
    return f"{ran:,}" if ran == number else f"{ran:,} of {number:,}"


def _shown_by(where: str) -> dict[str, str]:
    """Return a test of the source code as a sentence, and its location."""
    file, _, function = where.partition("::")
    return {"file": file, "says": function.removeprefix("test_").replace("_", " ")}


def beside_the_clauses(campaign: dict[str, Any]) -> dict[str, Any]:
    """Return the tests that answer no clause; they also count in the verdict."""
    profiles = profiles_for(read_plan(campaign["plan"]))
    clauses = [clause for profile in profiles for clause in profile.clauses]
    others = [
        test
        for test in campaign["judgement"]["tests"]
        if not any(clause.answered_by(test["name"]) for clause in clauses)
    ]
    failed = sum(test["verdict"] == "fail" for test in others)
    return {
        "said": f"{len(others):,} tests ran that answer no clause. They count in the "
        f"verdict over all; {failed} of them failed."
    }
