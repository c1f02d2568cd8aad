"""The cover of a report: from a file or options, stored, signed, and not part of a campaign."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.campaign.product import Product
from rng_certification.report.content import content_of
from rng_certification.report.cover import (
    BadCoverError,
    cover_entries,
    keep_cover,
    lines_of,
    read_cover,
)

RUNNER = CliRunner()


def test_options_override_the_file(tmp_path: Path) -> None:
    file = tmp_path / "cover.toml"
    file.write_text('applicant = "A house"\nboard = "rp2040"\n')
    said = cover_entries(file, ["applicant=Another house"])
    assert said == {"applicant": "Another house", "board": "rp2040"}


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("applicant", "is not NAME=TEXT"),
        ("owner=me", "owner is not an entry of a cover; use one of report, date"),
        ("applicant=a\nb", "must be text on one line"),
        ("applicant=" + "x" * 201, "must be text on one line"),
    ],
)
def test_an_invalid_entry_of_a_cover_is_rejected_with_the_reason(option: str, why: str) -> None:
    with pytest.raises(BadCoverError, match=why):
        cover_entries(None, [option])


def test_the_number_of_the_run_cannot_be_set(tmp_path: Path) -> None:
    """The log of runs sets it; otherwise a user could hide runs that failed."""
    file = tmp_path / "cover.toml"
    file.write_text('run = "1"\n')
    with pytest.raises(BadCoverError, match="the log of runs supplies it"):
        cover_entries(None, ["run=1"])
    with pytest.raises(BadCoverError, match="the log of runs supplies it"):
        cover_entries(file, [])


CAMPAIGN: dict[str, Any] = {
    "plan": {
        "profile": "all",
        "product": Product.of("carousel-38", 6).as_json(),
        "evidence": [],
    },
    "parts": [{"subject": "carousel-38", "source": "bench"}],
    "fingerprints": {"firmware": {"core/a.py": "00" * 32, "core/b.py": "11" * 32}},
}


def test_an_empty_cover_shows_the_defaults_and_that_it_is_a_self_assessment() -> None:
    lines = dict(lines_of({}, CAMPAIGN, "ab" * 32))
    assert lines["Report number"] == "cutcard-abababababab"
    assert lines["Laboratory"].startswith("self-assessment")
    assert lines["Applicant"] == "not stated"
    assert (lines["Board"], lines["Firmware image"]) == ("not tested", "not tested")


def test_the_cover_names_the_product_and_its_machine_file() -> None:
    lines = dict(lines_of({}, CAMPAIGN, "ab" * 32))
    assert lines["Product"] == "carousel-38 with 6 decks of 52 cards"
    assert lines["Machine file, SHA-256"] == Product.of("carousel-38").sha256


def test_a_tested_board_is_on_the_cover() -> None:
    tested = CAMPAIGN | {"parts": [{"subject": "carousel-38", "source": "board"}]}
    assert dict(lines_of({}, tested, "ab" * 32))["Board"] == "a device on a cable"


def test_given_data_has_no_product_and_no_firmware_on_the_cover() -> None:
    given = {
        "plan": {"profile": "given data", "product": None},
        "parts": [],
        "fingerprints": {"suite": {}},
    }
    lines = dict(lines_of({}, given, "ab" * 32))
    assert lines["Product"] == "not stated; the data was supplied"
    assert lines["Firmware version"] == "not stated"
    assert "Firmware, SHA-256 of all" not in lines


def test_the_number_of_all_modules_is_the_hash_of_their_sha256sum_list() -> None:
    listed = f"{'00' * 32}  core/a.py\n{'11' * 32}  core/b.py\n"
    number = hashlib.sha256(listed.encode()).hexdigest()
    lines = dict(lines_of({}, CAMPAIGN, "ab" * 32))
    assert lines["Firmware, SHA-256 of all"] == f"{number} 2 files"


def test_an_existing_cover_keeps_its_date_and_takes_new_entries(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"number": 7, "plan_sha256": ""}')
    keep_cover(tmp_path, {"date": "2026-01-02", "applicant": "A house"})
    keep_cover(tmp_path, {"evaluator": "Somebody"})
    assert read_cover(tmp_path) == {
        "date": "2026-01-02",
        "run": "7",
        "applicant": "A house",
        "evaluator": "Somebody",
    }


def test_the_report_contains_its_cover_and_the_campaign_is_unchanged(
    reported: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(reported, folder)
    before = (folder / "campaign.json").read_bytes()
    said = ["certify", "report", str(folder), "--on-cover", "applicant=The House of Cards"]
    result = RUNNER.invoke(app, said)
    assert result.exit_code == 0, result.output
    page = (folder / "report.html").read_text()
    assert "The House of Cards" in page
    assert "No laboratory has confirmed this report." in page
    report = json.loads((folder / "report.json").read_text())
    assert report["cover"]["applicant"] == "The House of Cards"
    assert "cover.json" in {file["name"] for file in report["report"]["files"]}
    assert (folder / "campaign.json").read_bytes() == before


def test_a_report_with_a_laboratory_does_not_state_that_no_laboratory_confirmed_it(
    campaign_data: dict[str, Any],
) -> None:
    said = " ".join(
        content_of(campaign_data, "0" * 64, None, {"laboratory": "A"})["does_not_claim"]
    )
    assert "No laboratory" not in said
    assert "Only the signature of the laboratory" in said
