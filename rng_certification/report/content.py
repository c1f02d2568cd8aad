"""The content of a report, worked out once from campaign.json for both HTML and PDF.

Everything here is plain data. Nothing is read but the campaign, the words in `prose.toml` and
`glossary.toml`, and the table of planted defects: the same campaign gives the same report.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from shlex import quote
from typing import Any

from cutcard import __version__
from rng_certification.campaign.given import PROFILE
from rng_certification.profiles.answers import chance_of_any_failure
from rng_certification.profiles.profile import load
from rng_certification.report.cover import lines_of
from rng_certification.report.details import detail_tables
from rng_certification.report.foretold import what_is_told
from rng_certification.report.glossary import entries, views
from rng_certification.report.planted import planted_table, uncaught_table
from rng_certification.report.tables import all_tests, by_group

_PROSE = tomllib.loads(Path(__file__).with_name("prose.toml").read_text(encoding="utf-8"))
MOST_NAMED = 6  # machines and tables on the first page
WORDS = {
    "pass": "Pass",
    "fail": "Fail",
    "incomplete": "Incomplete",
    "simulated": "Simulated",
}
CLAUSE_VERDICTS = (
    "pass",
    "fail",
    "simulated",
    "skipped",
    "shown by construction",
    "not claimed",
)
# Beside the word, so that nobody has to tell colours apart.
MARKS = {
    "pass": "✓",
    "fail": "✗",
    "skipped": "○",
    "incomplete": "○",
    "simulated": "≈",
    "shown by construction": "✓",
    "not claimed": "\N{EN DASH}",
}
SOURCES = {
    "twin": "twin",
    "micropython": "MicroPython",
    "bench": "bench",
    "board": "board",
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
    return {
        "version": __version__,
        "campaign_sha256": campaign_sha256,
        "subtitle": _subtitle(campaign),
        "cover": lines_of(cover),
        "generator": None if _is_given(campaign) else _PROSE["generator"],
        "not_looked_at": _PROSE["not_looked_at"]["text"],
        "clause_verdicts": CLAUSE_VERDICTS,
        "marks": MARKS,
        "verdict": _verdict(campaign, said["verdicts"]),
        "signature": _signature(key),
        "told": what_is_told(parts, tests),
        "facts": _facts(campaign, campaign_sha256),
        "profiles": [_profile(entry) for entry in campaign["clauses"]],
        "no_clauses": said.get("no_clauses", ""),
        "failures": [test for test in every if test["verdict"] == "fail"],
        "beside": _beside_the_clauses(campaign),
        "parts": [_part(part) for part in parts],
        "methods": _methods(campaign),
        "groups": by_group(parts, tests),
        "details": detail_tables(parts),
        "planted": planted_table(),
        "uncaught": uncaught_table(),
        "notes": [f"{part['title']}: {note}" for part in parts for note in part["notes"]],
        "planted_text": _PROSE["planted"]["text"],
        "does_not_claim": said["does_not_claim"]["text"],
        "check_text": said["check"]["text"],
        "names_text": _PROSE["names"]["text"],
        "reproduce": _reproduce(campaign),
        "views": [vars(view) for view in views()],
        "glossary": [{"title": e.title, "looks": e.looks, "pattern": e.pattern} for e in entries()],
        "tests": [
            {"title": part["title"], "rows": [t for t in every if t["part"] == part["id"]]}
            for part in parts
        ],
        "tests_said": f"{len(tests):,} tests",
        "fingerprints": _fingerprints(campaign["fingerprints"]),
    }


def _is_given(campaign: dict[str, Any]) -> bool:
    """Whether it is of data that somebody brought, and of no machine of ours."""
    return bool(campaign["plan"]["profile"] == PROFILE)


def _verdict(campaign: dict[str, Any], sentences: dict[str, str]) -> dict[str, str]:
    word = campaign["verdict"]
    return {"key": word, "word": WORDS[word], "sentence": sentences[word]}


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
    return (
        f"Shuffles, draws and jackpot selection of cutcard's firmware; {len(campaign['parts'])} "
        f"parts, data from: {', '.join(sources)}."
    )


def _signature(key: dict[str, Any] | None) -> dict[str, Any]:
    """Of the key that `report.json` is signed with; loud where there is none, or no real one."""
    if key is None:
        return {
            "warning": "Not signed",
            "says": "This report is not signed. Anybody may have written or changed it; it is "
            "good for its maker's own use and for nothing else.",
            "public": "",
        }
    says = (
        f"`report.json` beside this file is signed with report key {key['number']} "
        f"({key['name']}), and holds the SHA-256 of this file. The public key must be"
    )
    if key["development"]:
        return {
            "warning": "Signed with a development key",
            "says": f"A development key is for trying out and proves nothing. {says}",
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
        ("Machines and tables", _few(_unique(part["subject"] for part in campaign["parts"]))),
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
    """With which chance, by our verdict and by the standards' own confidences."""
    ours = f"any verdict here with a chance of at most {campaign['judgement']['alpha']:g}"
    theirs = chance_of_any_failure(campaign["clauses"])
    return f"{ours}; some profile at its highest own confidence, {theirs:.2g}" if theirs else ours


