"""The tables of tests in a report: by kind, and all of them."""

from __future__ import annotations

import io
from collections import defaultdict
from typing import Any

from cutcard.spreadsheet import Sheet
from rng_certification.report.glossary import meaning_of


def by_group(parts: list[dict[str, Any]], tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each part, one row for each kind of test.

    How many, how much data, the smallest p, and the largest of the smallest effects that they find.
    """
    of_part: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for test in tests:
        of_part[test["name"].split("/")[0]].append(test)
    return [
        {"title": part["title"], "id": part["id"], "rows": _groups(of_part[part["id"]])}
        for part in parts
        if of_part[part["id"]]
    ]


def _groups(tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    grouped: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for test in tests:
        name = test["name"].split("/", 1)[1]
        meaning = meaning_of(name)
        grouped[meaning.title if meaning else name].append(test)
    return [_group(title, members) for title, members in grouped.items()]


def _group(title: str, tests: list[dict[str, Any]]) -> dict[str, Any]:
    ran = [test for test in tests if test["p"] is not None]
    # One meaning a row: of several kinds of effect the commonest is shown, the appendix has all.
    effects: dict[str, list[float]] = defaultdict(list)
    for test in ran:
        if test.get("detectable") is not None:
            effects[test["detectable_is"]].append(test["detectable"])
    meaning = max(effects, key=lambda each: len(effects[each]), default="")
    samples = {f"{test['sample']:,} {test['unit']}" for test in ran}
    verdicts = {test["verdict"] for test in tests}
    return {
        "title": title,
        "number": f"{len(ran):,}" if len(ran) == len(tests) else f"{len(ran):,} of {len(tests):,}",
        "sample": _range(samples, ran),
        "smallest_p": f"{min(test['p'] for test in ran):.2g}" if ran else "",
        "adjusted_p": f"{min(test['adjusted_p'] for test in ran):.2g}" if ran else "",
        "detectable": effect(max(effects[meaning])) if meaning else "",
        "measure": meaning,
        "verdict": "fail" if "fail" in verdicts else "pass" if ran else "skipped",
    }


def _range(samples: set[str], ran: list[dict[str, Any]]) -> str:
    if len(samples) <= 1:
        return "".join(samples)
    numbers = [test["sample"] for test in ran]
    return f"{min(numbers):,} to {max(numbers):,} {ran[0]['unit']}"


def effect(size: float) -> str:
    return f"{size:,.0f}" if size >= 100 else f"{size:.2g}"


def all_tests(tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "part": test["name"].split("/")[0],
            "name": test["name"].split("/", 1)[1],
            "sample": f"{test['sample']:,}",
            "unit": test["unit"],
            "p": "" if test["p"] is None else f"{test['p']:.3g}",
            "adjusted_p": "" if test["adjusted_p"] is None else f"{test['adjusted_p']:.3g}",
            "detectable": "" if test.get("detectable") is None else effect(test["detectable"]),
            "measure": test.get("detectable_is", ""),
            "verdict": test["verdict"],
            "skipped": test.get("skipped", ""),
        }
        for test in tests
    ]


COLUMNS = ("test", "verdict", "p", "adjusted_p", "sample", "unit", "statistic", "finds_from", "in")


def csv_of(tests: list[dict[str, Any]]) -> str:
    """All tests, one a line, as campaign.json has them."""
    out = io.StringIO()
    sheet = Sheet(out)
    sheet.write((*COLUMNS, "skipped"))
    for test in tests:
        figures = (test[key] for key in ("p", "adjusted_p", "sample", "unit", "statistic"))
        effect_of = (test.get("detectable"), test.get("detectable_is", ""))
        sheet.write((test["name"], test["verdict"], *figures, *effect_of, test.get("skipped", "")))
    return out.getvalue()
