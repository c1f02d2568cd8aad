"""A campaign: declared first, with identical bytes on any computer and after any interruption."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.base.cluster import ClusterFailedError, on_cluster
from rng_certification.base.finding import ChiSquarePower, Finding
from rng_certification.base.finding_rows import as_row, from_row
from rng_certification.base.judgement import judge
from rng_certification.base.second_level import TogetherPower, second_level
from rng_certification.campaign.declared import all_parts, declared
from rng_certification.campaign.folder import CampaignFolder, OtherCampaignError
from rng_certification.campaign.judging import judged, profiles_for
from rng_certification.campaign.plan import CampaignPlan, seed_from
from rng_certification.campaign.plan_reading import BadCampaignPlanError, read_plan
from rng_certification.campaign.product import Product
from rng_certification.campaign.running import run_all
from rng_certification.campaign.work import ShardFailedError
from rng_certification.cli import campaign as cli_campaign
from rng_certification.cli.campaign import _begun_with
from rng_certification.profiles.profile import profiles_of
from rng_certification.tests.mini_campaign import TESTED, mini_plan, run


def _declared(profile: str, seed: str | tuple[str, str]) -> CampaignPlan:
    return declared(Product.of("drum-60"), profiles_of(profile), profile, seed)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The mini-campaign without interruption."""
    return run(tmp_path_factory.mktemp("whole") / "campaign")


