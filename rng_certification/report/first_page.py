"""Page one of a report: the product, one box for each layer, open items, conditions, failures."""

from __future__ import annotations

from typing import Any

from rng_certification.campaign.layers import FAIL, OPEN
from rng_certification.report.glossary import meaning_of
from rng_certification.report.money_table import gain_words, rulebooks_not_passed

MOST_FAILURES = 5
WORDS = {"pass": "Pass", "fail": "Fail", "open": "Open", "not applicable": "Not applicable"}


def boxes(campaign: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "layer": layer["layer"],
            "title": layer["title"],
            "asks": layer["asks"],
            "verdict": layer["verdict"],
            "word": WORDS[layer["verdict"]],
            "found": layer["found"],
            "counts": _counts(layer),
        }
        for layer in campaign["layers"]
    ]


def open_items(campaign: dict[str, Any]) -> list[dict[str, str]]:
    return [
        {"layer": layer["layer"], **item} for layer in campaign["layers"] for item in layer["open"]
    ]


def failures(campaign: dict[str, Any]) -> dict[str, Any]:
    """The failures of this product: tests, and evidence above a declared limit."""
    parts = {part["id"]: part for part in campaign["parts"]}
    named = [
        {"layer": layer["layer"], "name": name, "finding": _finding(name, parts)}
        for layer in campaign["layers"]
        for name in layer["failed"]
    ]
    named += [
        {"layer": layer["layer"], "name": "evidence", "finding": layer["found"]}
        for layer in campaign["layers"]
        if layer["verdict"] == FAIL and not layer["failed"]
    ]
    more = len(named) - MOST_FAILURES
    return {"named": named[:MOST_FAILURES], "more": f"and {more} more" if more > 0 else ""}


def _finding(name: str, parts: dict[str, Any]) -> str:
    """The result of a failed test in words: its figure if it has a limit, otherwise its subject."""
    part_id, _, test = name.partition("/")
    leakage = parts[part_id]["figures"].get("told") if part_id in parts else None
    if leakage and test in ("counter/bits", "ear/bits"):
        bits = leakage[test.partition("/")[0]]["bits"]
        by = "by observation" if test.startswith("counter") else "by sound"
        allowed = leakage["ideal"] + leakage["limit"]
        return f"{bits:.2f} bits of the next card {by}; {allowed:.2f} allowed"
    if leakage and test.startswith("money/"):
        for entry in leakage["money"]["rulebooks"]:
            if test == f"money/{entry['rulebook']}":
                return gain_words(entry)
    meaning = meaning_of(test)
    return meaning.title if meaning else ""


def verdict_sentence(campaign: dict[str, Any], sentences: dict[str, str]) -> str:
    """Return the sentence of the verdict, with the layers that it covers."""
    layers = campaign["layers"]
    return sentences[campaign["verdict"]].format(
        product=product_named(campaign["plan"]["product"]),
        failed=_list(layers, FAIL),
        open=_list(layers, OPEN),
    )


def conditions(campaign: dict[str, Any], texts: list[str]) -> list[str]:
    """Return the conditions of use: stated, not judged."""
    product = campaign["plan"]["product"]
    firmware = campaign["fingerprints"].get("firmware", {})
    return [
        text.format(
            product=product_named(product),
            machine_sha256=product["machine_sha256"][:16],
            modules=len(firmware),
            packs=_packs(product),
            rulebooks=_rulebooks(product, rulebooks_not_passed(campaign["parts"])),
        )
        for text in texts
        if "{rulebooks}" not in text or product["rulebooks"]
    ]


def product_named(product: dict[str, Any]) -> str:
    decks = product["decks"]
    name: str = product["machine"]
    if decks:
        name += f" with {decks} deck{'s' if decks > 1 else ''} of 52 cards"
    if product["prizes"]:
        name += f", prize tables {', '.join(product['prizes'])}"
    return name


def _packs(product: dict[str, Any]) -> str:
    decks = product["decks"]
    return f"Packs of {decks * 52} cards." if decks else "No cards."


def _rulebooks(product: dict[str, Any], failing: list[str]) -> str:
    """Name the rulebooks of the product, and others in which the measured gain is too large."""
    covered = f"Rulebooks: {', '.join(product['rulebooks'])}."
    if not failing:
        return covered
    return f"{covered} Not for {', '.join(failing)}: there a bettor would gain more than allowed."


def _counts(layer: dict[str, Any]) -> str:
    ran, failed = layer["ran"], len(layer["failed"])
    if not ran:
        return ""
    tests = f"{ran:,} test{'s' if ran > 1 else ''}"
    return f"{tests}, {failed:,} failed" if failed else tests


def _list(layers: list[dict[str, Any]], verdict: str) -> str:
    return ", ".join(layer["layer"] for layer in layers if layer["verdict"] == verdict)
