"""The report: reproducible bytes, complete content, and a page that is readable on every device."""

from __future__ import annotations

import copy
import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.planted.power import MEASURED
from rng_certification.planted.table import DEFECTS, LARGE_DEFECTS
from rng_certification.report.content import content_of
from rng_certification.report.cover import TITLES
from rng_certification.report.glossary import entries
from rng_certification.report.pictures import pictures_of
from rng_certification.report.writing import rendered

RUNNER = CliRunner()


def test_the_same_campaign_gives_the_same_bytes_in_another_process(
    reported: Path, tmp_path: Path
) -> None:
    again = shutil.copytree(reported, tmp_path / "again")
    for name in ("report.html", "report.pdf"):
        (again / name).unlink()
    # with another hash seed, another folder and no display, to show that the report is independent
    program = (
        "import sys; from pathlib import Path\n"
        "from rng_certification.report.writing import write_report\n"
        "from rng_certification.tests.finished_campaign import signer\n"
        "write_report(Path(sys.argv[1]), signer(1))\n"
    )
    environment = os.environ | {"PYTHONHASHSEED": "77", "MPLBACKEND": "agg"}
    subprocess.run([sys.executable, "-c", program, str(again)], check=True, env=environment)
    for name in ("report.html", "report.pdf", "report.json"):
        assert (again / name).read_bytes() == (reported / name).read_bytes(), name


def test_every_explanation_is_a_question() -> None:
    assert [entry.title for entry in entries() if "?" not in entry.looks] == []


def test_every_picture_has_a_description(campaign_data: dict[str, Any]) -> None:
    pictures = pictures_of(campaign_data)
    assert {picture.name.split("-")[0] for picture in pictures} >= {"p", "heat", "guessing"}
    for picture in pictures:
        assert len(picture.alt) > 60
        assert len(picture.caption) > 100
        assert picture.svg.startswith("<?xml")


def test_the_pile_of_p_values_at_one_is_explained_next_to_the_picture(
    campaign_data: dict[str, Any],
) -> None:
    picture = pictures_of(campaign_data)[0]
    assert picture.name == "p-values"
    assert "The pile at 1 is not a fault" in picture.caption


def test_an_interpreters_output_is_cut_to_its_first_and_last_line(
    campaign_data: dict[str, Any],
) -> None:
    campaign = copy.deepcopy(campaign_data)
    campaign["parts"][0]["notes"] = [f"check {i}:\n  File x\nError: no" for i in range(9)]
    notes = content_of(campaign, "0" * 64, None, {})["notes"]
    assert notes[0].endswith("check 0: … Error: no")
    assert notes[-1].endswith("5 more such notes")
    assert len(notes) == 5


def test_every_measure_of_the_tests_is_short_enough_for_a_column(
    campaign_data: dict[str, Any],
) -> None:
    """Units are words and not symbols, and cells do not contain sentences."""
    content = content_of(campaign_data, "0" * 64, None, {})
    shown = {row["measure"] for group in content["groups"] for row in group["rows"]}
    assert max(map(len, shown)) <= 45
    assert [measure for measure in shown if len(measure) == 1] == []


def test_planted_defects_were_measured_in_the_samples_of_the_table() -> None:
    measured = {row["defect"]: row for row in json.loads(MEASURED.read_text())}
    both = [defect for defect in (*DEFECTS, *LARGE_DEFECTS) if defect.name in measured]
    assert len(both) >= 25
    for defect in both:
        row = measured[defect.name]
        assert (row["kind"], row["size"], row["sample"]) == (
            defect.kind,
            defect.size,
            defect.sample,
        ), f"{defect.name}: python -m rng_certification.planted.power --record"


@pytest.fixture(scope="module")
def failing(campaign_data: dict[str, Any]) -> tuple[str, str, bytes]:
    """Return the name of a test that is made to fail, and its unsigned report."""
    campaign = copy.deepcopy(campaign_data)
    test = campaign["judgement"]["tests"][0]
    test |= {"verdict": "fail", "p": 1e-12, "adjusted_p": 1e-9}
    campaign["verdict"] = "fail"
    return (test["name"], *rendered(campaign, None, {}))


def test_a_failing_campaign_states_the_failure_first_and_names_the_tests(
    failing: tuple[str, str, bytes],
) -> None:
    name, page, print_ = failing
    assert "Certification report: Fail" in page
    assert page.index(name.replace("/", "/<wbr>")) < page.index("Contents")
    assert "Fail" in _pages_of(print_)[0]


def test_an_unsigned_report_has_a_warning_on_its_first_page(
    failing: tuple[str, str, bytes],
) -> None:
    _, page, print_ = failing
    assert "Not signed" in page
    assert "Not signed" in _pages_of(print_)[0]