def _seed(plan: dict[str, Any]) -> str:
    if plan["profile"] == PROFILE:
        return "none: the data was given"
    fresh = "fresh, from the laboratory's nonce and the applicant's" if plan["nonces"] else "named"
    return f"{plan['seed']} ({fresh})"


def _few(names: list[str]) -> str:
    """The first of them; all are in the table of parts."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more: section 1" if more > 0 else "")


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _profile(entry: dict[str, Any]) -> dict[str, Any]:
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
        "verdict": clause["verdict"],
        "tests": f"{clause['ran']:,} of {clause['number']:,}" if "ran" in clause else "",
        "smallest_p": f"{clause['smallest_p']:.2g}" if "smallest_p" in clause else "",
        "adjusted_p": (
            f"{clause['smallest_adjusted_p']:.2g}" if "smallest_adjusted_p" in clause else ""
        ),
        "why": clause.get("why", ""),
        "failed": clause.get("failed", []),
        "shown_by": [_shown_by(where) for where in clause.get("shown_by", [])],
        "page": clause.get("page", ""),
    }


def _shown_by(where: str) -> dict[str, str]:
    """A test of the source code as a sentence, and where it is."""
    file, _, function = where.partition("::")
    return {"file": file, "says": function.removeprefix("test_").replace("_", " ")}


def _beside_the_clauses(campaign: dict[str, Any]) -> dict[str, Any]:
    """Tests that no clause asks for count in the verdict all the same."""
    clauses = [clause for entry in campaign["clauses"] for clause in load(entry["profile"]).clauses]
    others = [
        test
        for test in campaign["judgement"]["tests"]
        if not any(clause.answered_by(test["name"]) for clause in clauses)
    ]
    failed = sum(test["verdict"] == "fail" for test in others)
    return {
        "said": f"{len(others):,} tests ran that no clause asks for. They count in the verdict "
        f"over all; {failed or 'none'} of them failed."
    }


def _part(part: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": part["id"],
        "title": part["title"],
        "subject": part["subject"],
        "source": SOURCES.get(part["source"], part["source"]),
        "sample": f"{part['sample']:,} {part['unit']}",
        "tests": len(part["findings"]),
        "files": [
            {"name": file["name"], "bytes": f"{file['bytes']:,}", "sha256": file["sha256"]}
            for file in part["files"]
        ],
        "parameters": ", ".join(f"{name} {value}" for name, value in part["parameters"].items()),
    }


def _command(plan: dict[str, Any]) -> str:
    """The command line that declares this very plan."""
    if plan["profile"] == PROFILE:
        return _command_for_data(plan["parts"][0])
    words = ["cutcard", "certify", "--profile", plan["profile"], "--seed", str(plan["seed"])]
    if any(part["kind"] == "batteries" for part in plan["parts"]):
        words.append("--batteries")
    if any(part["source"] == "board" for part in plan["parts"]):
        words += ["--port", "PORT"]
    return " ".join(quote(word) for word in (*words, "--out", "again"))


def _command_for_data(part: dict[str, Any]) -> str:
    settings = part["parameters"]
    kind = "draws" if part["kind"] == "jackpot" else part["kind"]
    words = ["cutcard", "certify", "--input", part["subject"], "--kind", kind]
    for name in ("range", "deck", "prizes"):
        if name in settings:
            words += [f"--{name}", str(settings[name])]
    return " ".join(quote(word) for word in (*words, "--out", "again"))


def _reproduce(campaign: dict[str, Any]) -> dict[str, Any]:
    plan = campaign["plan"]
    versions = campaign["fingerprints"].get("versions", {})
    return {
        "seed": str(plan["seed"]),
        "commands": [
            {"does": "set up the locked versions", "command": "make .venv/ready"},
            {
                "does": "run the campaign again",
                "command": _command(plan),
            },
            {
                "does": "compare: the two files are the same to the byte",
                "command": "cmp again/campaign.json campaign.json",
            },
            {
                "does": "check signature, files and verdicts, and rerun every part",
                "command": "cutcard certify verify report.json --public-key KEY "
                + ("--input DATA" if _is_given(campaign) else "--rerun all"),
            },
        ],
        "versions": [f"{name} {number}" for name, number in versions.items()],
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
