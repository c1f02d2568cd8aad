"""`cutcard certify` in scripts: exit codes, JSON, offsets, pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification import certification
from rng_certification.planted import bits, draws, shuffles

RUNNER = CliRunner()


def _certify(path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    result = RUNNER.invoke(app, ["certify", "--input", str(path), *arguments, "--json", "-"])
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data.bin"


def _random() -> np.random.Generator:
    return np.random.default_rng(41)


def test_good_draws_pass(data: Path) -> None:
    draws.good(_random(), 50_000, 38).astype("<u4").tofile(data)
    code, answer = _certify(data, "--kind", "draws", "--range", "38")
    assert code == 0
    assert answer["verdict"] == "pass"
    assert answer["alpha"] == 0.005
    assert {"name", "p", "verdict"} <= set(answer["tests"][0])
    assert {test["verdict"] for test in answer["tests"]} <= {"pass", "skipped"}


def test_bad_draws_fail_and_the_test_is_named(data: Path) -> None:
    draws.remainder_of_a_byte(_random(), 50_000, 52).astype("<u4").tofile(data)
    code, answer = _certify(data, "--kind", "draws", "--range", "52")
    assert code == 1
    assert answer["verdict"] == "fail"
    assert "frequency/chi-square" in answer["failed"]


def test_good_shuffles_pass(data: Path) -> None:
    shuffles.good(_random(), 2_000, 52).astype("<u2").tofile(data)
    code, answer = _certify(data, "--kind", "shuffles", "--deck", "52")
    assert (code, answer["verdict"], answer["sample"]) == (0, "pass", 2000)


def test_good_bits_pass(data: Path) -> None:
    bits.good(_random(), 300_000).tofile(data)
    code, answer = _certify(data, "--kind", "bits")
    assert (code, answer["verdict"], answer["bytes"]) == (0, "pass", 300_000)


def test_every_test_has_its_smallest_detectable_fault(data: Path) -> None:
    draws.good(_random(), 50_000, 38).astype("<u4").tofile(data)
    _, answer = _certify(data, "--kind", "draws", "--range", "38")
    ran = [test for test in answer["tests"] if test["verdict"] != "skipped"]
    assert all(test["detectable"] > 0 and test["detectable_is"] for test in ran)


def test_a_draw_out_of_range_is_named_with_its_offset(data: Path) -> None:
    numbers = draws.good(_random(), 600_000, 38).astype("<u4")
    numbers[500_123] = 38
    numbers.tofile(data)
    code, answer = _certify(data, "--kind", "draws", "--range", "38")
    assert code == 2
    assert answer["verdict"] is None
    assert answer["offset"] == 4 * 500_123
    assert "record 500123 is 38" in answer["error"]


def test_a_record_that_is_not_a_permutation_is_named_with_its_offset(data: Path) -> None:
    decks = shuffles.good(_random(), 2_000, 52).astype("<u2")
    decks[1234, 5] = decks[1234, 6]
    decks.tofile(data)
    code, answer = _certify(data, "--kind", "shuffles", "--deck", "52")
    assert (code, answer["offset"]) == (2, 1234 * 104)


def test_an_incomplete_record_is_named_with_its_offset(data: Path) -> None:
    data.write_bytes(draws.good(_random(), 20_000, 38).astype("<u4").tobytes()[:-1])
    code, answer = _certify(data, "--kind", "draws", "--range", "38")
    assert (code, answer["offset"]) == (2, 4 * 19_999)


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        (["--kind", "bits"], 100),
        (["--kind", "bits"], 0),
        (["--kind", "draws", "--range", "256"], 4 * 9_999),
        (["--kind", "shuffles", "--deck", "52"], 0),
    ],
)
def test_too_little_data_gets_no_certificate(data: Path, arguments: list[str], size: int) -> None:
    data.write_bytes(b"\1\0\0\0" * (size // 4))
    code, answer = _certify(data, *arguments)
    assert code == 2
    assert answer["verdict"] is None
    assert "too little data" in answer["error"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--kind", "draws"],
        ["--kind", "draws", "--range", "1"],
        ["--kind", "draws", "--range", str((1 << 32) + 1)],
        ["--kind", "shuffles"],
        ["--kind", "shuffles", "--deck", "2000"],
        ["--kind", "bits", "--range", "6"],
        ["--kind", "draws", "--range", "6", "--deck", "52"],
        ["--kind", "noise"],
    ],
)
def test_invalid_usage_exits_with_2(data: Path, arguments: list[str]) -> None:
    data.write_bytes(b"")
    assert RUNNER.invoke(app, ["certify", "--input", str(data), *arguments]).exit_code == 2


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = RUNNER.invoke(
        app, ["certify", "--input", str(tmp_path / "none.bin"), "--kind", "bits"]
    )
    assert result.exit_code == 2
    assert "none.bin" in result.stderr


def test_the_verdict_is_printed_last_and_json_goes_to_a_file(data: Path, tmp_path: Path) -> None:
    draws.good(_random(), 20_000, 6).astype("<u4").tofile(data)
    to = tmp_path / "answer.json"
    result = RUNNER.invoke(
        app,
        ["certify", "--input", str(data), "--kind", "draws", "--range", "6", "--json", str(to)],
    )
    assert result.exit_code == 0
    assert result.stdout.strip().endswith("PASS")
    assert json.loads(to.read_text())["verdict"] == "pass"


PEAK = """
import sys, typer
from rng_certification.cli.given_data import DataDescription, judge_data
try:
    judge_data("-", "draws", DataDescription(span=38), "-")
