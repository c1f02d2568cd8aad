"""The verdict of a certificate: one for each layer of one product, from tests and evidence."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.base.fingerprints import fingerprints
from rng_certification.campaign.declared import all_parts, declared
from rng_certification.campaign.evidence import (
    CHANNELS,
    FIGURES,
    LEAST_OUTCOMES,
    OF_A_CHANNEL,
    SIDE_CHANNEL_BITS,
    WRONG_BIN_RATE,
    BadEvidenceError,
    Evidence,
    load_evidence,
    outcomes_in,
    read_evidence,
    upper_rate,
)
from rng_certification.campaign.layers import (
    judged_layers,
    layer_of,
    layers,
    required,
    verdict_of,
)
from rng_certification.campaign.product import BadProductError, Product
from rng_certification.campaign.work import run_shard
from rng_certification.cli.answering import NO_VERDICT
from rng_certification.cli.campaign import EXIT
from rng_certification.profiles.profile import load
from rng_certification.report.evaluation import FIRST_READ
from rng_certification.report.first_page import failures
from rng_certification.tests.finished_campaign import signer

RUNNER = CliRunner()
REFERENCE = Product.of("carousel-60")


def _test(name: str, verdict: str = "pass") -> dict[str, Any]:
    p = {"pass": 0.5, "fail": 1e-9, "skipped": None}[verdict]
    return {"name": name, "verdict": verdict, "p": p}


def _plain(output: str) -> str:
    """The words of an error without its frame."""
    return " ".join(output.replace("│", " ").split())


def _part(name: str, source: str) -> dict[str, Any]:
    return {"id": name, "source": source}


ANSWERED = [
    _test("unpredictability-construction/construction/drbg/vectors"),
    _test("bits-twin/sp800-22/monobit/minimum"),
    _test("draws-60/frequency/chi-square"),
    _test("continuous-carousel-60/gap/law"),
    _test("predictability-carousel-60-416/counter/bits"),
    _test("predictability-carousel-60-416/money/uk-blackjack"),
]


def _layers(
    *tests: dict[str, Any],
    evidence: tuple[Evidence, ...] = (),
    product: Product = REFERENCE,
    parts: tuple[dict[str, Any], ...] = (),
) -> dict[str, dict[str, Any]]:
    judged = judged_layers(product, [*ANSWERED, *tests], parts, evidence)
    return {layer["layer"]: layer for layer in judged}


def _evidence(layer: str, figures: dict[str, Any], product: Product = REFERENCE) -> Evidence:
    return read_evidence(
        {
            "format": 1,
            "layer": layer,
            "machine_sha256": product.sha256,
            "device": "serial 7",
            "made_by": "A laboratory",
            "made_on": "2026-11-18",
            "data": {"name": "data.csv", "bytes": 10, "sha256": "ab" * 32},
            "figures": figures,
            "signature": None,
        }
    )


def _channels(bits: float = 0.01, limit: float = 0.25, names: tuple[str, ...] = CHANNELS) -> Any:
    of_each = {"bits": bits, "limit_bits": limit, "samples": 11_000}
    return _evidence("F", {"channels": dict.fromkeys(names, of_each)})


class TestVerdict:
    def test_simulated_data_passes_a_c_and_d_and_leaves_b_e_f_and_g_open(self) -> None:
        judged = _layers()
        assert {name: layer["verdict"] for name, layer in judged.items()} == {
            "A": "pass", "B": "open", "C": "pass", "D": "pass",
            "E": "open", "F": "open", "G": "open",
        }  # fmt: skip
        assert verdict_of(judged.values()) == "open"

    def test_every_open_item_names_a_command(self) -> None:
        for layer in _layers().values():
            for item in layer["open"]:
                assert item["command"].startswith("cutcard certify ")
                assert "carousel-60" in item["command"]

    def test_a_failing_test_fails_its_layer_before_open_items(self) -> None:
        judged = _layers(_test("bench-carousel-60/gap/law", "fail"))
        assert (judged["D"]["verdict"], judged["A"]["verdict"]) == ("fail", "pass")
        assert judged["D"]["failed"] == ["bench-carousel-60/gap/law"]
        assert verdict_of(judged.values()) == "fail"

    def test_a_layer_with_a_skipped_required_test_is_open(self) -> None:
        judged = judged_layers(REFERENCE, [_test("draws-60/gap/low", "skipped")], [], ())
        assert [layer["verdict"] for layer in judged] == ["open"] * 7

    @pytest.mark.parametrize(
        ("source", "verdict"), [("bench", "open"), ("simulated", "open"), ("board", "pass")]
    )
    def test_the_entropy_source_passes_with_noise_of_a_board_only(
        self, source: str, verdict: str
    ) -> None:
        tests = (_test("bits-board/noise/assessed"), _test("unpredictability-noise/assessed"))
        judged = _layers(*tests, parts=(_part("bits-board", source),))
        assert judged["B"]["verdict"] == verdict

    @pytest.mark.parametrize(
        ("port", "source"),
        [
            ("bench:carousel-60", "simulated"),
            ("chip:carousel-60", "simulated"),
            ("/dev/ttyACM0", "board"),
        ],
    )
    def test_a_bench_or_emulated_board_at_the_port_is_named_as_simulated(
        self, port: str, source: str
    ) -> None:
        part = declared(REFERENCE, [load("gli-19")], "gli-19", "x", port=port).parts[-1]
        assert (part.id, part.source) == ("bits-board", source)
        assert part.title.startswith("Simulated") is (source == "simulated")

    def test_a_modelled_leak_by_sound_fails_the_side_channels(self) -> None:
        judged = _layers(_test("predictability-drum-60-52/ear/bits", "fail"))
        assert judged["F"]["verdict"] == "fail"

    def test_layers_without_cards_do_not_apply_to_a_controller(self) -> None:
        prizes = _test("jackpot-madness-21/frequency/chi-square")
        controller = Product.of("controller-4", None, ["madness-21"])
        judged = {
            layer["layer"]: layer
            for layer in judged_layers(controller, [*ANSWERED[:3], prizes], [], ())
        }
        assert [judged[name]["verdict"] for name in "ACDEF"] == [
            "pass", "pass", "not applicable", "not applicable", "open",
        ]  # fmt: skip

    def test_a_product_with_prizes_needs_draws_from_its_tables(self) -> None:
        product = Product.of("carousel-60", 8, ["madness-21"])
        judged = _layers(product=product)
        assert judged["C"]["open"][0]["missing"] == "draws from each prize table"

    def test_required_layers_decide_the_exit_code_without_the_others(self) -> None:
        judged = list(_layers(_test("draws-60/gap/low", "fail")).values())
        codes = [EXIT[required(judged, names)] for names in ("A", "AD", "AB", "BC", "ABCDEFG")]
        assert codes == [0, 0, 3, 1, 1]

    def test_every_test_that_exists_belongs_to_a_layer(self, tests_that_exist: list[str]) -> None:
        assert {layer_of(test) for test in tests_that_exist} == {"A", "B", "C", "D", "F"}
        assert layer_of("bits-board/noise/assessed") == "B"
        assert layer_of("bits-board/draws-60/gap/low") == "C"
        assert layer_of("bits-board/sp800-22/monobit/minimum") == "A"

    def test_the_list_of_failures_on_page_one_ends_with_their_number(self) -> None:
        tests = [_test(f"draws-60/gap/{place}", "fail") for place in range(11)]
        campaign = {"layers": list(_layers(*tests).values()), "parts": []}
        assert len(failures(campaign)["named"]) == 5
        assert failures(campaign)["more"] == "and 6 more"

    def test_a_leak_is_named_with_its_figure_and_its_limit(self) -> None:
        name = "predictability-elevator-8-208"
        leakage = {"ideal": 0.07, "limit": 0.25, "counter": {"bits": 5.2}}
        judged = _layers(_test(f"{name}/counter/bits", "fail"))
        campaign = {
            "layers": list(judged.values()),
            "parts": [{"id": name, "figures": {"told": leakage}}],
        }
        (found,) = failures(campaign)["named"]
        assert found["layer"] == "D"
        assert found["finding"] == "5.20 bits of the next card by observation; 0.32 allowed"


class TestEvidence:
    def test_ten_thousand_outcomes_without_an_error_pass_the_mechanics(self) -> None:
        judged = _layers(evidence=(_evidence("E", {"outcomes": 10_000, "wrong": 0}),))
        assert judged["E"]["verdict"] == "pass"
        assert "at most 0.0003 of all" in judged["E"]["found"]

    @pytest.mark.parametrize(
        ("outcomes", "wrong", "verdict"),
        [
            (10_000, 4, "pass"),
            (10_000, 5, "fail"),
            (9_999, 0, "open"),
            (9_999, 5, "open"),
            (9_999, 40, "fail"),
        ],
    )
    def test_the_upper_limit_of_wrong_bins_decides(
        self, outcomes: int, wrong: int, verdict: str
    ) -> None:
        """0.001 is declared. By Poisson's law 4 errors leave at most 9.154 in 10,000 at 95 %, 5
        errors 10.513."""
        judged = _layers(evidence=(_evidence("E", {"outcomes": outcomes, "wrong": wrong}),))
        assert judged["E"]["verdict"] == verdict

    def test_the_upper_limit_equals_clopper_and_pearson(self) -> None:
        assert upper_rate(0, 10_000) == pytest.approx(1 - 0.05 ** (1 / 10_000))
        assert upper_rate(10, 10) == 1.0

    def test_outcomes_of_several_files_are_counted_together(self) -> None:
        half = _evidence("E", {"outcomes": 5_000, "wrong": 1})
        assert _layers(evidence=(half,))["E"]["verdict"] == "open"
        assert _layers(evidence=(half, half))["E"]["verdict"] == "pass"

    def test_side_channels_pass_only_with_a_signed_measurement_of_each(self) -> None:
        every, some = _channels(), _channels(names=("sound", "supply"))
        assert _layers(evidence=(every,))["F"]["verdict"] == "open"
        assert _layers(evidence=(every.sign(signer(1)),))["F"]["verdict"] == "pass"
        judged = _layers(evidence=(some.sign(signer(1)),))["F"]
        assert judged["verdict"] == "open"
        missing = judged["open"][0]["missing"]
        assert missing == "signed measurement of: vibration, magnetic field, wire timing"

    @pytest.mark.parametrize(("bits", "limit"), [(0.25, 1.0), (0.1, 0.1)])
    def test_a_side_channel_at_a_declared_limit_fails(self, bits: float, limit: float) -> None:
        evidence = _channels(bits, limit).sign(signer(1))
        assert _layers(evidence=(evidence,))["F"]["verdict"] == "fail"

    @pytest.mark.parametrize(
        ("valid", "attested", "verdict"),
        [(True, True, "pass"), (True, False, "open"), (False, True, "fail")],
    )
    def test_the_image_needs_a_valid_signature_and_an_attestation(
        self, valid: bool, attested: bool, verdict: str
    ) -> None:
        figures = {
            "image_sha256": "ab" * 32,
            "firmware_sha256": "cd" * 32,
            "signature_valid": valid,
            "attested": attested,
        }
        assert _layers(evidence=(_evidence("G", figures),))["G"]["verdict"] == verdict

    def test_evidence_that_was_changed_after_its_signature_is_rejected(self) -> None:
        data = _channels(0.2).sign(signer(1)).as_json()
        assert read_evidence(data).signed_by == signer(1).public.raw.hex()
        data["figures"]["channels"]["sound"]["bits"] = 0.1
        with pytest.raises(BadEvidenceError, match="does not match its content"):
            read_evidence(data)

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"format": 2}, "format is 2"),
            ({"layer": "D"}, "layer must be one of E, F, G"),
            ({"device": ""}, "device must be one line"),
            ({"machine_sha256": "x"}, "machine_sha256 must be a SHA-256"),
            ({"figures": {"outcomes": 10}}, "figures of layer E must be exactly"),
            ({"figures": {"outcomes": 10, "wrong": 11}}, "wrong must be an integer from 0 to 10"),
            ({"figures": {"outcomes": True, "wrong": 0}}, "outcomes must be an integer"),
            ({"data": {}}, "data must have exactly"),
            ({"more": 1}, "it must have exactly the fields"),
            ({"signature": {}}, "signature block is invalid"),
        ],
    )
    def test_an_invalid_field_is_named(self, change: dict[str, Any], said: str) -> None:
        good = _evidence("E", {"outcomes": 10_000, "wrong": 0}).as_json()
        with pytest.raises(BadEvidenceError, match=said):
            read_evidence(good | change)

    def test_a_file_of_outcomes_is_counted(self, tmp_path: Path) -> None:
        file = tmp_path / "bins.csv"
        file.write_text("time,intended,actual\n1,3,3\n2,0,59\n3,7,7\n")
        outcomes, wrong, data = outcomes_in(file)
        assert (outcomes, wrong, data["bytes"]) == (3, 1, file.stat().st_size)

    @pytest.mark.parametrize(
        "text", ["", "intended,actual\n", "a,b\n1,2\n", "intended,actual\n1,x\n"]
    )
    def test_a_file_without_outcomes_is_rejected(self, tmp_path: Path, text: str) -> None:
        file = tmp_path / "bins.csv"
        file.write_text(text)
        with pytest.raises(BadEvidenceError, match="intended and actual"):
            outcomes_in(file)


class TestCommand:
    def test_outcomes_become_evidence_that_a_certificate_takes(self, tmp_path: Path) -> None:
        outcomes = tmp_path / "bins.csv"
        outcomes.write_text("intended,actual\n" + "3,3\n" * 10_000)
        made = tmp_path / "mechanics.json"
        typed = f"certify evidence {outcomes} --layer E --machine carousel-60 --device x"
        more = ["--made-by", "us", "--out", str(made), "--json"]
        result = RUNNER.invoke(app, [*typed.split(), *more])
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout) == json.loads(made.read_text())
        assert load_evidence(made).figures == {"outcomes": 10_000, "wrong": 0}
        planned = RUNNER.invoke(app, ["certify", "--plan", "--evidence", str(made)])
        assert planned.exit_code == 0, planned.output
        (kept,) = json.loads(planned.stdout)["evidence"]
        assert read_evidence(kept) == load_evidence(made)

    @pytest.fixture
    def image(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A signed image of the carousel-60."""
        monkeypatch.setenv("CUTCARD_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("CUTCARD_PASSPHRASE", "correct horse")
        file = tmp_path / "image.cutcard"
        RUNNER.invoke(app, ["keys", "make", "factory", "--purpose", "image"])
        built = "image build --board rp2 --machine carousel-60 --version 1 --key factory -o"
        result = RUNNER.invoke(app, [*built.split(), str(file)])
        assert result.exit_code == 0, result.output
        return file

    def _of_image(self, image: Path, machine: str, public: str) -> tuple[int, str, Path]:
        attested, made = image.with_name("attested.json"), image.with_name("g.json")
        attested.write_text('{"agrees": true}')
        typed = f"certify evidence {image} --layer G --machine {machine} --device x --made-by us"
        more = ["--public-key", public, "--attested", str(attested), "--out", str(made)]
        result = RUNNER.invoke(app, [*typed.split(), *more])
        return result.exit_code, _plain(result.output), made

    def test_a_signed_image_becomes_evidence_of_the_installed_firmware(self, image: Path) -> None:
        public = RUNNER.invoke(app, ["keys", "public", "factory"]).stdout.strip()
        code, said, made = self._of_image(image, "carousel-60", public)
        assert code == 0, said
        evidence = load_evidence(made)
        assert evidence.figures["signature_valid"]
        assert evidence.figures["attested"]
        assert _layers(evidence=(evidence,))["G"]["verdict"] == "pass"
        planned = RUNNER.invoke(app, ["certify", "--plan", "--evidence", str(made)])
        assert planned.exit_code == 0, planned.output

    def test_an_image_of_another_key_fails_and_of_another_machine_is_rejected(
        self, image: Path
    ) -> None:
        code, _, made = self._of_image(image, "carousel-60", "ab" * 32)
        assert code == 0
        assert _layers(evidence=(load_evidence(made),))["G"]["verdict"] == "fail"
        code, said, _ = self._of_image(image, "carousel-38", "ab" * 32)
        assert code == 2
        assert "does not have the firmware and machine of this certificate" in said

    def test_evidence_of_another_machine_is_rejected(self, tmp_path: Path) -> None:
        file = tmp_path / "e.json"
        other = _evidence("E", {"outcomes": 1, "wrong": 0}, Product.of("carousel-38"))
        file.write_text(json.dumps(other.as_json()))
        result = RUNNER.invoke(app, ["certify", "--plan", "--evidence", str(file)])
        assert result.exit_code == 2
        assert "belongs to another machine file" in _plain(result.output)

    def test_every_command_of_an_open_item_exists_with_its_options(self) -> None:
        certify: Any = typer.main.get_command(app).get_command(None, "certify")  # type: ignore[attr-defined]
        for layer in layers():
            for command in (layer.command, *(need.command for need in layer.needs)):
                words = shlex.split(command.format(product=REFERENCE.options, machine="m"))
                known = certify
                if len(words) > 2 and words[2] == "evidence":
                    known = certify.get_command(None, "evidence")
                options = {name for parameter in known.params for name in parameter.opts}
                assert {word for word in words if word.startswith("--")} <= options, command


class TestProduct:
    def test_the_reference_product_is_the_carousel_60_with_eight_decks(self) -> None:
        plan = json.loads(RUNNER.invoke(app, ["certify", "--plan"]).stdout)
        assert (plan["product"]["machine"], plan["product"]["decks"]) == ("carousel-60", 8)
        assert plan["product"]["prizes"] == []

    def test_a_plan_names_one_machine_and_no_other(self) -> None:
        shipped = {"carousel-38", "carousel-44", "elevator-8", "drum-60", "slots-416", "shelves-10"}
        for name in ("carousel-60", *shipped):
            subjects = {part.subject for part in all_parts(Product.of(name))}
            assert subjects & (shipped | {"carousel-60"}) == {name}

    def test_a_machine_file_is_part_of_the_plan(self, tmp_path: Path) -> None:
        text = REFERENCE.machine_file.replace('name = "carousel-60"', 'name = "my-carousel"')
        file = tmp_path / "own.toml"
        file.write_text(text)
        typed = ["certify", "--plan", "--machine", str(file), "--profile", "sp800-22"]
        plan = json.loads(RUNNER.invoke(app, typed).stdout)
        assert plan["product"]["machine_file"] == text
        assert {part["subject"] for part in plan["parts"]} == {"my-carousel"}
        assert str(tmp_path) not in json.dumps(plan)
        product = Product.read(plan["product"])
        assert product.options == "--machine machine.toml --decks 8"
        assert REFERENCE.options == "--machine carousel-60 --decks 8"

    @pytest.mark.parametrize("machine", ["drum-60", "carousel-38"])
    def test_parts_of_an_own_machine_run_with_the_file_of_the_plan(
        self, tmp_path: Path, machine: str
    ) -> None:
        """Workers need no file and no machine of that name."""
        file = tmp_path / "own.toml"
        text = Product.of(machine).machine_file
        file.write_text(text.replace(f'name = "{machine}"', 'name = "my-own"'))
        product = Product.of(str(file), 1)
        file.unlink()
        small = {"bench": 2, "bits": 1_000, "draws": 100, "power_cuts": 20}
        wanted = [
            part
            for part in all_parts(product)
            if part.source == "bench" and part.subject == "my-own" and part.kind != "noise"
        ]
        assert {part.kind for part in wanted} >= {"bits", "draws", "power_cuts"}
        assert len(wanted) == 4
        for part in wanted:
            few = replace(part, sample=small.get(part.kind, 2))
            done = run_shard(asdict(few), 0, "own", product.machine_file)
            assert all(file["bytes"] for file in done["files"])
            assert str(tmp_path) not in json.dumps(done)

    def test_a_controller_has_every_prize_table_by_default(self) -> None:
        assert len(Product.of("controller-4").prizes) == 11
        assert Product.of("controller-4", None, ["madness-21"]).prizes == ("madness-21",)

    @pytest.mark.parametrize(
        ("machine", "decks", "prizes", "said"),
        [
            ("carousel-60", 5, [], "does not allow 5 decks of 52: use 6, 7, 8"),
            ("drum-60", 2, [], "does not allow 2 decks of 52: use 1"),
            ("controller-4", 1, [], "has no cards"),
            ("carousel-60", 8, ["madness"], "unknown prize table"),
            ("carousel-61", None, [], "no machine of this name"),
        ],
    )
    def test_an_impossible_product_is_rejected(
        self, machine: str, decks: int | None, prizes: list[str], said: str
    ) -> None:
        with pytest.raises(BadProductError, match=said):
            Product.of(machine, decks, prizes)

    @pytest.mark.parametrize(
        "change",
        [
            {"machine_file": "name = 1"},
            {"machine_file": 7},
            {"decks": 5},
            {"decks": "8"},
            {"prizes": ["madness"]},
            {"prizes": [7]},
            {"own_file": None},
        ],
    )
    def test_the_product_of_a_strangers_plan_is_checked(self, change: dict[str, Any]) -> None:
        with pytest.raises(BadProductError):
            Product.read(REFERENCE.as_json() | change)

    def test_a_product_survives_its_json(self) -> None:
        assert Product.read(json.loads(json.dumps(REFERENCE.as_json()))) == REFERENCE
        assert replace(REFERENCE, decks=6).pack == 312


def test_the_modules_of_the_source_review_exist() -> None:
    assert fingerprints()["firmware"].keys() >= FIRST_READ.keys()


def _words_of(page: str) -> str:
    return " ".join((Path(__file__).parents[2] / "docs" / page).read_text("utf-8").split())


class TestPages:
    """The pages about certification agree with the suite."""

    text = _words_of("explanation/certification.md")
    formats = _words_of("reference/certification-data.md")

    def test_it_names_every_layer_and_the_data_that_can_pass_it(self) -> None:
        for layer in layers():
            row = self.text.split(f"| {layer.layer} {layer.title} | ")[1]
            passes = row.split(" | ")[1]
            assert passes.startswith("yes" if layer.layer in "ACD" else "no: `--"), layer

    def test_it_names_the_declared_limits_with_their_figures(self) -> None:
        assert f"*{WRONG_BIN_RATE:g} wrong bins.*" in self.text
        assert f"*{SIDE_CHANNEL_BITS:g} bits for each card by a side channel*" in self.text
        assert f"| {LEAST_OUTCOMES:,} outcomes, and the upper" in self.formats
        none, four = (upper_rate(wrong, LEAST_OUTCOMES) for wrong in (0, 4))
        assert f"without an error they leave at most {none:.1g}, with four errors {four:.2g}" in (
            self.text
        )

    def test_it_names_the_exit_codes_in_their_order(self) -> None:
        codes = re.search(r"\| exit code \| meaning \|(.*?)`--require", self.text)
        assert codes is not None
        assert re.findall(r"\| (\d) \| (\w+)", codes[1]) == [
            (str(EXIT["fail"]), "fail"),
            (str(NO_VERDICT), "no"),
            (str(EXIT["open"]), "open"),
            (str(EXIT["pass"]), "pass"),
        ]

    def test_it_describes_every_field_of_an_evidence_file(self) -> None:
        fields = _evidence("E", {"outcomes": 1, "wrong": 0}).as_json().keys()
        figures = {name for names in FIGURES.values() for name in names}
        for name in {*fields, *figures, *OF_A_CHANNEL}:
            assert f"`{name}`" in self.formats, name
