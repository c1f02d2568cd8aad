"""From a campaign's folder to the three files of its report: page, PDF, and signed JSON."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rng_certification.base.files import write_whole
from rng_certification.campaign.plan import canonical
from rng_certification.report.content import content_of
from rng_certification.report.html import html_of
from rng_certification.report.pdf import pdf_of
from rng_certification.report.pictures import pictures_of
from rng_certification.report.signing import Signer, signed

FORMAT = 1
CAMPAIGN, PAGE, PRINT, SIGNED = "campaign.json", "report.html", "report.pdf", "report.json"
# Of what draws and sets the pages: other versions set other bytes.
SETTERS = ("jinja2", "matplotlib", "typst")


class NoCampaign(Exception):
    """The folder holds no finished campaign."""


def write_report(folder: Path, signer: Signer | None = None) -> dict[str, Any]:
    """Write report.html, report.pdf and report.json into the folder of a finished campaign."""
    campaign = read_campaign(folder)
    page, print_ = rendered(campaign, signer.described if signer else None)
    (folder / PAGE).write_text(page, encoding="utf-8", newline="\n")
    (folder / PRINT).write_bytes(print_)
    report = signed(
        {
            **campaign,
            "report": {
                "format": FORMAT,
                "files": [
                    fingerprint(folder, name) for name in (PAGE, PRINT, *files_of(folder, campaign))
                ],
                "set_with": set_with(),
            },
        },
        signer,
    )
    write_whole(folder / SIGNED, canonical(report))
    return report


def rendered(campaign: dict[str, Any], key: dict[str, Any] | None) -> tuple[str, bytes]:
    """The page and the PDF: the same bytes for the same campaign and the same key."""
    sha256 = hashlib.sha256(canonical(campaign).encode()).hexdigest()
    content = content_of(campaign, sha256, key)
    pictures = pictures_of(campaign)
    return html_of(content, pictures), pdf_of(content, pictures)


def read_campaign(folder: Path) -> dict[str, Any]:
    path = folder / CAMPAIGN
    try:
        campaign: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NoCampaign(
            f"{folder} holds no finished campaign: `cutcard certify --out {folder}` runs one"
        ) from None
    except ValueError:
        raise NoCampaign(
            f"{path} is damaged: remove it, and `cutcard certify --out {folder}` writes it again"
        ) from None
    return campaign


def fingerprint(folder: Path, name: str) -> dict[str, Any]:
    content = (folder / name).read_bytes()
    return {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def set_with() -> dict[str, str]:
    return {name: version(name) for name in SETTERS}


def files_of(folder: Path, campaign: dict[str, Any]) -> list[str]:
    """What a campaign leaves in its folder for others to check; shards are its own business."""
    beside = [name for name in ("plan.json", "fingerprints.json") if (folder / name).exists()]
    return [CAMPAIGN, *beside, *(f"parts/{part['id']}.json" for part in campaign["parts"])]
