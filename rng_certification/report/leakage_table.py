"""The report's leakage table: bits of the next card, their worth, and the observers they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FAIL, SKIPPED, OPEN = "fail", "skipped", "open"
_WHO = {
    "group": "An observer of the order in which cards go back, with a written list; no "
    "computer is needed.",
    "counter": "An observer of every card dealt and returned, in order, with a computer.",
    "shelves": "An observer with the order before the shuffle and a view of each dealt card.",
    "slots": "No observer: every order is equally likely.",
    "ear": "A listener with a microphone at the table and a view of the faces that go "
    "into the tray.",
}
WRITTEN_LIST = 2.0  # bits from which a written list is enough: group ejection has 3.6


def leakage_rows(
    parts: Iterable[Mapping[str, Any]], tests: Iterable[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return two rows for each measured machine (counter and listener), failures first."""
    verdicts = {test["name"]: test["verdict"] for test in tests}
    rows = [
        entry
        for part in parts
        if (leakage := part["figures"].get("told"))
        for entry in (
            _row(part, leakage, "counter", verdicts),
            _row(part, leakage, "ear", verdicts),
        )
    ]
    return sorted(rows, key=lambda row: row["verdict"] != FAIL)


def _row(
    part: Mapping[str, Any], leakage: Mapping[str, Any], who: str, verdicts: Mapping[str, str]
) -> dict[str, str]:
    figure = leakage[who]
    verdict = verdicts.get(f"{part['id']}/{who}/bits", FAIL)
    interval = f" ± {figure['error']:.2f}" if figure["error"] else ""
    return {
        "verdict": OPEN if verdict == SKIPPED else verdict,
        "machine": machine_of(part["title"]),
        "by": "its law" if who == "counter" else "its sound",
        "bits": f"{figure['bits']:.2f}{interval}",
        "allowed": f"{leakage['ideal'] + leakage['limit']:.2f}",
        "edge": _edge(leakage, figure),
        "who": _observer_text(leakage, who),
    }


def machine_of(title: str) -> str:
    """Return the machine's name from the title of a predictability part."""
    return title.removeprefix("Predictability of ")


def _edge(leakage: Mapping[str, Any], figure: Mapping[str, Any]) -> str:
    """Return the house edge against a player betting by it; below zero the player gains."""
    edge = figure.get("house_edge_percent")
    return "" if edge is None else f"{leakage['house_edge_percent']:.1f} % to {edge:.1f} %"


def leakage_sentence(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return the sentence above the table, or "" without measurements."""
    limits = [part["figures"]["told"] for part in parts if "told" in part["figures"]]
    if not limits:
        return ""
    return (
        "In bits of the next card, with half of the 95 % interval: a lower bound each, "
        "unless its sentence calls it the most. Allowed: the bits of an ideal machine, "
        f"and {limits[0]['limit']:g} more; the complete interval must be below. House "
        "edge: of the first game in the table below, and against a bettor who stakes "
        f"{limits[0]['spread']} to 1 by this prediction; below zero the bettor gains."
    )


def _observer_text(leakage: Mapping[str, Any], who: str) -> str:
    if who == "ear":
        return _WHO["ear"] + (_unheard(leakage) if leakage["direction_hidden"] else "")
    if leakage["counter"]["by"] == "the exact law":
        return _WHO["shelves" if leakage["counter"]["bits"] else "slots"]
    return _WHO["group" if leakage["counter"]["bits"] > WRITTEN_LIST else "counter"]


def _unheard(leakage: Mapping[str, Any]) -> str:
    """Describe a machine with turns that all sound alike except for their directions."""
    right = f"{100 * leakage['ear_direction']:.0f} times in 100"
    if tested := leakage["direction_tested"]:
        legs, named = tested
        shown = (
            f" The maker's own test, {named:,} of {legs:,} legs, showed that the "
            f"direction of a leg is identified no more often than {right}; it was not "
            "repeated here."
        )
    else:
        shown = (
            " The machine file declares that a listener cannot hear the direction of the "
            "wheel; no recording of a built drive has tested that. The figure assumes "
            f"that a listener is right {right}, which counts as just audible, and does "
            "not affect the verdict."
        )
    return (
        f"{shown} The figure is the most that any listener could make of that. Were the first card "
        f"of every round known, the house edge would be {leakage['edge_of_knowing_percent']:.0f} %."
    )
