"""The content of a report for both HTML and PDF, as plain data.

It depends only on the campaign, the cover, the words in `prose.toml` and `glossary.toml`, and the
table of planted defects: the same campaign and cover give the same report.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cutcard import __version__
from rng_certification.campaign.given import PROFILE
from rng_certification.profiles.answers import chance_of_any_failure
from rng_certification.report.clauses import CLAUSE_VERDICTS, beside_the_clauses, profile_of
from rng_certification.report.cover import lines_of
from rng_certification.report.details import detail_tables
from rng_certification.report.evaluation import pages
from rng_certification.report.first_page import (
    WORDS,
    boxes,
    conditions,
    failures,
    open_items,
    product_named,
    verdict_sentence,
)
from rng_certification.report.glossary import entries, measures, views
from rng_certification.report.leakage_table import leakage_rows, leakage_sentence
from rng_certification.report.money_table import money_rows, money_sentence
from rng_certification.report.planted import planted_table, uncaught_table
from rng_certification.report.reproducing import reproduce
from rng_certification.report.tables import all_tests, by_kind

_PROSE = tomllib.loads(Path(__file__).with_name("prose.toml").read_text(encoding="utf-8"))
MOST_NOTES = 4  # of one part
# Next to the word, for readers who do not see colours.
MARKS = {
    "pass": "✓",
    "fail": "✗",
    "open": "○",
    "not applicable": "\N{EN DASH}",
    "skipped": "○",
    "incomplete": "○",
    "simulated": "≈",
    "shown by construction": "✓",
    "not claimed": "\N{EN DASH}",
    "not covered": "\N{EN DASH}",
    "no limit": "\N{EN DASH}",
}
SOURCES = {
    "twin": "twin",
    "micropython": "MicroPython",
    "bench": "bench",
    "board": "board",
    "simulated": "simulated device",
    "given": "given",
}


def content_of(
    campaign: dict[str, Any],
    campaign_sha256: str,
    key: dict[str, Any] | None,
    cover: dict[str, str],
) -> dict[str, Any]:
    parts, tests = campaign["parts"], campaign["judgement"]["tests"]
    every = all_tests(tests)
    said = _PROSE | _PROSE["given"] if _is_given(campaign) else _PROSE
    stated = () if _is_given(campaign) else conditions(campaign, _PROSE["conditions"]["text"])
    on_cover = lines_of(cover, campaign, campaign_sha256)
    whether = "named" if cover.get("laboratory") else "none"
    return {
        "version": __version__,
        "campaign_sha256": campaign_sha256,
        "subtitle": _subtitle(campaign),
        "number": on_cover[0][1],
        "cover": on_cover,
        "generator": None if _is_given(campaign) else _PROSE["generator"],
        "not_looked_at": _PROSE["not_looked_at"]["text"],
        "clause_verdicts": CLAUSE_VERDICTS,
        "marks": MARKS,
        "verdict": _verdict(campaign, said["verdicts"]),
        "boxes": boxes(campaign),
        "open_items": open_items(campaign),
        "conditions": list(stated),
        "first_failures": failures(campaign),
        "evidence": _evidence(campaign["plan"]["evidence"]),
        "evaluation": pages(campaign),
        "evaluation_text": _PROSE["evaluation"]["text"],
        "standing": None if _is_given(campaign) else _PROSE["standing"],
        "signature": _signature(key),
        "told": leakage_rows(parts, tests),
        "told_text": leakage_sentence(parts),
        "money": money_rows(parts),
        "money_text": money_sentence(parts),
        "facts": _facts(campaign, campaign_sha256),
        "profiles": [profile_of(entry) for entry in campaign["clauses"]],
        "clauses_text": _PROSE["clauses"]["text"],
        "no_clauses": said.get("no_clauses", ""),
        "failures": [test for test in every if test["verdict"] == "fail"],
        "beside": beside_the_clauses(campaign),
        "parts": [_part(part) for part in parts],
        "methods": _methods(campaign),
        "groups": by_kind(campaign["plan"]["parts"], tests),
        "measures": [vars(measure) for measure in measures()],
        "details": detail_tables(parts),
        "planted": planted_table(),
        "uncaught": uncaught_table(),
        "notes": [note for part in parts for note in _notes(part)],
        "planted_text": _PROSE["planted"]["text"],
        "does_not_claim": [
            text.replace("{laboratory}", _PROSE["laboratory"][whether])
            for text in said["does_not_claim"]["text"]
        ],
        "check_text": said["check"]["text"],
        "names_text": _PROSE["names"]["text"],
        "reproduce": reproduce(campaign),
        "views": [vars(view) for view in views()],
        "glossary": [{"title": e.title, "looks": e.looks, "pattern": e.pattern} for e in entries()],
        "tests": [
            {
                "id": part["id"],
                "title": part["title"],
                "rows": [test for test in every if test["part"] == part["id"]],
            }
            for part in parts
        ],
        "tests_said": f"{len(tests):,} tests",
        "fingerprints": _fingerprints(campaign["fingerprints"]),
    }


def _notes(part: dict[str, Any]) -> list[str]:
    """Shorten a note of many lines, such as an interpreter's output, to the first and the last."""
    notes = []
    for note in part["notes"][:MOST_NOTES]:
        lines = note.splitlines() or [""]
        notes.append(f"{part['title']}: " + " … ".join(dict.fromkeys((lines[0], lines[-1]))))
    more = len(part["notes"]) - MOST_NOTES
    return [*notes, f"{part['title']}: {more} more such notes"] if more > 0 else notes