except typer.Exit:
    # Its own peak: getrusage reports at least the peak of the parent process.
    own = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print(own["VmHWM"].split()[0], file=sys.stderr)
"""


def _peak_of_a_pipe(draws_in_it: int) -> tuple[str, int]:
    """Return verdict and peak memory in KiB of certifying this many draws through a pipe."""
    with subprocess.Popen(
        [sys.executable, "-c", PEAK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        random = _random()
        for _ in range(draws_in_it // 500_000):
            process.stdin.write(draws.good(random, 500_000, 38).astype("<u4").tobytes())
        process.stdin.close()
        verdict = json.loads(process.stdout.read())["verdict"]
        return verdict, int(
            process.stderr.read().splitlines()[-1]
        )  # the progress is printed before


def test_memory_is_constant_for_any_amount_of_data_in_the_pipe() -> None:
    verdict, small = _peak_of_a_pipe(3_000_000)  # enough to fill its tables
    again, large = _peak_of_a_pipe(10_000_000)  # 28 MB more
    assert verdict == again == "pass"
    assert large < small + 16 * 1024


def test_an_unwritable_output_is_rejected_before_any_work(tmp_path: Path) -> None:
    place = tmp_path / "no" / "folder.json"
    result = RUNNER.invoke(app, ["certify", "--input", "-", "--kind", "bits", "--json", str(place)])
    assert result.exit_code == 2
    assert "cannot write" in result.output


def test_ctrl_c_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(certification, "certify", interrupted)
    result = RUNNER.invoke(app, ["certify", "--input", "-", "--kind", "bits"])
    assert result.exit_code == 130
    assert "interrupted, no verdict" in result.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
def test_a_full_disk_gives_no_verdict(data: Path) -> None:
    bits.good(_random(), 125_000).tofile(data)
    command = [sys.executable, "-m", "cutcard.cli", "certify", "--input", str(data)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*command, "--kind", "bits", "--json", "-"], stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 2
    assert b"standard output cannot be written" in done.stderr


def test_a_reader_that_closes_the_pipe_gets_no_verdict(data: Path) -> None:
    """`... --json - | head -1`: the shell must not mistake that for a failed certificate."""
    bits.good(_random(), 125_000).tofile(data)
    command = [sys.executable, "-m", "cutcard.cli", "certify", "--input", str(data)]
    process = subprocess.Popen(
        [*command, "--kind", "bits", "--json", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=120) == 141
    assert process.stderr is not None
    said = process.stderr.read().splitlines()
    assert all(line.startswith(b"judging ") for line in said)  # its progress, without a traceback
    process.stderr.close()
