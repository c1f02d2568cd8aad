"""The tables of tests in a report: by kind, and all of them."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from typing import Any

from cutcard.spreadsheet import Sheet
from rng_certification.report.glossary import meaning_of, short_measure

# Groups of tests by the kind of a part; other kinds form a group under their own name.
_TITLES = {
    "bits": "Raw bits",
    "draws": "Draws",
    "shuffles": "Shuffled packs",
    "shelves": "Shelf machines, against their own law",
    "continuous": "Continuous shufflers",
    "predictability": "Predictability",
    "counters": "Predictability",
    "jackpot": "Prizes",
    "presses": "Prizes at several tables",
    "construction": "The random source",
    "replay": "The random source",
    "power_cuts": "The random source",
    "first_draws": "The random source",
    "noise": "The random source",
    "health": "The random source",
    "board": "A device on a cable",
    "batteries": "Other batteries",
}


def by_kind(plan: list[dict[str, Any]], tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each kind of data, one row for each kind of test, over all parts of it.

    A row has the number of tests, the amount of data, the smallest p, and the smallest fault found.
    """
    kinds = {part["id"]: _TITLES.get(part["kind"], part["kind"].capitalize()) for part in plan}
    of_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for test in tests:
        of_kind[kinds[test["name"].split("/")[0]]].append(test)
    return [
        {
            "title": title,
            "parts": ", ".join(part for part, kind in kinds.items() if kind == title),
            "rows": _groups(of_kind[title]),
        }
        for title in dict.fromkeys(kinds.values())
        if of_kind[title]
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
    verdicts = {test["verdict"] for test in tests}
    finds, measure = _finds_from(ran)
    return {
        "title": title,
        "number": f"{len(ran):,}" if len(ran) == len(tests) else f"{len(ran):,} of {len(tests):,}",
        "sample": _range_of_samples(ran),
        "smallest_p": f"{min(test['p'] for test in ran):.2g}" if ran else "",
        "adjusted_p": f"{min(test['adjusted_p'] for test in ran):.2g}" if ran else "",
        "detectable": finds,
        "measure": measure,
        "verdict": "fail" if "fail" in verdicts else "pass" if ran else "skipped",
    }


def _finds_from(ran: list[dict[str, Any]]) -> tuple[str, str]:
    """Return the range of the most common measure; the list of all tests has each."""
    effects: dict[str, list[float]] = defaultdict(list)
    for test in ran:
        if test.get("detectable") is not None:
            effects[short_measure(test["detectable_is"])].append(test["detectable"])
    if not effects:
        return "", ""
    measure = max(effects, key=lambda each: len(effects[each]))
    least, most = effect(min(effects[measure])), effect(max(effects[measure]))
    return (least if least == most else f"{least} to {most}"), measure


def _range_of_samples(ran: list[dict[str, Any]]) -> str:
    """Return the range of samples in the most common unit."""
    if not ran:
        return ""
    unit = Counter(test["unit"] for test in ran).most_common(1)[0][0]
    numbers = [test["sample"] for test in ran if test["unit"] == unit]
    least, most = min(numbers), max(numbers)
    return f"{least:,} {unit}" if least == most else f"{least:,} to {most:,} {unit}"


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
            "measure": short_measure(test.get("detectable_is", "")),
            "verdict": test["verdict"],
            "skipped": test.get("skipped", ""),
        }
        for test in tests
    ]


COLUMNS = ("test", "verdict", "p", "adjusted_p", "sample", "unit", "statistic", "finds_from", "in")


def csv_of(tests: list[dict[str, Any]]) -> str:
    """Return all tests, one per line, in the order of campaign.json."""
    out = io.StringIO()
    sheet = Sheet(out)
    sheet.write((*COLUMNS, "skipped"))
    for test in tests:
        figures = (test[key] for key in ("p", "adjusted_p", "sample", "unit", "statistic"))
        effect_of = (test.get("detectable"), test.get("detectable_is", ""))
        sheet.write((test["name"], test["verdict"], *figures, *effect_of, test.get("skipped", "")))
    return out.getvalue()