def _is_given(campaign: dict[str, Any]) -> bool:
    """Return whether the report is on given data, and not on one of our machines."""
    return bool(campaign["plan"]["profile"] == PROFILE)


def _verdict(campaign: dict[str, Any], sentences: dict[str, str]) -> dict[str, str]:
    word = campaign["verdict"]
    if _is_given(campaign):
        return {"key": word, "word": WORDS[word], "sentence": sentences[word]}
    return {"key": word, "word": WORDS[word], "sentence": verdict_sentence(campaign, sentences)}


def _evidence(given: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [
        {
            "layer": each["layer"],
            "device": each["device"],
            "made": f"{each['made_by']}, {each['made_on']}",
            "data": f"{each['data']['name']}, SHA-256 {each['data']['sha256']}",
            "signed": each["signature"]["key"]["public"] if each["signature"] else "not signed",
        }
        for each in given
    ]


def _methods(campaign: dict[str, Any]) -> list[dict[str, Any]]:
    otherwise = _PROSE["given"]["methods"] if _is_given(campaign) else {}
    return [
        {**method, "text": [otherwise[method["title"]]]} if method["title"] in otherwise else method
        for method in _PROSE["methods"]
    ]


def _subtitle(campaign: dict[str, Any]) -> str:
    if _is_given(campaign):
        subject: str = _PROSE["given"]["subtitle"]
        return subject.format(subject=campaign["parts"][0]["subject"])
    sources = _unique(SOURCES.get(part["source"], part["source"]) for part in campaign["parts"])
    return f"{product_named(campaign['plan']['product'])}; data from: {', '.join(sources)}"


def _signature(key: dict[str, Any] | None) -> dict[str, Any]:
    """Describe the key that signed `report.json`; warn if there is no key or a development key."""
    if key is None:
        return {
            "warning": "Not signed",
            "says": "This report is not signed. Anyone may have written or changed it; "
            "use it only if you made it yourself.",
            "public": "",
        }
    says = (
        f"`report.json`, next to this file, is signed with report key {key['number']} "
        f"({key['name']}), and has the SHA-256 of this file. The public key must be"
    )
    if key["development"]:
        return {
            "warning": "Signed with a development key",
            "says": f"A development key is for trials and proves no authorship. {says}",
            "public": key["public"],
        }
    return {"warning": "", "says": says, "public": key["public"]}


def _facts(campaign: dict[str, Any], campaign_sha256: str) -> list[tuple[str, str]]:
    tests = campaign["judgement"]["tests"]
    verdicts = Counter(test["verdict"] for test in tests)
    ran = [test for test in tests if test["p"] is not None]
    smallest = min((test["adjusted_p"] for test in ran), default=None)
    alpha = campaign["judgement"]["alpha"]
    facts = [
        ("Profile", campaign["plan"]["profile"]),
        ("Product", _product(campaign)),
        (
            "Tests",
            f"{len(ran):,} ran as one family, {verdicts['fail']:,} failed, "
            f"{verdicts['skipped']:,} skipped",
        ),
        ("Alpha of the family", f"{alpha:g}: a good source fails once in {1 / alpha:,.0f} at most"),
        (
            "Smallest adjusted p",
            "none" if smallest is None else f"{smallest:.3g}; {alpha:g} or less would be a failure",
        ),
        ("A good source fails", _any_profile(campaign)),
        ("Seed", _seed(campaign["plan"])),
        ("Plan, SHA-256", campaign["plan_sha256"]),
        ("campaign.json, SHA-256", campaign_sha256),
    ]
    return facts


def _any_profile(campaign: dict[str, Any]) -> str:
    """Return the chance that a good source fails, here and at the standards' confidences."""
    ours = f"any verdict here with a chance of at most {campaign['judgement']['alpha']:g}"
    theirs = chance_of_any_failure(campaign["clauses"])
    return f"{ours}; some profile at its highest own confidence, {theirs:.2g}" if theirs else ours


def _seed(plan: dict[str, Any]) -> str:
    if plan["profile"] == PROFILE:
        return "no seed: the data was given"
    fresh = "fresh, from the laboratory's nonce and the applicant's" if plan["nonces"] else "named"
    return f"{plan['seed']} ({fresh})"


def _product(campaign: dict[str, Any]) -> str:
    """Return the product, or the name of given data."""
    if _is_given(campaign):
        return str(campaign["parts"][0]["subject"])
    return product_named(campaign["plan"]["product"])


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _part(part: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": part["id"],
        "title": part["title"],
        "subject": part["subject"],
        "source": SOURCES.get(part["source"], part["source"]),
        "sample": f"{part['sample']:,} {part['unit']}",
        "tests": f"{len(part['findings']):,}",
        "files": [
            {"name": file["name"], "bytes": f"{file['bytes']:,}", "sha256": file["sha256"]}
            for file in part["files"]
        ],
        "parameters": ", ".join(f"{name} {value}" for name, value in part["parameters"].items()),
    }


def _fingerprints(fingerprints: dict[str, Any]) -> list[dict[str, Any]]:
    titles = {
        "firmware": "Firmware",
        "machines": "Machine files",
        "suite": "The certification suite",
    }
    return [
        {"title": titles[group], "files": sorted(fingerprints[group].items())}
        for group in titles
        if group in fingerprints
    ]
