"""The first page's box: what can be foretold of each machine, what it is worth, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

PASS, FAIL = "pass", "fail"
_WHO = {
    "group": "Whoever sees the cards go back in order and writes them down: no computer is needed.",
    "counter": "Whoever sees every card dealt and put back, in order, and lets a computer follow.",
    "shelves": "Whoever knows the order before the shuffle and sees each card as it is dealt.",
    "slots": "Nobody: every order is equally likely.",
    "ear": "Whoever has a microphone at the table and sees the faces that go into the tray.",
}
WRITTEN_LIST = 2.0  # bits from which on a written list is enough: group ejection has 3.6


def what_is_told(
    parts: Iterable[Mapping[str, Any]], tests: Iterable[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Two entries for each machine that was measured, those that failed first."""
    verdicts = {test["name"]: test["verdict"] for test in tests}
    rows = [
        entry
        for part in parts
        if (told := part["figures"].get("told"))
        for entry in (
            _row(part, told, "counter", verdicts),
            _row(part, told, "ear", verdicts),
        )
    ]
    return sorted(rows, key=lambda row: row["verdict"] != FAIL)


def _row(
    part: Mapping[str, Any], told: Mapping[str, Any], who: str, verdicts: Mapping[str, str]
) -> dict[str, str]:
    figure = told[who]
    verdict = verdicts.get(f"{part['id']}/{who}/bits", FAIL)
    interval = f" ± {figure['error']:.2f}" if figure["error"] else ""
    said = (
        f"{part['title']}, by {'its law' if who == 'counter' else 'its sound'}: "
        f"{figure['bits']:.2f}{interval} bits of the next card; an ideal machine tells "
        f"{told['ideal']:.2f}, and {told['limit']:g} more is the limit."
    )
    return {"verdict": verdict, "says": " ".join((said, *_worth(told, figure), _who(told, who)))}


def _worth(told: Mapping[str, Any], figure: Mapping[str, Any]) -> list[str]:
    edge = figure.get("house_edge_percent")
    if edge is None:
        return []
    return [
        f"Wagering {told['spread']} to 1 by it turns a house edge of "
        f"{told['house_edge_percent']:.1f} % into {edge:.1f} %"
        + (": the player gains." if edge < 0 else ".")
    ]


def _who(told: Mapping[str, Any], who: str) -> str:
    if who == "ear":
        stated = (
            " That the way the wheel turns is told right no more often than "
            f"{100 * told['ear_direction']:.0f} times in 100 is what the machine file states of "
            "the mechanics; it was not measured here."
            if told["direction_hidden"]
            else ""
        )
        return _WHO["ear"] + stated
    if told["counter"]["by"] == "the exact law":
        return _WHO["shelves" if told["counter"]["bits"] else "slots"]
    return _WHO["group" if told["counter"]["bits"] > WRITTEN_LIST else "counter"]
