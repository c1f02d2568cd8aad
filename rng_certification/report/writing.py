"""Write the files of a campaign's report: HTML page, PDF, list of tests, and signed JSON."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cutcard import untrusted
from rng_certification.base.canonical import canonical
from rng_certification.base.files import write_whole
from rng_certification.base.signing import ReportSigner, signed
from rng_certification.campaign.plan_reading import check_id, read_plan
from rng_certification.campaign.product import MACHINE
from rng_certification.report.content import content_of
from rng_certification.report.cover import COVER, read_cover
from rng_certification.report.html import html_of
from rng_certification.report.pdf import pdf_of
from rng_certification.report.pictures import pictures_of
from rng_certification.report.tables import csv_of

FORMAT = 3
MOST_BYTES = 64 * untrusted.MEBIBYTE  # of a file next to a report
CAMPAIGN, PAGE, PRINT, SIGNED = "campaign.json", "report.html", "report.pdf", "report.json"
TESTS = "tests.csv"
# Libraries that draw and typeset the pages: other versions give other bytes.
SETTERS = ("jinja2", "matplotlib", "typst")


class NoCampaignError(Exception):
    """The folder does not have a finished campaign."""


def write_report(folder: Path, signer: ReportSigner | None = None) -> dict[str, Any]:
    """Write report.html, report.pdf, tests.csv and report.json into a finished campaign's folder.

    Raises NoCampaignError, or BadCoverError if the cover was edited and is invalid.
    """
    campaign = read_campaign(folder)
    try:
        cover = read_cover(folder)
        page, print_ = rendered(campaign, signer.described if signer else None, cover)
        write_whole(folder / TESTS, csv_of(campaign["judgement"]["tests"]))
        beside = files_of(folder, campaign)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _damaged(folder, untrusted.shown(repr(error))) from error
    write_whole(folder / PAGE, page.encode())
    write_whole(folder / PRINT, print_)
    report = signed(
        {
            **campaign,
            "cover": cover,
            "report": {
                "format": FORMAT,
                "files": [fingerprint(folder, name) for name in (PAGE, PRINT, *beside)],
                "set_with": set_with(),
            },
        },
        signer,
    )
    write_whole(folder / SIGNED, canonical(report).encode())
    return report


def rendered(
    campaign: dict[str, Any], key: dict[str, Any] | None, cover: dict[str, str]
) -> tuple[str, bytes]:
    """Return the page and the PDF: the same bytes for the same campaign, key and cover."""
    sha256 = hashlib.sha256(canonical(campaign).encode()).hexdigest()
    content = content_of(campaign, sha256, key, cover)
    pictures = pictures_of(campaign)
    return html_of(content, pictures), pdf_of(content, pictures)


def read_campaign(folder: Path) -> dict[str, Any]:
    path = folder / CAMPAIGN
    try:
        campaign = untrusted.json_from(read_beside(folder, CAMPAIGN))
        read_plan(campaign["plan"])
    except untrusted.BadContentError as error:
        if path.exists():
            raise _damaged(folder, str(error)) from None
        if folder.is_file():
            raise NoCampaignError(f"{folder} is a file: name the folder of a campaign") from None
        raise NoCampaignError(
            f"{folder} does not have a finished campaign: `cutcard certify --out {folder}` runs one"
        ) from None
    except OSError as error:
        raise NoCampaignError(f"cannot read {path}: {error.strerror}") from None
    except (LookupError, TypeError, ValueError) as error:
        raise _damaged(folder, untrusted.shown(repr(error))) from None
    return dict(campaign)


def _damaged(folder: Path, why: str) -> NoCampaignError:
    return NoCampaignError(
        f"{folder / CAMPAIGN} is damaged or not a campaign ({why}): remove it, and "
        f"`cutcard certify --out {folder}` writes it again"
    )


def read_beside(folder: Path, name: str) -> bytes:
    """Read a file of a report. Raises BadContentError if it is missing or outside the folder."""
    return untrusted.content(untrusted.file_beside(folder, name), MOST_BYTES)


def fingerprint(folder: Path, name: str) -> dict[str, Any]:
    content = read_beside(folder, name)
    return {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def set_with() -> dict[str, str]:
    return {name: version(name) for name in SETTERS}


def files_of(folder: Path, campaign: dict[str, Any]) -> list[str]:
    """Return the files of a campaign that others may check, without its shards."""
    names = ("plan.json", "fingerprints.json", MACHINE, COVER)
    beside = [name for name in names if (folder / name).exists()]
    return [CAMPAIGN, TESTS, *beside, *(part_file(part) for part in campaign["parts"])]


def part_file(part: dict[str, Any]) -> str:
    """Return the path of a part's own result. Raises BadCampaignPlanError for an invalid id."""
    return f"parts/{check_id(part['id'])}.json"