@pytest.fixture(scope="module")
def campaign(whole: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(whole)
    return found


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_campaign_resumes_and_gives_the_same_bytes(
    whole: bytes, tmp_path: Path, how: signal.Signals
) -> None:
    command = [sys.executable, "-m", "rng_certification.tests.mini_campaign", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = process.stdout.readline().split()
        children = [os.pidfd_open(child) for child in children_of(process.pid)]
        process.send_signal(how)
    for child in children:
        assert select.select([child], [], [], 20)[0], "a child outlives its campaign"
        os.close(child)
    kept = tmp_path / "shards" / f"{first[0].decode()}.{first[1].decode()}.json"
    written = kept.stat().st_mtime_ns
    assert not (tmp_path / "campaign.json").exists()
    assert run(tmp_path) == whole
    assert kept.stat().st_mtime_ns == written


def children_of(process: int) -> list[int]:
    """Return the child processes, except Python's own resource tracker, which ends later."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    workers = [int(child) for child in found if b"spawn_main" in _command(child)]
    assert workers
    return workers


def _command(process: str) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def test_a_cluster_of_two_processes_gives_the_same_bytes(whole: bytes, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, protocol="tcp://", dashboard_address=None
    ) as cluster:
        assert cluster.scheduler_address.startswith("tcp://")
        assert run(tmp_path, scheduler=cluster.scheduler_address) == whole


def test_a_cluster_lost_during_the_work_is_named() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        results = on_cluster(address, time.sleep, [(0,), (30,)])
        assert next(results) == (0, None)
        cluster.close()
        with pytest.raises(ClusterFailedError, match=f"at {address} was lost"):
            next(results)


def test_a_failed_shard_is_named_with_its_reason_from_any_process(tmp_path: Path) -> None:
    """Errors with several arguments need help to survive the transfer between processes."""
    part = replace(mini_plan().parts[0], source="/dev/no-such-port")
    plan = replace(mini_plan(), parts=(part,))
    folder = CampaignFolder(tmp_path)
    folder.declare(plan, TESTED)
    with pytest.raises(
        ShardFailedError, match=r"draws-38, shard \d: PortNotFoundError: /dev/no-such-port"
    ):
        run_all(plan, folder, processes=2)


def test_the_plan_is_written_before_any_result(tmp_path: Path) -> None:
    CampaignFolder(tmp_path).declare(mini_plan(), TESTED)
    assert read_plan(json.loads((tmp_path / "plan.json").read_text())) == mini_plan()
    assert not list((tmp_path / "shards").iterdir())


def test_a_folder_with_another_plan_is_not_changed(tmp_path: Path) -> None:
    CampaignFolder(tmp_path).declare(mini_plan(), TESTED)
    with pytest.raises(OtherCampaignError, match="another plan"):
        CampaignFolder(tmp_path).declare(_declared("gli-19", "named"), TESTED)


def test_a_campaign_does_not_resume_with_other_firmware(tmp_path: Path) -> None:
    CampaignFolder(tmp_path).declare(mini_plan(), TESTED)
    with pytest.raises(OtherCampaignError, match="other firmware"):
        CampaignFolder(tmp_path).declare(mini_plan(), {"firmware": {}})


def test_all_parts_are_one_family(campaign: dict[str, Any]) -> None:
    tests = campaign["judgement"]["tests"]
    assert {test["name"].split("/")[0] for test in tests} == {"draws-38", "shuffles-slots-52"}
    ran = [test for test in tests if test["p"] is not None]
    smallest = min(ran, key=lambda test: test["p"])
    assert smallest["adjusted_p"] == pytest.approx(min(1, len(ran) * smallest["p"]))


def test_one_failed_test_of_one_part_fails_the_campaign(campaign: dict[str, Any]) -> None:
    parts = json.loads(json.dumps(campaign["parts"]))
    parts[1]["findings"][0]["p"] = 1e-9
    spoilt = judged(mini_plan(), parts, TESTED)
    assert (spoilt["verdict"], spoilt["judgement"]["verdict"]) == ("fail", "fail")
    failed = [t["name"] for t in spoilt["judgement"]["tests"] if t["verdict"] == "fail"]
    assert failed == [f"shuffles-slots-52/{parts[1]['findings'][0]['name']}"]


def test_a_layer_without_its_measurement_is_open(campaign: dict[str, Any]) -> None:
    assert campaign["judgement"]["verdict"] == "pass"
    assert campaign["verdict"] == "open"
    verdicts = {layer["layer"]: layer["verdict"] for layer in campaign["layers"]}
    assert verdicts == dict(zip("ABCDEFG", ["open"] * 2 + ["pass"] + ["open"] * 4, strict=True))


def test_every_test_has_its_smallest_fault_or_the_reason_for_a_skip(
    campaign: dict[str, Any],
) -> None:
    for test in campaign["judgement"]["tests"]:
        if test["verdict"] == "skipped":
            assert test["skipped"]
        else:
            assert test["p"] is not None


def test_a_part_names_its_data_by_hash(campaign: dict[str, Any]) -> None:
    draws, shuffles = campaign["parts"]
    assert len({file["sha256"] for file in draws["files"]}) == 3
    assert shuffles["files"][0]["bytes"] == 1_000 * 52 * 2


def test_campaign_files_contain_no_time_or_host(whole: bytes, tmp_path: Path) -> None:
    for identifying in (str(tmp_path.parent), socket.gethostname(), date.today().isoformat()):
        assert identifying.encode() not in whole


def test_a_finding_survives_conversion_to_json() -> None:
    finding = Finding("a", 10, "draws", 0.25, 3.5, power=ChiSquarePower(9, 10))
    assert from_row(json.loads(json.dumps(as_row(finding)))) == finding


@pytest.mark.parametrize("shards", [2, 20, 200])
def test_the_second_level_keeps_its_alpha(shards: int) -> None:
    random = np.random.Generator(np.random.SFC64(shards))
    failures = 0
    for _ in range(400):
        given = [[Finding("t", 1, "x", float(p))] for p in random.random(shards)]
        failures += not judge(second_level(given), 0.05).passed
    assert failures <= 36  # 20 expected of 400; a chance of 4 in 10,000


def test_a_small_shift_of_all_shards_is_found_together() -> None:
    given = [[Finding("t", 1, "x", 0.2)] for _ in range(50)]
    extreme, together = second_level(given)
    assert (extreme.p or 0) > 0.5
    assert (together.p or 1) < 1e-3


def test_one_bad_shard_is_found_among_many() -> None:
    given = [[Finding("t", 1, "x", 0.5)] for _ in range(1000)]
    given[77] = [Finding("t", 1, "x", 1e-12)]
    extreme, _ = second_level(given)
    assert (extreme.p or 1) < 1e-8


def test_more_shards_find_smaller_shifts() -> None:
    shifts = [TogetherPower(shards).detectable(1e-6) for shards in (2, 20, 200)]
    assert shifts == sorted(shifts, reverse=True)


def test_laboratory_samples_have_the_sizes_that_laboratories_require() -> None:
    slots = all_parts(Product.of("slots-416"), laboratory=True)
    sizes = {part.id: part.sample * part.shards for part in slots}
    assert sizes["bits-twin"] * 8 == 2 * 80_000_000
    assert sizes["shuffles-slots-416"] >= 2_500_000


def test_the_plan_can_be_read_without_running_it() -> None:
    result = CliRunner().invoke(app, ["certify", "--profile", "sp800-22", "--plan"])
    assert result.exit_code == 0
    assert {part["kind"] for part in json.loads(result.stdout)["parts"]} == {"bits"}


def test_an_unknown_profile_is_a_usage_error() -> None:
    result = CliRunner().invoke(app, ["certify", "--profile", "gli-99"])
    assert result.exit_code == 2
    assert "gli-11" in result.output


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--profile gli-99", "gli-11"),
        ("--profile none.toml", "cannot read none.toml"),
        ("--machine carousel-99", "no machine of this name"),
        ("--decks 9", "does not allow 9 decks"),
        ("--machine controller-4 --decks 6", "has no cards"),
        ("--prizes madness-99", "unknown prize table"),
        ("--require A,X", "unknown layer 'X'"),
        ("--machine controller-4 --require A,D", "layer D does not apply to controller-4"),
        ("--evidence none.json", "cannot read none.json"),
        ("--profile shuffler --machine controller-4 --seed x --applicant-nonce y", "fresh seed"),
    ],
)
def test_invalid_options_are_rejected_before_any_estimate(typed: str, said: str) -> None:
    result = CliRunner().invoke(app, ["certify", *typed.split()])
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())
    assert "Certifying" not in result.output
    assert "minute" not in result.output


_LOADED_WHEN_IT_SPEAKS = """
import sys, typer
typer.echo = lambda *_, **__: sys.exit(str({"numba", "numpy"} & {*sys.modules}))
from cutcard.cli.main import main
main(["certify"])
"""


def test_certify_prints_before_slow_modules_are_loaded() -> None:
    command = [sys.executable, "-c", _LOADED_WHEN_IT_SPEAKS]
    spoken = subprocess.run(command, capture_output=True, text=True, check=False)
    assert spoken.stderr.strip() == "set()"


def test_commands_that_only_print_announce_no_campaign() -> None:
    for typed in (["--plan", "--profile", "sp800-22"], ["runs"], ["--range", "38"]):
        output = CliRunner().invoke(app, ["certify", *typed]).output
        assert "Certifying" not in output
        assert "Loading" not in output


def test_options_for_data_require_input() -> None:
    result = CliRunner().invoke(app, ["certify", "--range", "38"])
    assert result.exit_code == 2
    assert "--input" in result.output


def _plan(*options: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["certify", "--profile", "sp800-22", "--plan", *options])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_campaign_has_a_fresh_seed_from_two_nonces() -> None:
    first, second = _plan(), _plan()
    assert first["seed"] != second["seed"]
    for plan in (first, second):
        assert plan["seed"] == seed_from(**plan["nonces"])


def test_the_seed_depends_on_the_applicants_nonce_and_on_a_fresh_one() -> None:
    first, second = (_plan("--applicant-nonce", "our word") for _ in range(2))
    assert first["nonces"]["applicant"] == second["nonces"]["applicant"] == "our word"
    assert first["seed"] != second["seed"]


def test_a_given_seed_repeats_the_plan_byte_by_byte() -> None:
    first, second = (_plan("--seed", "2026") for _ in range(2))
    assert first == second
    assert (first["seed"], first["nonces"]) == ("2026", None)


def test_a_resumed_folder_keeps_its_first_nonces(tmp_path: Path) -> None:
    plan = _declared("sp800-22", ("the laboratory's", "the applicant's"))
    CampaignFolder(tmp_path).declare(plan, TESTED)
    assert _begun_with(CampaignFolder(tmp_path)) == plan.nonces
    assert _begun_with(CampaignFolder(tmp_path / "other")) is None


def test_weights_are_in_the_hash_of_the_plan() -> None:
    plan = mini_plan()
    assert replace(plan, weights=(("*", 2.0),)).sha256 != plan.sha256


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weights": [["*", 0.0]]}, "a weight is 0.0"),
        ({"weights": [["*"]]}, "one of its weights is invalid"),
        ({"weights": [["*", 1.0]] * 65}, "it has 65 weights"),
        ({"nonces": {"laboratory": "a", "applicant": "b"}}, "does not follow from its nonces"),
        ({"nonces": "none"}, "its nonces is missing or invalid"),
    ],
)
def test_weights_and_nonces_of_an_untrusted_plan_are_checked(
    change: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadCampaignPlanError, match=said):
        read_plan(mini_plan().as_json() | change)


def test_a_profile_file_is_part_of_the_plan_under_a_separate_name(tmp_path: Path) -> None:
    """A file named like one of our profiles does not get that profile's sizes."""
    file = tmp_path / "lab.toml"
    clause = 'id = "1"\ncites = "Rules, 1"\nasks = "Even draws."\ntests = ["draws-*/frequency/*"]'
    file.write_text(f'title = "Rules"\nabout = "Ours."\n\n[[clause]]\n{clause}\n')
    typed = ["certify", "--plan", "--machine", "drum-60", "--profile", str(file)]
    plan = json.loads(CliRunner().invoke(app, typed).stdout)
    assert (plan["profile"], plan["profile_file"]) == ("lab.toml", file.read_text())
    assert {part["id"] for part in plan["parts"]} == {"draws-60", "draws-52", "draws-bench-60"}
    assert {part["shards"] for part in plan["parts"]} == {1}
    (profile,) = profiles_for(read_plan(plan))
    assert profile.clauses[0].cites == "Rules, 1"


class TestExitCodes:
    """A certificate of seconds, from its command."""

    @pytest.fixture
    def small(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The folder of a certificate that always uses the mini-campaign's plan."""
        monkeypatch.setenv("CUTCARD_HOME", str(tmp_path / "home"))
        monkeypatch.setattr(cli_campaign, "declared", lambda *_: mini_plan())
        return tmp_path / "certificate"

    def _certify(self, folder: Path, *more: str) -> tuple[int, str]:
        typed = ["certify", "--machine", "drum-60", "--out", str(folder), "--processes", "1"]
        result = CliRunner().invoke(app, [*typed, *more])
        return result.exit_code, result.output

    def _spoil(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make one test of layer C fail."""

        def spoilt(*given: Any, **named: Any) -> list[dict[str, Any]]:
            parts = run_all(*given, **named)
            parts[0]["findings"][0]["p"] = 1e-12
            return parts

        monkeypatch.setattr(cli_campaign, "run_all", spoilt)

    def test_open_items_without_a_failure_are_exit_3_with_their_commands(self, small: Path) -> None:
        code, said = self._certify(small)
        assert code == 3
        assert said.rstrip().endswith("OPEN")
        assert "cutcard certify --machine drum-60 --decks 1 --port PORT" in said
        assert (small / "machine.toml").read_text() == Product.of("drum-60").machine_file

    def test_required_layers_that_pass_are_exit_0(self, small: Path) -> None:
        code, said = self._certify(small, "--require", "C", "--json", "-")
        answer = json.loads(said[said.index("{") :])
        assert (code, answer["exit"], answer["verdict"]) == (0, 0, "open")
        assert answer["layers"]["C"] == "pass"
        assert {item["layer"] for item in answer["open"]} == set("ABDEFG")

    def test_a_failure_is_exit_1_before_open_items(
        self, small: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self._spoil(monkeypatch)
        code, said = self._certify(small)
        assert code == 1
        assert said.rstrip().endswith("FAIL")
        assert self._certify(small, "--require", "E")[0] == 3

    def test_a_part_that_cannot_run_is_exit_2(
        self, small: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*given: Any, **named: Any) -> list[dict[str, Any]]:
            raise ShardFailedError("draws-38, shard 0: the bench did not start")

        monkeypatch.setattr(cli_campaign, "run_all", broken)
        code, said = self._certify(small)
        assert code == 2
        assert "the bench did not start" in said

    def test_progress_and_estimate_name_the_product(self, small: Path) -> None:
        said = self._certify(small)[1]
        assert "Certifying drum-60 with 1 deck of 52 cards: 2 parts, about 1 minute on " in said
