"""Verify a report: its signature, its files, and that its verdict follows from its data.

Each check answers one question with one sentence. A report that the trusted key did not sign is not
examined further. A report with a valid signature may still be malicious: its names are validated
before they are used as paths, and its numbers before they cause work. Only the findings of parts
that are not run again are trusted; verdicts and clauses are computed again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from cutcard import untrusted
from rng_certification.base.canonical import canonical
from rng_certification.base.fingerprints import fingerprints, of_the_suite
from rng_certification.base.reading import UnusableDataError
from rng_certification.base.signing import holds
from rng_certification.base.text_records import TruncatedStream
from rng_certification.campaign.folder import CampaignFolder
from rng_certification.campaign.given import PROFILE, SOURCE, result_of, subject_again
from rng_certification.campaign.judging import judged
from rng_certification.campaign.plan import AT_PORT, CampaignPlan, Part
from rng_certification.campaign.plan_reading import read_plan
from rng_certification.campaign.running import run_all
from rng_certification.campaign.work import Task
from rng_certification.certification import certify
from rng_certification.profiles.profile import UnknownProfileError
from rng_certification.report.cover import COVER, checked, read_cover
from rng_certification.report.tables import csv_of
from rng_certification.report.writing import (
    CAMPAIGN,
    FORMAT,
    PAGE,
    PRINT,
    TESTS,
    files_of,
    fingerprint,
    part_file,
    read_beside,
    rendered,
    set_with,
)

NAMED = 5  # differences listed in a sentence before the rest is counted
# Exceptions that an edited report may cause at any point.
MISMADE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TemplateError,
    TypeError,
    UnknownProfileError,
    ValueError,
)
_NOT_CAMPAIGN = ("report", "signature", "cover")


class ReportUnreadableError(Exception):
    """The file is not a report."""


class ReportFormatError(ReportUnreadableError):
    """A signed report with rules that this version does not have."""


class ReportDamagedError(ReportUnreadableError):
    """The file is a report, but it is incomplete."""


@dataclass(frozen=True)
class ReportCheck:
    """One question about a report. `holds` is None if it was not checked."""

    name: str
    holds: bool | None
    says: str


def read_report(path: Path) -> dict[str, Any]:
    try:
        report = untrusted.read_json(path)
    except FileNotFoundError:
        raise ReportUnreadableError(
            f"{path} does not exist: give the report.json of a report"
        ) from None
    except OSError as error:
        raise ReportUnreadableError(f"cannot read {path}: {error.strerror}") from None
    except untrusted.BadContentError as error:
        raise ReportDamagedError(
            f"{path} is damaged, incomplete or not a report ({error}): get it again from its maker"
        ) from None
    needed = {"plan", "plan_sha256", "fingerprints", "parts", "judgement", "clauses", "verdict"}
    if not isinstance(report, dict) or not needed | set(_NOT_CAMPAIGN) <= report.keys():
        raise ReportUnreadableError(
            f"{path} is not a certification report: give the report.json of one"
        )
    return report


def checks(
    path: Path, trusted: bytes, rerun: int | None, given: Path | None = None
) -> Iterator[ReportCheck]:
    """Return all checks of a report, in order.

    `rerun` is the number of parts to run again, None for all. `given` is the data for a report of
    given data. Raises ReportFormatError for a signed report of another format.
    """
    report, folder = read_report(path), path.parent
    signature = _signature(report, trusted)
    yield signature
    if not signature.holds:
        return
    _require_format(report)
    asked: dict[str, Callable[[], ReportCheck]] = {
        "files": lambda: _files(report, folder),
        "contents": lambda: _contents(report, folder),
        "judgement": lambda: _judgement(report),
        "fingerprints": lambda: _fingerprints(report),
        "pages": lambda: _pages(report, folder),
        "rerun": lambda: _rerun(report, rerun, given),
    }
    for name, ask in asked.items():
        try:
            yield ask()
        except MISMADE as error:
            why = untrusted.shown(repr(error))
            yield ReportCheck(
                name, False, f"the report does not have the structure of a report: {why}"
            )


def _require_format(report: dict[str, Any]) -> None:
    """Reports of another format were judged by other rules. Raises ReportFormatError."""
    about = report["report"]
    found = about.get("format") if isinstance(about, dict) else None
    if found != FORMAT:
        raise ReportFormatError(
            f"the signature is valid, but the report has format {untrusted.shown(found)} "
            f"and this version of cutcard judges format {FORMAT} by other rules. Verify "
            "it with the version that made it: the footer of report.html names it"
        )


def _signature(report: dict[str, Any], trusted: bytes) -> ReportCheck:
    block = report["signature"]
    if block is None:
        return _unsigned("the report is not signed: anyone may have written it")
    key = block.get("key") if isinstance(block, dict) else None
    if not isinstance(key, dict):
        return _unsigned("its signature is invalid")
    if key.get("public") != trusted.hex():
        return _unsigned(
            "it is signed with another key than the one you trust: "
            f"{untrusted.shown(key.get('public'))}. The owner of that key may have "
            "changed it; ask its maker for the right key"
        )
    if not holds(report, trusted):
        return _unsigned("the report was changed after it was signed")
    sort = "a development key, which proves no authorship," if key.get("development") else "the key"
    number = untrusted.shown(key.get("number"))
    return ReportCheck("signature", True, f"signed with {sort} number {number} that you trust")


def _unsigned(why: str) -> ReportCheck:
    return ReportCheck("signature", False, f"{why}. The rest of it was not examined")


def _files(report: dict[str, Any], folder: Path) -> ReportCheck:
    wrong = []
    listed = {entry["name"]: entry for entry in report["report"]["files"]}
    due = {PAGE, PRINT, *files_of(folder, report)}
    wrong += [f"{name} is not listed in the report" for name in sorted(due - listed.keys())]
    for name, entry in listed.items():
        try:
            if fingerprint(folder, name) != entry:
                wrong.append(f"{name} was changed")
        except untrusted.BadContentError as error:
            wrong.append(str(error))
    return _check("files", wrong, f"{len(listed)} files next to the report are as they were signed")


def _contents(report: dict[str, Any], folder: Path) -> ReportCheck:
    """Check that the files have the same content as the report, in addition to their hashes."""
    wrong = []
    campaign = {key: value for key, value in report.items() if key not in _NOT_CAMPAIGN}
    if _text(folder, CAMPAIGN) != canonical(campaign):
        wrong.append(f"{CAMPAIGN} differs from the report")
    if report["cover"] != read_cover(folder):
        wrong.append(f"{COVER} differs from the report")
    for part in report["parts"]:
        name = part_file(part)
        if _text(folder, name) != canonical(part):
            wrong.append(f"{name} differs from the report")
    return _check("contents", wrong, "the campaign and its parts agree with the report")


def _judgement(report: dict[str, Any]) -> ReportCheck:
    """Compute adjusted p-values, verdicts and clauses again from the findings of the parts."""
    plan = read_plan(report["plan"])
    anew = judged(plan, report["parts"], report["fingerprints"])
    wrong = []
    if plan.sha256 != report["plan_sha256"] or anew["plan"] != report["plan"]:
        wrong.append("the plan does not have the stated SHA-256")
    if [part.id for part in plan.parts] != [part["id"] for part in report["parts"]]:
        wrong.append("the parts do not agree with the plan")
    wrong += _other_tests(anew["judgement"]["tests"], report["judgement"]["tests"])
    for key in ("alpha", "verdict"):
        if anew["judgement"][key] != report["judgement"][key]:
            wrong.append(f"{key} of the family is {anew['judgement'][key]} by the findings")
    wrong += _other_layers(anew["layers"], report.get("layers"))
    wrong += _other_clauses(anew["clauses"], report["clauses"])
    if anew["verdict"] != report["verdict"]:
        wrong.append(f"the verdict is {anew['verdict']} by the findings, not {report['verdict']}")
    tests = len(anew["judgement"]["tests"])
    return _check("judgement", wrong, f"{tests:,} findings, judged again, give the same verdicts")


def _other_tests(anew: list[dict[str, Any]], said: list[dict[str, Any]]) -> list[str]:
    if [test["name"] for test in anew] != [test.get("name") for test in said]:
        return ["the tests do not agree with the parts"]
    return [f"{a['name']} is judged differently" for a, b in zip(anew, said, strict=True) if a != b]


def _other_layers(anew: list[dict[str, Any]], said: Any) -> list[str]:
    if not isinstance(said, list) or len(said) != len(anew):
        return ["the layers do not agree with the plan"]
    return [
        f"layer {a['layer']} is {a['verdict']} by the findings, and the report differs"
        for a, b in zip(anew, said, strict=True)
        if a != b
    ]


def _other_clauses(anew: list[dict[str, Any]], said: list[dict[str, Any]]) -> list[str]:
    wrong = []
    by_profile = {entry.get("profile"): entry for entry in said}
    if list(by_profile) != [entry["profile"] for entry in anew]:
        wrong.append("the profiles do not agree with the plan")
    for entry in anew:
        other = by_profile.get(entry["profile"], {})
        clauses = {clause.get("clause"): clause for clause in other.get("clauses", [])}
        wrong += [
            f"clause {entry['profile']} {clause['clause']} is {clause['verdict']} by the findings"
            for clause in entry["clauses"]
            if clauses.get(clause["clause"]) != clause
        ]
        if other.get("verdict") != entry["verdict"]:
            wrong.append(f"profile {entry['profile']} is {entry['verdict']} by the findings")
        elif other != entry and not wrong:
            wrong.append(f"profile {entry['profile']} is described differently")
    return wrong


def _fingerprints(report: dict[str, Any]) -> ReportCheck:
    """Compare firmware, machine files, suite and libraries with those installed here."""
    here = of_the_suite() if report["plan"]["profile"] == PROFILE else fingerprints()
    wrong = []
    for group in sorted(here.keys() | report["fingerprints"].keys()):
        ours, theirs = here.get(group, {}), report["fingerprints"].get(group, {})
        for name in sorted(ours.keys() | theirs.keys()):
            if ours.get(name) == theirs.get(name):
                continue
            if name not in theirs:
                wrong.append(f"{group} {name} is installed here and is missing in the report")
            elif name not in ours:
                wrong.append(f"{group} {name} is not installed here")
            else:
                wrong.append(f"{group} {name} differs")
    whose = ", ".join(group for group in here if group != "versions")
    check = _check("fingerprints", wrong, f"as installed here: {whose}, and their versions")
    return check if check.holds else replace(check, says=f"{check.says}. {_OTHER_VERSION}")


_OTHER_VERSION = "To check it fully, run verify from the version of cutcard that made the report"


def _pages(report: dict[str, Any], folder: Path) -> ReportCheck:
    """Make page and PDF again from the campaign, and compare."""
    made_with = report["report"].get("set_with")
    if made_with != set_with():
        return ReportCheck(
            "pages", None, f"not compared: they were made with {untrusted.shown(made_with)}"
        )
    campaign = {key: value for key, value in report.items() if key not in _NOT_CAMPAIGN}
    key = report["signature"]["key"] if report["signature"] else None
    page, print_ = rendered(campaign, key, checked(report["cover"]))
    wrong = []
    if _text(folder, TESTS) != csv_of(campaign["judgement"]["tests"]):
        wrong.append(f"{TESTS} does not follow from the campaign")
    if _text(folder, PAGE) != page:
        wrong.append(f"{PAGE} does not follow from the campaign")
    if _bytes(folder, PRINT) != print_:
        wrong.append(f"{PRINT} does not follow from the campaign")
    return _check(
        "pages", wrong, "page, PDF and list of tests, made again from the campaign, are the same"
    )


def _rerun(report: dict[str, Any], number: int | None, given: Path | None) -> ReportCheck:
    plan = read_plan(report["plan"])
    if plan.profile == PROFILE:
        return _judged_again(report, plan, given)
    if given is not None:
        return ReportCheck(
            "rerun", False, "this report is on a campaign: it does not have given data"
        )
    if number == 0:
        return ReportCheck("rerun", None, "no part was run again, as requested")
    chosen = _smallest(plan, number)
    if not chosen:
        return ReportCheck("rerun", None, "no part can be run again here: all data is from devices")
    with tempfile.TemporaryDirectory(prefix="cutcard-verify-") as name:
        folder = CampaignFolder(Path(name))
        again = replace(plan, parts=chosen)
        folder.declare(again, {})
        parts = run_all(again, folder)
    said = {part["id"]: canonical(part) for part in report["parts"]}
    wrong = [f"{p['id']} gives other bytes" for p in parts if said.get(p["id"]) != canonical(p)]
    names = ", ".join(part.id for part in chosen)
    return _check("rerun", wrong, f"run again, with identical bytes: {names}")


def _judged_again(report: dict[str, Any], plan: CampaignPlan, given: Path | None) -> ReportCheck:
    """Judge given data again, from the verifier's own copy."""
    [part], [said] = plan.parts, report["parts"]
    if given is None:
        return ReportCheck(
            "rerun", None, "the data was not judged again: give it with --input FILE"
        )
    subject = subject_again(part)
    try:
        with given.open("rb") as stream:
            size = sum(file["bytes"] for file in said["files"])
            whole = "looks" not in part.parameters  # a growing sample may have failed early
            certificate = certify(stream if whole else TruncatedStream(stream, size), subject)
    except OSError as error:
        return ReportCheck("rerun", False, f"cannot read {given}: {error.strerror}")
    except UnusableDataError as unusable:
        return ReportCheck("rerun", False, f"{given} is not the data of the report: {unusable}")
    if [file["sha256"] for file in said["files"]] != [certificate.sha256]:
        return ReportCheck(
            "rerun", False, f"{given} is not the data of the report: its SHA-256 differs"
        )
    same = canonical(result_of(part, subject, certificate)) == canonical(said)
    wrong = [] if same else [f"{given} is the data of the report, but gives other findings"]
    return _check("rerun", wrong, f"{given}, judged again, gives identical bytes")


def _smallest(plan: CampaignPlan, number: int | None) -> tuple[Part, ...]:
    """Return the parts that take the least time, in the plan's order; without those of boards."""
    here = [part for part in plan.parts if part.source not in (*AT_PORT, SOURCE)]
    by_time = sorted(here, key=lambda part: part.shards * Task(part, 0, plan.seed).seconds)
    least = {part.id for part in by_time[:number]}
    return tuple(part for part in here if part.id in least)


def _text(folder: Path, name: str) -> str | None:
    try:
        return (_bytes(folder, name) or b"").decode()
    except UnicodeDecodeError:
        return None


def _bytes(folder: Path, name: str) -> bytes | None:
    try:
        return read_beside(folder, name)
    except (OSError, untrusted.BadContentError):
        return None


def _check(name: str, wrong: list[str], otherwise: str) -> ReportCheck:
    if not wrong:
        return ReportCheck(name, True, otherwise)
    rest = f"; and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
    return ReportCheck(name, False, "; ".join(map(untrusted.shown, wrong[:NAMED])) + rest)
