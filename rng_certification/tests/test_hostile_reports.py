"""Malicious reports: the check rejects them by name, without any other effect."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.base.canonical import canonical
from rng_certification.base.files import write_whole
from rng_certification.base.signing import signed
from rng_certification.campaign.folder import CampaignFolder, DamagedShardError
from rng_certification.campaign.plan_reading import BadCampaignPlanError, read_plan
from rng_certification.campaign.running import run_all
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.collect.manifest import Manifest, OtherCollectionError
from rng_certification.report.verification import (
    ReportCheck,
    ReportDamagedError,
    checks,
    read_report,
)
from rng_certification.report.writing import NoCampaignError, write_report
from rng_certification.tests.finished_campaign import signer
from rng_certification.tests.mini_campaign import mini_plan

RUNNER = CliRunner()
HOUSE, STRANGER = signer(1), signer(2)


@pytest.fixture
def folder(reported: Path, tmp_path: Path) -> Path:
    return shutil.copytree(reported, tmp_path / "copy")


def _changed(folder: Path, change: Callable[[dict[str, Any]], None], by: Any = HOUSE) -> None:
    report = read_report(folder / "report.json")
    change(report)
    del report["signature"]
    (folder / "report.json").write_text(canonical(signed(report, by)))


def _checked(folder: Path, rerun: int | None = None) -> list[ReportCheck]:
    return list(checks(folder / "report.json", HOUSE.public.raw, rerun))


def _with_id(identity: str) -> Callable[[dict[str, Any]], None]:
    def change(report: dict[str, Any]) -> None:
        report["plan"]["parts"][0]["id"] = identity
        report["parts"][0]["id"] = identity

    return change


def _with(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda report: report["plan"]["parts"][0].update(values)


@pytest.mark.parametrize("by", [HOUSE, STRANGER])
def test_an_id_that_is_a_path_does_not_overwrite_a_file(
    folder: Path, tmp_path: Path, by: Any
) -> None:
    victim = tmp_path / "victim.json"
    victim.write_text("mine")
    _changed(folder, _with_id(str(victim.with_suffix(""))), by)
    assert any(check.holds is False for check in _checked(folder))
    assert victim.read_text() == "mine"
    assert not (tmp_path / "victim.0.json").exists()


def test_a_report_that_the_key_did_not_sign_is_not_examined_further(folder: Path) -> None:
    _changed(folder, lambda report: None, STRANGER)
    [only] = _checked(folder)
    assert (only.name, only.holds) == ("signature", False)
    assert "The rest of it was not examined" in only.says


@pytest.mark.parametrize(
    "values",
    [
        {"shards": 10**9},
        {"shards": 0},
        {"shards": True},
        {"sample": 10**18},
        {"sample": -1},
        {"sample": 1.5},
        {"source": "/dev/ttyACM0"},
        {"parameters": {"range": 38, "port": "socket://elsewhere:1"}},
        {"parameters": {"range": 1 << 40}},
        {"parameters": {"range": [[38]]}},
        {"title": "\x1b[2J"},
        {"id": "../../x"},
        {"id": ""},
    ],
)
def test_counts_and_names_are_limited_before_use(folder: Path, values: dict[str, Any]) -> None:
    _changed(folder, _with(**values))
    by_name = {check.name: check for check in _checked(folder)}
    assert by_name["signature"].holds
    assert by_name["rerun"].holds is False
    assert "BadCampaignPlanError" in by_name["rerun"].says


def test_two_parts_with_one_id_are_rejected() -> None:
    plan = mini_plan().as_json()
    plan["parts"].append(plan["parts"][0])
    with pytest.raises(BadCampaignPlanError, match="same id"):
        read_plan(plan)


def test_a_report_with_two_verdicts_is_rejected(folder: Path) -> None:
    path = folder / "report.json"
    text = path.read_text()
    path.write_text(text.replace("{", '{"verdict": "pass",', 1))
    with pytest.raises(ReportDamagedError, match="'verdict' is given twice"):
        read_report(path)


def test_a_deeply_nested_report_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("[" * 1_000_000)
    with pytest.raises(ReportDamagedError, match="nested deeper"):
        read_report(path)


def test_texts_of_a_report_cannot_control_the_terminal(folder: Path) -> None:
    def pretend(report: dict[str, Any]) -> None:
        report["signature"]["key"]["public"] = "\x1b[2K\rVERIFIED"

    report = read_report(folder / "report.json")
    pretend(report)
    (folder / "report.json").write_text(canonical(report))
    [only] = _checked(folder)
    assert "\x1b" not in only.says


@pytest.mark.parametrize("signature", ["x", 5, [], {}, {"key": None}, {"key": "x"}])
def test_an_invalid_signature_is_named(folder: Path, signature: Any) -> None:
    report = read_report(folder / "report.json")
    report["signature"] = signature
    (folder / "report.json").write_text(canonical(report))
    [only] = _checked(folder)
    assert only.holds is False


def test_links_and_pipes_next_to_a_report_are_not_followed(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "report.html", tmp_path / "elsewhere.html")
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to(tmp_path / "elsewhere.html")
    (folder / "campaign.json").unlink()
    os.mkfifo(folder / "campaign.json")
    by_name = {check.name: check for check in _checked(folder, 0)}
    assert "report.html is a link" in by_name["files"].says
    assert "campaign.json is not a regular file" in by_name["files"].says
    assert by_name["contents"].holds is False
    assert by_name["pages"].holds is False


def test_a_report_is_written_over_a_link_and_not_through_it(folder: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name in ("report.html", "report.pdf", "report.json", "report.json.new"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(victim)
    write_report(folder, HOUSE)
    assert victim.read_text() == "mine"


def test_a_file_is_written_atomically_over_a_prepared_link(tmp_path: Path) -> None:
    (tmp_path / "a.new").symlink_to(tmp_path / "victim")
    write_whole(tmp_path / "a", "text")
    assert not (tmp_path / "victim").exists()
    assert (tmp_path / "a").read_text() == "text"


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"plan": {}}', "[" * 100_000, '{"a": 1, "a": 2}', "\xff", "null"]
)
def test_an_invalid_campaign_gives_an_error_message(tmp_path: Path, text: str) -> None:
    (tmp_path / "campaign.json").write_text(text, encoding="latin-1")
    with pytest.raises(NoCampaignError, match="is damaged or not a campaign"):
        write_report(tmp_path)


def test_a_campaign_with_only_the_plan_gives_an_error_message(tmp_path: Path) -> None:
    (tmp_path / "campaign.json").write_text(canonical({"plan": mini_plan().as_json()}))
    with pytest.raises(NoCampaignError, match="is damaged or not a campaign"):
        write_report(tmp_path)


def test_report_of_a_file_instead_of_a_folder_gives_an_error_message(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text("{}")
    result = RUNNER.invoke(app, ["certify", "report", str(own)])
    assert result.exit_code == 2
    assert "is a file: name the folder of a campaign" in result.stderr


@pytest.mark.parametrize("text", ["{}", "[]", "[" * 100_000, "not JSON"])
def test_an_invalid_shard_is_named_when_a_campaign_resumes(tmp_path: Path, text: str) -> None:
    plan, folder = mini_plan(), CampaignFolder(tmp_path)
    folder.declare(plan, {})
    for part in plan.parts:
        for shard in range(part.shards):
            (tmp_path / "shards" / f"{part.id}.{shard}.json").write_text(text)
    with pytest.raises(DamagedShardError, match="draws-38"):
        run_all(plan, folder)


class TestCollections:
    WHAT = CollectionRequest("bits", "carousel-38")

    def _declare(self, folder: Path) -> Manifest:
        return Manifest.declared(folder, self.WHAT, {"from": "twin"}, 100, "seed", {})

    def _naming(self, folder: Path, name: str, size: int) -> None:
        manifest = self._declare(folder)
        manifest.begin(name, "stream")["bytes"] = size
        manifest.write()

    @pytest.mark.parametrize("name", ["../victim", "link"])
    def test_a_manifest_cannot_truncate_a_file_outside_its_folder(
        self, tmp_path: Path, name: str
    ) -> None:
        folder, victim = tmp_path / "collection", tmp_path / "victim"
        victim.write_text("mine")
        folder.mkdir()
        (folder / "link").symlink_to(victim)
        self._naming(folder, name, 0)
        with pytest.raises(OtherCollectionError, match="not a valid manifest"):
            self._declare(folder)
        assert victim.read_text() == "mine"

    def test_a_file_that_differs_from_its_manifest_is_not_truncated(self, tmp_path: Path) -> None:
        self._naming(tmp_path, "data.bin", 2)
        (tmp_path / "data.bin").write_text("mine")
        with pytest.raises(OtherCollectionError, match="does not match its manifest"):
            self._declare(tmp_path)
        assert (tmp_path / "data.bin").read_text() == "mine"

    @pytest.mark.parametrize("text", ["{}", "[]", "[" * 100_000, '{"files": [{}]}', "null"])
    def test_an_invalid_manifest_gives_an_error_message(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(OtherCollectionError, match="not a valid manifest"):
            self._declare(tmp_path)
