"""The verdict on each clause and on each profile.

A clause fails if any of its tests fails. It is `not applicable` if the product does not have
anything that its tests could measure. It is `skipped` if all of its tests were skipped or the
sample was smaller than the clause accepts. It is `simulated` if it requires a machine and a model
of one answered. A profile with a skipped clause is `incomplete`, one with a simulated clause
`simulated`; both are not a pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rng_certification.base.judgement import holm
from rng_certification.base.weights import WEIGHTS, Weights, weight_of
from rng_certification.profiles.profile import Clause, Profile

PASS, FAIL, SKIPPED, NOT_APPLICABLE = "pass", "fail", "skipped", "not applicable"
CONSTRUCTION, NOT_CLAIMED = "shown by construction", "not claimed"
INCOMPLETE, SIMULATED = "incomplete", "simulated"
BOARD = "board"  # the source with real mechanics

# A test in a campaign's judgement: name, p, adjusted_p, verdict, sample ...
Test = Mapping[str, Any]
Lacks = Callable[[str], str]


def answers(
    profiles: Iterable[Profile],
    tests: Sequence[Test],
    parts: Sequence[Mapping[str, Any]],
    weights: Weights = WEIGHTS,
    lacks: Lacks = lambda test: "",
) -> list[dict[str, Any]]:
    """Return one entry for each profile, with one for each clause.

    `parts`: the parts of a campaign. `lacks`: the reasons why tests of a pattern do not apply to
    the product.
    """
    outcomes = {part["id"]: Outcomes.of(part) for part in parts}
    return [_profile(profile, tests, outcomes, weights, lacks) for profile in profiles]


@dataclass(frozen=True)
class Outcomes:
    """The outcomes in one part: the machine, their number, and whether a model gave them."""

    machine: str
    number: int
    simulated: bool

    @staticmethod
    def of(part: Mapping[str, Any]) -> Outcomes:
        """Count outcomes: each card of a shuffled pack, and each card that a carousel deals."""
        cards = part["parameters"].get("deck", 1) if part["unit"] == "shuffles" else 1
        return Outcomes(
            part["subject"],
            cards * part["sample"],
            simulated=part["source"] != BOARD,
        )


def chance_of_any_failure(profiles: Iterable[Mapping[str, Any]]) -> float:
    """Return the highest chance that a good source fails a profile, at its top confidence."""
    alphas = [
        1 - max(map(float, entry["at_confidence"])) for entry in profiles if entry["at_confidence"]
    ]
    return min(1.0, sum(alphas))


def _profile(
    profile: Profile,
    tests: Sequence[Test],
    outcomes: Mapping[str, Outcomes],
    weights: Weights,
    lacks: Lacks,
) -> dict[str, Any]:
    found = [_tests_of(clause, tests) for clause in profile.clauses]
    clauses = [
        _clause(clause, its_tests, outcomes, lacks)
        for clause, its_tests in zip(profile.clauses, found, strict=True)
    ]
    answering = {test["name"] for its_tests in found for test in its_tests}
    ran = _adjusted([test for test in tests if test["name"] in answering], weights)
    return {
        "profile": profile.name,
        "title": profile.title,
        "about": profile.about,
        "verdict": _worst(clause["verdict"] for clause in clauses),
        # The verdict decides; this is the result at the standard's own confidence, over only the
        # tests that answer this profile.
        "at_confidence": {
            str(level): FAIL if any(p <= 1 - level for p in ran) else PASS
            for level in profile.confidence
            if ran
        },
        "clauses": clauses,
    }


def _adjusted(tests: Sequence[Test], weights: Weights) -> list[float]:
    """Return p-values of one profile's tests, adjusted as a separate family."""
    weighed = {test["name"]: weight_of(test["name"], weights) for test in tests}
    ran = [test for test in tests if test["p"] is not None]
    own = [weighed[test["name"]] for test in ran]
    return holm([test["p"] for test in ran], own, sum(weighed.values()))


def _worst(verdicts: Iterable[str]) -> str:
    given = set(verdicts)
    if FAIL in given:
        return FAIL
    if given & {SKIPPED, INCOMPLETE}:
        return INCOMPLETE
    return SIMULATED if SIMULATED in given else PASS


def _tests_of(clause: Clause, tests: Iterable[Test]) -> list[Test]:
    return [test for test in tests if clause.answered_by(test["name"])]


def _clause(
    clause: Clause, found: list[Test], outcomes: Mapping[str, Outcomes], lacks: Lacks
) -> dict[str, Any]:
    """Return the entry of a clause; `found`: the tests that answer it."""
    entry: dict[str, Any] = {"clause": clause.id, "cites": clause.cites, "asks": clause.asks}
    if clause.here:
        entry["here"] = clause.here
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
    if not found and all(map(lacks, clause.tests)):
        lacking = dict.fromkeys(map(lacks, clause.tests))
        return entry | {"verdict": NOT_APPLICABLE, "why": "; ".join(lacking)}
    ran = [test for test in found if test["p"] is not None]
    entry["tests"] = list(clause.tests)
    entry["number"], entry["ran"] = len(found), len(ran)
    entry["failed"] = [test["name"] for test in ran if test["verdict"] == FAIL]
    if ran:
        entry["smallest_p"] = min(test["p"] for test in ran)
        entry["smallest_adjusted_p"] = min(test["adjusted_p"] for test in ran)
    took = {test["name"].split("/")[0] for test in ran} & outcomes.keys()
    why = _why_skipped(clause, found, ran, [outcomes[part] for part in sorted(took)])
    entry["verdict"] = FAIL if entry["failed"] else SKIPPED if why else PASS
    if why:
        entry["why"] = why
    elif clause.mechanical and entry["verdict"] == PASS:
        modelled = sorted({outcomes[part].machine for part in took if outcomes[part].simulated})
        if modelled:
            why = f"by a model of the mechanics, not on a machine: {', '.join(modelled)}"
            entry |= {"verdict": SIMULATED, "why": why}
    return entry


def _why_skipped(
    clause: Clause, found: list[Test], ran: list[Test], took: Sequence[Outcomes]
) -> str:
    """Return the reason for a skip; empty if the clause was answered."""
    if not found:
        return "this campaign does not have the tests that answer it"
    if not ran:
        reasons = dict.fromkeys(test.get("skipped") or "not enough data" for test in found)
        return f"every test that answers it was skipped: {'; '.join(reasons)}"
    machines: Counter[str] = Counter()
    for each in took:
        machines[each.machine] += each.number
    few = [f"{machine} {n:,}" for machine, n in sorted(machines.items()) if n < clause.least]
    if few:
        return f"requires {clause.least:,} outcomes of each machine; available: {', '.join(few)}"
    return ""
