"""The certificate of a machine's firmware: a report that a trusted key has signed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.cli.tables.console_command import certificate_in
from cutcard.console.certificates import ShownCertificate
from cutcard.keys import PublicKey
from rng_certification.base.signing import ReportSigner, signed
from tests.console.looking import come_back
from tests.console.served import Served

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
RAW = PRIVATE.public_key().public_bytes_raw()
SIGNER = ReportSigner(PublicKey("house", "report", 7, False, RAW), PRIVATE)
COVER = {"firmware": "0", "report": "R-12", "date": "2026-11-17", "laboratory": "Lab of Cards"}
FOUND = ShownCertificate(
    "carousel-60", "0", "pass", "gli-11", "R-12", "2026-11-17", "Lab of Cards", False
)
NONE = "Certificate: none on file for the carousel-60 with version 0."


def report(folder: Path, signer: ReportSigner | None = SIGNER, **changed: Any) -> Path:
    """Write a report with the parts that a certificate reads, without real findings."""
    said = {
        "plan": {"profile": "gli-11", "product": {"machine": "carousel-60"}},
        "plan_sha256": "",
        "fingerprints": {},
        "parts": [],
        "judgement": {},
        "clauses": [],
        "verdict": "pass",
        "report": {},
        "cover": COVER,
        **changed,
    }
    (folder / "report.json").write_text(json.dumps(signed(said, signer)))
    return folder / "report.json"


def test_signed_report_is_the_certificate_of_the_firmware_on_its_cover(tmp_path: Path) -> None:
    assert certificate_in(report(tmp_path), RAW.hex()) == FOUND


def changed_afterwards(folder: Path) -> Path:
    file = report(folder, verdict="fail")
    file.write_text(file.read_text().replace('"fail"', '"pass"'))
    return file


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda folder: report(folder, signer=None), "the report is not signed"),
        (changed_afterwards, "changed after it was signed"),
        (lambda folder: report(folder, cover={}), "--on-cover firmware=VERSION"),
        (lambda folder: report(folder, plan={"profile": "all"}), "does not name one machine"),
        (lambda folder: folder / "nowhere.json", "does not exist"),
    ],
)
def test_invalid_certificate_is_refused_before_anything_is_served(
    tmp_path: Path, made: Callable[[Path], Path], said: str
) -> None:
    line = ["console", str(tmp_path), "--report", str(made(tmp_path)), "--report-key", RAW.hex()]
    answer = CliRunner().invoke(app, line)
    assert answer.exit_code == 2
    assert said in answer.output


def test_report_needs_the_trusted_key(tmp_path: Path) -> None:
    answer = CliRunner().invoke(app, ["console", str(tmp_path), "--report", "report.json"])
    assert (answer.exit_code, "go together" in answer.output) == (2, True)


@pytest.mark.parametrize(
    ("certificate", "said"),
    [
        (FOUND, "Certificate: pass, report R-12, 2026-11-17, Lab of Cards, profile gli-11."),
        (replace(FOUND, firmware="1"), NONE),
        (replace(FOUND, machine="drum-60"), NONE),
        (
            replace(FOUND, verdict="fail", development=True),
            "a development key, which proves nothing.",
        ),
    ],
)
def test_machine_panel_has_the_certificate_of_its_own_version(
    console: Served, open_page: Callable[..., Any], certificate: ShownCertificate, said: str
) -> None:
    console.console.pit.certificates = [certificate]
    page = come_back(open_page(), console, "Mia", "viewer")
    page.goto(f"{console.url}#/table/seven")
    page.locator("#machine", has_text=said).wait_for()
