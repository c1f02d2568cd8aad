"""A report is trusted only if it is unchanged and signed by the trusted key."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.keys.public_half import read_public_key
from rng_certification.base.canonical import canonical
from rng_certification.base.signing import ReportSigner, signed
from rng_certification.campaign.judging import judged
from rng_certification.campaign.plan_reading import read_plan
from rng_certification.report.verification import (
    ReportCheck,
    ReportFormatError,
    ReportUnreadableError,
    checks,
)
from rng_certification.report.writing import write_report
from rng_certification.tests.finished_campaign import signer

RUNNER = CliRunner()
HOUSE, STRANGER = signer(1), signer(2)


@pytest.fixture
def folder(reported: Path, tmp_path: Path) -> Path:
    return shutil.copytree(reported, tmp_path / "copy")


def _check(
    folder: Path, name: str, trusted: ReportSigner = HOUSE, rerun: int | None = 0
) -> ReportCheck:
    """Return one of the checks; skip those after it."""
    made = checks(folder / "report.json", trusted.public.raw, rerun)
    return next(check for check in made if check.name == name)


def _report(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


def _edit(folder: Path, change: Callable[[dict[str, Any]], None], by: ReportSigner | None) -> None:
    """Change the content of the report; sign it again with a key, or keep the old signature."""
    report = _report(folder)
    change(report)
    if by is not None:
        del report["signature"]
        report = signed(report, by)
    (folder / "report.json").write_text(canonical(report))


def _verdict_to_pass(report: dict[str, Any]) -> None:
    report["verdict"] = "pass"


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_changed_byte_of_any_file_is_found_and_the_file_named(
    reported: Path, folder: Path, data: st.DataObject
) -> None:
    names = [entry["name"] for entry in _report(reported)["report"]["files"]]
    name = data.draw(st.sampled_from(names))
    content = bytearray((reported / name).read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    (folder / name).write_bytes(content)
    try:
        check = _check(folder, "files")
        assert check.holds is False
        assert name in check.says
    finally:
        shutil.copy(reported / name, folder / name)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_changed_number_of_the_report_breaks_the_signature(
    reported: Path, folder: Path, data: st.DataObject
) -> None:
    text = (reported / "report.json").read_text()
    digits = [i for i, letter in enumerate(text) if letter.isdigit()]
    place = data.draw(st.sampled_from(digits))
    other = data.draw(st.sampled_from([d for d in "123456789" if d != text[place]]))
    (folder / "report.json").write_text(text[:place] + other + text[place + 1 :])
    assert _check(folder, "signature").holds is False


def test_a_report_signed_again_with_another_key_is_not_trusted(folder: Path) -> None:
    _edit(folder, _verdict_to_pass, by=STRANGER)
    check = _check(folder, "signature")
    assert check.holds is False
    assert "another key" in check.says
    assert STRANGER.public.raw.hex() in check.says


def test_another_keys_signature_under_our_name_is_not_trusted(folder: Path) -> None:
    impostor = replace(STRANGER, public=HOUSE.public)
    _edit(folder, _verdict_to_pass, by=impostor)
    assert "changed after it was signed" in _check(folder, "signature").says


def test_an_unsigned_report_is_not_trusted(folder: Path) -> None:
    _edit(folder, lambda report: report.update(signature=None), by=None)
    assert "not signed" in _check(folder, "signature").says


def test_a_development_key_is_named_as_such(folder: Path) -> None:
    key = signer(3, development=True)
    _edit(folder, lambda report: None, by=key)
    assert "development key, which proves no authorship" in _check(folder, "signature", key).says


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "report.pdf").unlink()
    assert "report.pdf is missing" in _check(folder, "files").says


def test_a_file_that_the_report_does_not_list_is_named(folder: Path) -> None:
    def forget(report: dict[str, Any]) -> None:
        files = report["report"]["files"]
        report["report"]["files"] = [f for f in files if f["name"] != "parts/draws-38.json"]

    _edit(folder, forget, by=HOUSE)
    assert "parts/draws-38.json is not listed" in _check(folder, "files").says


def test_a_list_with_a_path_outside_the_folder_is_rejected(folder: Path) -> None:
    def lead_out(report: dict[str, Any]) -> None:
        report["report"]["files"].append({"name": "../x", "bytes": 1, "sha256": ""})

    _edit(folder, lead_out, by=HOUSE)
    assert "leads out of its folder" in _check(folder, "files").says


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_report_with_a_missing_entry_is_rejected(
    reported: Path, folder: Path, data: st.DataObject
) -> None:
    def remove(report: dict[str, Any]) -> None:
        inside: Any = report
        while True:
            key = data.draw(st.sampled_from(_entries(inside)))
            if not _entries(inside[key]) or data.draw(st.booleans()):
                del inside[key]
                return
            inside = inside[key]

    shutil.copy(reported / "report.json", folder)
    _edit(folder, remove, by=HOUSE)
    try:
        made = [check for check, _ in zip(_made(folder), range(5), strict=False)]
    except ReportUnreadableError:
        return
    assert any(check.holds is False for check in made)


def test_a_report_with_an_open_item_without_command_is_rejected(folder: Path) -> None:
    """The page of the report cannot be made again from it."""

    def remove(report: dict[str, Any]) -> None:
        open_items = [item for layer in report["layers"] for item in layer["open"]]
        del open_items[0]["command"]

    _edit(folder, remove, by=HOUSE)
    pages = next(check for check in _made(folder) if check.name == "pages")
    assert pages.holds is False


def _made(folder: Path) -> Iterator[ReportCheck]:
    return checks(folder / "report.json", HOUSE.public.raw, 0)


def _entries(inside: Any) -> list[Any]:
    if isinstance(inside, dict):
        return [key for key in sorted(inside) if key not in ("signature", "set_with")]
    return list(range(len(inside))) if isinstance(inside, list) else []


def test_a_verdict_edited_by_its_maker_is_found_by_judging_again(folder: Path) -> None:
    _edit(folder, _verdict_to_pass, by=HOUSE)
    assert _check(folder, "signature").holds
    check = _check(folder, "judgement")
    assert check.holds is False
    assert "the verdict is open by the findings, not pass" in check.says


def test_a_layer_edited_by_its_maker_is_found_by_judging_again(folder: Path) -> None:
    def close(report: dict[str, Any]) -> None:
        report["layers"][1] |= {"verdict": "pass", "open": []}

    _edit(folder, close, by=HOUSE)
    assert "layer B is open by the findings" in _check(folder, "judgement").says


def test_a_report_of_another_format_is_rejected_with_the_reason(folder: Path) -> None:
    _edit(folder, lambda report: report["report"].update(format=2), by=HOUSE)
    with pytest.raises(ReportFormatError, match="the report has format 2 and this version"):
        list(_made(folder))


def test_a_changed_report_of_another_format_is_not_trusted(folder: Path) -> None:
    _edit(folder, lambda report: report["report"].update(format=2), by=STRANGER)
    assert [check.holds for check in _made(folder)] == [False]


def test_a_clause_edited_by_its_maker_is_found_by_judging_again(folder: Path) -> None:
    def answer(report: dict[str, Any]) -> None:
        for clause in report["clauses"][1]["clauses"]:
            if clause["clause"] == "3.4.2":
                clause["verdict"] = "pass"

    _edit(folder, answer, by=HOUSE)
    assert "gli-19 3.4.2 is skipped by the findings" in _check(folder, "judgement").says


def test_an_adjusted_p_edited_by_its_maker_is_found(folder: Path) -> None:
    def adjust(report: dict[str, Any]) -> None:
        report["judgement"]["tests"][3]["adjusted_p"] = 0.77

    _edit(folder, adjust, by=HOUSE)
    name = _report(folder)["judgement"]["tests"][3]["name"]
    assert f"{name} is judged differently" in _check(folder, "judgement").says


def test_a_plan_edited_by_its_maker_is_found(folder: Path) -> None:
    def enlarge(report: dict[str, Any]) -> None:
        report["plan"]["parts"][0]["sample"] = 1_000_000

    _edit(folder, enlarge, by=HOUSE)
    assert "the plan does not have the stated" in _check(folder, "judgement").says


def test_findings_edited_by_their_maker_are_found_by_running_again(folder: Path) -> None:
    """The edited report is consistent except for the data: only a rerun can detect it."""
    path = folder / "parts" / "draws-38.json"
    part = json.loads(path.read_text())
    part["findings"][0]["p"] = 0.5
    path.write_text(canonical(part))
    campaign = json.loads((folder / "campaign.json").read_text())
    others = [other for other in campaign["parts"] if other["id"] != "draws-38"]
    campaign = judged(read_plan(campaign["plan"]), [part, *others], campaign["fingerprints"])
    (folder / "campaign.json").write_text(canonical(campaign))
    write_report(folder, HOUSE)
    for name in ("signature", "files", "contents", "judgement"):
        assert _check(folder, name).holds, name
    assert "draws-38 gives other bytes" in _check(folder, "rerun", rerun=None).says


def test_other_firmware_or_another_suite_is_named_file_by_file(folder: Path) -> None:
    def other(report: dict[str, Any]) -> None:
        report["fingerprints"]["firmware"]["core/random/source.py"] = "0" * 64
        report["fingerprints"]["suite"]["gone.py"] = "0" * 64

    _edit(folder, other, by=HOUSE)
    check = _check(folder, "fingerprints")
    assert check.holds is False
    assert "firmware core/random/source.py differs" in check.says
    assert "suite gone.py is not installed here" in check.says


def test_a_page_with_more_text_than_the_campaign_is_found(folder: Path) -> None:
    """Even if the maker has signed the changed page."""
    page = folder / "report.html"
    page.write_text(page.read_text().replace("Open", "Pass"))
    report = _report(folder)
    from rng_certification.report.writing import fingerprint

    for place, entry in enumerate(report["report"]["files"]):
        report["report"]["files"][place] = fingerprint(folder, entry["name"])
    del report["signature"]
    (folder / "report.json").write_text(canonical(signed(report, HOUSE)))
    assert _check(folder, "files").holds
    assert "report.html does not follow from the campaign" in _check(folder, "pages").says


class TestCommand:
    @pytest.fixture
    def key(self, tmp_path: Path) -> Path:
        path = tmp_path / "house.pub"
        path.write_text(HOUSE.public.raw.hex() + "\n")
        return path

    def _verify(self, report: Path, key: Path, *more: str) -> tuple[int, str]:
        arguments = ["certify", "verify", str(report), "--public-key", str(key), *more]
        result = RUNNER.invoke(app, arguments)
        return result.exit_code, result.stdout or result.stderr

    def test_an_unchanged_report_passes_every_check_and_exits_with_0(
        self, folder: Path, key: Path
    ) -> None:
        code, said = self._verify(folder / "report.json", key, "--json")
        answer = json.loads(said)
        assert (code, answer["verified"]) == (0, True)
        assert len(answer["checks"]) == 7
        assert [check for check in answer["checks"] if check["holds"] is not True] == []

    def test_a_missing_rerun_is_stated(self, folder: Path) -> None:
        assert _check(folder, "rerun", rerun=0).holds is None

    def test_a_changed_file_exits_with_1_and_is_named(self, folder: Path, key: Path) -> None:
        (folder / "report.html").write_text("all is well")
        code, said = self._verify(folder / "report.json", key, "--rerun", "none")
        assert code == 1
        assert "report.html was changed" in said
        assert "NOT VERIFIED" in said

    def test_an_incomplete_report_exits_with_1(self, folder: Path, key: Path) -> None:
        text = (folder / "report.json").read_text()
        (folder / "report.json").write_text(text[: len(text) // 2])
        code, said = self._verify(folder / "report.json", key)
        assert code == 1
        assert "incomplete" in said

    def test_a_folder_can_replace_the_report_in_it(self, folder: Path, key: Path) -> None:
        code, said = self._verify(folder, key)
        assert code == 0
        assert "Signature and rerun verified. The report's verdict is OPEN." in said

    def test_a_verified_report_that_fails_exits_with_0_and_names_its_verdict(
        self, folder: Path, key: Path
    ) -> None:
        part = json.loads((folder / "parts" / "draws-38.json").read_text())
        part["findings"][0]["p"] = 1e-12
        (folder / "parts" / "draws-38.json").write_text(canonical(part))
        campaign = _report(folder)
        others = [other for other in campaign["parts"] if other["id"] != "draws-38"]
        plan = read_plan(campaign["plan"])
        failing = judged(plan, [part, *others], campaign["fingerprints"])
        (folder / "campaign.json").write_text(canonical(failing))
        write_report(folder, HOUSE)
        code, said = self._verify(folder, key, "--rerun", "none")
        assert code == 0
        assert "Signature verified, no rerun. The report's verdict is FAIL." in said

    def test_a_report_of_another_format_exits_with_2(self, folder: Path, key: Path) -> None:
        _edit(folder, lambda report: report["report"].update(format=2), by=HOUSE)
        typed = ["certify", "verify", str(folder), "--public-key", str(key)]
        result = RUNNER.invoke(app, typed)
        assert result.exit_code == 2
        assert "Verify it with the version that made it" in result.stderr

    def test_a_missing_report_exits_with_2(self, folder: Path, key: Path) -> None:
        assert self._verify(folder / "nothing.json", key)[0] == 2
        assert self._verify(folder / "plan.json", key)[0] == 2

    def test_a_missing_key_exits_with_2_and_describes_a_key(self, folder: Path) -> None:
        code, said = self._verify(folder / "report.json", folder / "plan.json")
        assert code == 2
        assert "64 hexadecimal digits" in said

    def test_the_number_of_parts_must_be_a_number(self, folder: Path, key: Path) -> None:
        assert self._verify(folder / "report.json", key, "--rerun", "some")[0] == 2


def test_a_public_key_is_read_as_printed_by_keys_public(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(json.dumps(HOUSE.public.described()))
    assert read_public_key(str(path)) == HOUSE.public.raw