def test_a_rewritten_report_of_a_campaign_warns_that_it_is_unsigned(
    reported: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "bare"
    (folder / "parts").mkdir(parents=True)
    shutil.copy(reported / "campaign.json", folder)
    for part in (reported / "parts").iterdir():
        shutil.copy(part, folder / "parts")
    result = RUNNER.invoke(app, ["certify", "report", str(folder)])
    assert result.exit_code == 0
    assert "NOT SIGNED" in result.stdout
    report = json.loads((folder / "report.json").read_text())
    assert report["signature"] is None
    names = [entry["name"] for entry in report["report"]["files"]]
    assert "plan.json" not in names
    assert "report.pdf" in names


def test_a_folder_without_a_campaign_is_a_usage_error(tmp_path: Path) -> None:
    result = RUNNER.invoke(app, ["certify", "report", str(tmp_path)])
    assert result.exit_code == 2
    assert "cutcard certify --out" in result.output


def test_a_key_of_a_device_does_not_sign_reports(
    reported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUTCARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUTCARD_PASSPHRASE", "correct horse")
    RUNNER.invoke(app, ["keys", "make", "factory", "--purpose", "image"])
    result = RUNNER.invoke(app, ["certify", "report", str(reported), "--key", "factory"])
    assert result.exit_code == 2
    assert "--purpose report" in result.output


def test_a_key_made_by_the_command_signs_and_its_public_half_verifies(
    reported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUTCARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUTCARD_PASSPHRASE", "correct horse")
    folder = shutil.copytree(reported, tmp_path / "again")
    RUNNER.invoke(app, ["keys", "make", "house", "--purpose", "report"])
    public = tmp_path / "house.pub"
    public.write_text(RUNNER.invoke(app, ["keys", "public", "house"]).stdout)
    assert RUNNER.invoke(app, ["certify", "report", str(folder), "--key", "house"]).exit_code == 0
    arguments = ["certify", "verify", str(folder / "report.json"), "--public-key", str(public)]
    result = RUNNER.invoke(app, [*arguments, "--rerun", "none"])
    assert result.exit_code == 0, result.output
    assert "Signature verified, no rerun." in result.stdout


class TestPdf:
    def test_its_first_page_has_the_verdict_the_product_and_the_key(self, reported: Path) -> None:
        first = _pages_of((reported / "report.pdf").read_bytes())[0]
        for said in ("Open", "Report number", "report key 1", "drum-60 with 1 deck of 52 cards"):
            assert said in first, said

    def test_its_first_page_has_a_box_for_each_layer_open_items_and_conditions(
        self, reported: Path, campaign_data: dict[str, Any]
    ) -> None:
        first = " ".join(_pages_of((reported / "report.pdf").read_bytes())[0].split())
        for layer in campaign_data["layers"]:
            assert f"{layer['layer']} {layer['title']}" in first
        for said in ("Open items", "Conditions of use", "--port PORT", "Retest after two years"):
            assert said in first, said
        assert "Failures of this product" not in first

    def test_the_pdf_has_pages_for_the_evaluators_file(self, reported: Path) -> None:
        pages = _pages_of((reported / "report.pdf").read_bytes())
        for title in (
            "Device identification",
            "Sample custody",
            "Source review",
            "Uncertainty budget",
            "Jurisdictions",
        ):
            assert [page for page in pages if title in page], title
        whole = " ".join(" ".join(pages).split())
        for text in ("GLI-29", "Art. 23", "603a.17", "WAC 230-16-152", "RBG2(P)", "PTG.2"):
            assert text in whole, text

    def test_its_first_page_is_a_cover_that_can_be_filed(self, reported: Path) -> None:
        first = _pages_of((reported / "report.pdf").read_bytes())[0]
        for line in (*TITLES.values(), "Firmware, SHA-256 of all", "self-assessment"):
            assert line in first, line

    def test_the_generator_has_one_page_with_its_picture(self, reported: Path) -> None:
        [page] = [
            page
            for page in _pages_of((reported / "report.pdf").read_bytes())
            if "Noise. A board" in page
        ]
        for part in ("Health tests", "Conditioning", "Hash_DRBG", "never by remainder", "Mixing."):
            assert part in page, part

    def test_the_pdf_is_tagged_and_has_a_bookmark_for_every_section(self, reported: Path) -> None:
        document = pypdfium2.PdfDocument((reported / "report.pdf").read_bytes())
        assert pypdfium2.raw.FPDFCatalog_IsTagged(document)
        marks = [mark.get_title() for mark in document.get_toc()]
        assert "Summary" in marks
        assert [mark for mark in marks if "Verdict on each clause" in mark]
        assert [mark for mark in marks if "Appendix C" in mark]

    def test_the_pdf_does_not_list_all_tests(self, reported: Path) -> None:
        content = (reported / "report.pdf").read_bytes()
        assert len(_pages_of(content)) <= 33
        assert len(content) < 3_000_000

    def test_the_pdf_has_every_section_and_the_list_of_tests_is_a_file(
        self, reported: Path, campaign_data: dict[str, Any]
    ) -> None:
        pages = _pages_of((reported / "report.pdf").read_bytes())
        whole = "\n".join(pages)
        for title in (
            "Tested parts",
            "Methods",
            "Verdict on each clause",
            "Results in pictures",
            "Planted defects",
            "Limits of this report",
            "How to check and reproduce it",
            "Appendix A",
            "Appendix B",
            "Appendix C",
        ):
            assert title in whole, title
        with (reported / "tests.csv").open(newline="") as file:
            listed = [(row["test"], row["verdict"]) for row in csv.DictReader(file)]
        tests = campaign_data["judgement"]["tests"]
        assert listed == [(test["name"], test["verdict"]) for test in tests]

    def test_pdf_contains_no_date_and_embeds_its_fonts(self, reported: Path) -> None:
        content = (reported / "report.pdf").read_bytes()
        assert b"CreationDate" not in content
        assert b"/FontFile" in content or b"/ObjStm" in content
        document = pypdfium2.PdfDocument(content)
        assert document.get_metadata_dict()["Title"].startswith("Certification report")


def _pages_of(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    return [page.get_textpage().get_text_range() for page in document]


class TestPage:
    @pytest.fixture
    def page(self, browser: Any, reported: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
        width = getattr(request, "param", 1200)
        page = browser.new_page(viewport={"width": width, "height": 844})
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda asked: page.said.append(asked.url) if _far(asked.url) else None)
        page.goto((reported / "report.html").as_uri())
        yield page
        page.close()

    @pytest.mark.parametrize("page", [320, 390, 1200], indirect=True)
    def test_the_page_is_not_cut_off_at_the_side(self, page: Any) -> None:
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0

    def test_the_page_loads_without_requests_and_errors(self, page: Any) -> None:
        assert page.said == []

    def test_every_picture_loads_and_has_a_description(self, page: Any) -> None:
        loaded = page.evaluate(
            "[...document.images].map(i => i.complete && i.naturalWidth > 0 && i.alt.length > 60)"
        )
        assert loaded
        assert all(loaded)

    @pytest.mark.parametrize("page", [320], indirect=True)
    def test_letters_of_pictures_are_legible_on_a_phone(self, page: Any) -> None:
        """All pictures have letters of 8 points or more, drawn at 96 pixels per inch."""
        scales = page.evaluate("[...document.images].map(i => i.clientWidth / i.naturalWidth)")
        assert min(scales) * 8 * 96 / 72 >= 7

    @pytest.mark.parametrize("page", [320, 1200], indirect=True)
    def test_the_list_of_tests_is_folded_and_can_be_filtered(
        self, page: Any, campaign_data: dict[str, Any]
    ) -> None:
        tests = campaign_data["judgement"]["tests"]
        assert page.evaluate("document.documentElement.scrollHeight") < 60_000
        page.click("text=Show all tests")
        page.fill("#only", "poker")
        page.select_option("#part", "draws-38")
        page.select_option("#of", "pass")
        wanted = [
            test
            for test in tests
            if test["name"].startswith("draws-38/")
            and "poker" in test["name"]
            and test["verdict"] == "pass"
        ]
        assert wanted
        assert page.inner_text("#shown") == f"{len(wanted):,} shown"
        assert page.locator("#all-tests tr[data-of]:visible").count() == len(wanted)

    def test_heading_levels_increase_one_at_a_time(self, page: Any) -> None:
        levels = page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))

    def test_tables_have_headers_and_links_have_targets(self, page: Any) -> None:
        assert page.evaluate("[...document.querySelectorAll('table')].every(t => t.tHead)")
        assert page.evaluate(
            "[...document.querySelectorAll('a[href^=\"#\"]')]"
            ".every(a => document.querySelector(a.getAttribute('href')))"
        )

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_the_verdict_is_legible_in_light_and_dark(
        self, browser: Any, reported: Path, scheme: str
    ) -> None:
        page = browser.new_page(color_scheme=scheme)
        page.goto((reported / "report.html").as_uri())
        colours = page.evaluate(
            "[getComputedStyle(document.body).color, "
            "getComputedStyle(document.body).backgroundColor]"
        )
        page.close()
        ink, paper = (_lightness(colour) for colour in colours)
        assert abs(ink - paper) > 0.6


def _far(url: str) -> bool:
    return not url.startswith(("file:", "data:"))


def _lightness(colour: str) -> float:
    numbers = colour[colour.index("(") + 1 : colour.index(")")].split(",")
    return sum(float(number) for number in numbers[:3]) / 3 / 255
