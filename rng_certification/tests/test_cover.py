"""The cover of a report: said by a file or by options, kept, signed, and no part of a campaign."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.report.cover import (
    BadCover,
    keep_cover,
    lines_of,
    read_cover,
    said_on_cover,
)

RUNNER = CliRunner()


def test_options_stand_above_the_file(tmp_path: Path) -> None:
    file = tmp_path / "cover.toml"
    file.write_text('applicant = "A house"\nboard = "rp2040"\n')
    said = said_on_cover(file, ["applicant=Another house"])
    assert said == {"applicant": "Another house", "board": "rp2040"}


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("applicant", "is not NAME=TEXT"),
        ("owner=me", "stands on no cover: it has report, date"),
        ("applicant=a\nb", "is no text of one line"),
        ("applicant=" + "x" * 201, "is no text of one line"),
    ],
)
def test_what_cannot_stand_on_a_cover_is_said(option: str, why: str) -> None:
    with pytest.raises(BadCover, match=why):
        said_on_cover(None, [option])


def test_a_cover_without_a_laboratory_says_that_it_is_a_self_assessment() -> None:
    lines = dict(lines_of({}))
    assert lines["Laboratory"].startswith("self-assessment")
    assert lines["Applicant"] == "not stated"


def test_a_cover_that_is_kept_keeps_its_date_and_takes_what_is_said_anew(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"number": 7, "plan_sha256": ""}')
    keep_cover(tmp_path, {"date": "2026-01-02", "applicant": "A house"})
    keep_cover(tmp_path, {"evaluator": "Somebody"})
    assert read_cover(tmp_path) == {
        "date": "2026-01-02",
        "run": "7",
        "applicant": "A house",
        "evaluator": "Somebody",
    }


def test_the_report_shows_and_holds_its_cover_and_the_campaign_stays_as_it_was(
    reported: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(reported, folder)
    before = (folder / "campaign.json").read_bytes()
    said = ["certify", "report", str(folder), "--on-cover", "applicant=The House of Cards"]
    result = RUNNER.invoke(app, said)
    assert result.exit_code == 0, result.output
    assert "The House of Cards" in (folder / "report.html").read_text()
    report = json.loads((folder / "report.json").read_text())
    assert report["cover"]["applicant"] == "The House of Cards"
    assert "cover.json" in {file["name"] for file in report["report"]["files"]}
    assert (folder / "campaign.json").read_bytes() == before
