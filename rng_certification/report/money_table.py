"""The report's money table: the gain of a bettor with the strongest counter's predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rng_certification.report.leakage_table import machine_of

NOT_COVERED, NO_EDGE = "not covered", "no limit"


def money_rows(parts: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return a row for each machine, pack and rulebook; those that the product covers first."""
    rows = [
        _row(machine_of(part["title"]), entry)
        for part in parts
        if (money := _money(part))
        for entry in money["rulebooks"]
    ]
    return sorted(rows, key=lambda row: row["verdict"] == NOT_COVERED)


def money_sentence(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return the sentence above the table, or "" without measurements."""
    for part in parts:
        if money := _money(part):
            return (
                f"The gain of a bettor who stakes {money['spread']} units or one as the strongest "
                "counter predicts, for each unit wagered, valued with the true chances of the "
                f"cards. {money['safety']:g} times the upper one-sided 95 % limit of the gain must "
                f"be at most {100 * money['share']:g} % of the house edge. Below zero the bettor "
                "loses. A rulebook that this product does not cover is shown and not judged."
            )
    return ""


def rulebooks_not_passed(parts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the rulebooks outside of the product in which the gain is above its limit."""
    names = [
        entry["rulebook"]
        for part in parts
        if (money := _money(part))
        for entry in money["rulebooks"]
        if not entry["covered"] and not entry["passes"]
    ]
    return sorted(set(names))


def gain_words(entry: Mapping[str, Any]) -> str:
    """Return the gain and its limit in words, for a failure on page one."""
    return (
        f"gain of a bettor in {entry['rulebook']}: {entry['gain_percent']:+.2f} %; its upper limit "
        f"with the allowance is {entry['judged_percent']:+.2f} %, "
        f"{entry['allowed_percent']:.2f} % is allowed"
    )


def _money(part: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = part["figures"].get("told", {}).get("money")
    return found


def _row(machine: str, entry: Mapping[str, Any]) -> dict[str, str]:
    verdict = "pass" if entry["passes"] else "fail"
    if entry["house_edge_percent"] <= 0:
        verdict = NO_EDGE
    if not entry["covered"]:
        verdict = NOT_COVERED
    return {
        "machine": machine,
        "rulebook": entry["rulebook"],
        "edge": f"{entry['house_edge_percent']:.2f} %",
        "gain": f"{entry['gain_percent']:+.2f} %",
        "judged": f"{entry['judged_percent']:+.2f} %",
        "allowed": f"{entry['allowed_percent']:.2f} %" if entry["house_edge_percent"] > 0 else "",
        "ideal": f"{entry['ideal_gain_percent']:+.2f} %",
        "verdict": verdict,
    }
