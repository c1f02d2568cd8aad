"""Established batteries: their input, the parsing of their reports, and the results that count."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from firmware.tests.interpreters import missing
from rng_certification.batteries import dieharder, practrand, testu01
from rng_certification.batteries.feeding import Report, Stream, feed
from rng_certification.batteries.outcome import ENDED, REWOUND, Outcome


def good(seed: int = 1) -> Iterator[bytes]:
    random = np.random.Generator(np.random.SFC64(seed))
    while True:
        yield random.bytes(1 << 16)


def printed(output: str, ran_dry: bool = False) -> Report:
    return Report(output, "", 1000, ran_dry, 0)


READS_A_MEBIBYTE = (
    sys.executable,
    "-c",
    "import sys; print(len(sys.stdin.buffer.read(1 << 20)))",
)


# --- feeding -----------------------------------------------------------------------------------


def test_a_battery_stops_reading_when_it_has_enough() -> None:
    stream = Stream(good())
    report = feed(READS_A_MEBIBYTE, stream)
    assert report.output.strip() == str(1 << 20)
    assert not report.ran_dry
    assert report.given >= 1 << 20


def test_the_next_battery_continues_where_the_last_one_ended() -> None:
    given: list[bytes] = []
    stream = Stream(good(), given.append)
    feed(READS_A_MEBIBYTE, stream)
    first = stream.given
    feed(READS_A_MEBIBYTE, stream)
    assert stream.given > first
    again = good()
    assert given == [next(again) for _ in given], "in order, each piece once"


def test_a_battery_that_needs_more_data_than_available_runs_dry() -> None:
    report = feed(READS_A_MEBIBYTE, Stream(iter((b"few",))))
    assert (report.output.strip(), report.ran_dry, report.given) == ("3", True, 3)


# --- reading -----------------------------------------------------------------------------------


def test_dieharder_results_become_two_sided_findings() -> None:
    lines = "  sts_runs,   2,  100000,  100,0.99900000,   WEAK  \n"
    [outcome] = dieharder.read("sts_runs", printed(lines))
    assert (outcome.name, outcome.p, outcome.said) == ("dieharder/sts_runs/2", 0.999, "WEAK")
    assert outcome.finding().p == pytest.approx(0.002)


def test_a_p_of_zero_becomes_half_of_the_last_printed_digit() -> None:
    lines = "diehard_runs, 0, 100000, 100,0.00000000, FAILED\n"
    [outcome] = dieharder.read("diehard_runs", printed(lines))
    assert outcome.finding().p == pytest.approx(1e-8)


def test_a_result_from_rewound_data_is_void() -> None:
    lines = "# The file file_input_raw was rewound 3 times\ndiehard_runs,0,1,1,0.5,PASSED\n"
    [outcome] = dieharder.read("diehard_runs", printed(lines))
    assert (outcome.p, outcome.void) == (None, REWOUND)
    assert outcome.finding().skipped == REWOUND


PRACTRAND = """RNG_test using PractRand version 0.94
RNG = RNG_stdin32, seed = unknown
test set = core, folding = standard (32 bit)

rng=RNG_stdin32, seed=unknown
length= 512 megabytes (2^29 bytes), time= 3.8 seconds
  Test Name                         Raw       Processed     Evaluation
  BCFN(2+0,13-1,T)                  R=+261.5  p =  2.9e-140   FAIL !!!!!
  [Low1/32]FPF/16:cross             R=  -2.3  p =1-4.1e-4   unusual
  BCFN(2+4,13-3,T)                  R=  +1.5  p = 0.258     normal
"""


def test_every_result_of_a_practrand_report_is_read() -> None:
    outcomes = practrand.read(printed(PRACTRAND), 29)
    assert [(o.name, o.said) for o in outcomes] == [
        ("practrand/BCFN(2+0,13-1,T)", "FAIL !!!!!"),
        ("practrand/[Low1/32]FPF/16:cross", "unusual"),
        ("practrand/BCFN(2+4,13-3,T)", "normal"),
    ]
    assert [o.finding().p for o in outcomes] == pytest.approx([1e-9, 8.2e-4, 0.516])


def test_practrand_without_the_requested_length_has_no_result() -> None:
    [outcome] = practrand.read(printed(PRACTRAND, ran_dry=True), 30)
    assert outcome.void == ENDED


TESTU01 = """
smarsa_BirthdaySpacings test:
-----------------------------------------------
   N =  1,  n = 5000000,  r =  0,    d = 1073741824,    t = 2,    p = 1
p-value of test                       :    0.41

sknuth_Gap test:
p-value of test                       :  4.3e-9    *****

swalk_RandomWalk1 test:
Test on the values of the Statistic H
p-value of test                       :   eps           *****
Test on the values of the Statistic M
p-value of test                       :    1 - 2.0e-8    *****
========= Summary results of SmallCrush =========
"""


def test_every_result_of_a_testu01_report_is_read() -> None:
    outcomes = testu01.read(printed(TESTU01))
    assert [(o.name, o.said) for o in outcomes] == [
        ("testu01/smarsa_BirthdaySpacings#1", "passed"),
        ("testu01/sknuth_Gap#1", "suspect"),
        ("testu01/swalk_RandomWalk1#1", "suspect"),
        ("testu01/swalk_RandomWalk1#2", "suspect"),
    ]
    found = [o.finding().p for o in outcomes]
    assert found == pytest.approx([0.82, 8.6e-9, 1e-15, 4e-8])


def test_a_void_outcome_shows_its_reason_and_no_p() -> None:
    assert Outcome("x", 5, void=ENDED).as_json() == {"name": "x", "bytes": 5, "void": ENDED}


# --- dieharder itself --------------------------------------------------------------------------


@pytest.fixture
def _installed() -> None:
    if not dieharder.installed():
        missing("dieharder is not installed: run .ci/set-up-system")


@pytest.mark.usefixtures("_installed")
def test_all_tests_recommended_by_dieharders_author_are_run_and_no_others() -> None:
    listed = subprocess.run([dieharder.PROGRAM, "-l"], capture_output=True, text=True).stdout
    reliability = dict(re.findall(r"-d (\d+)\s.*\t\s*(Good|Suspect|Do Not Use)", listed))
    good_ones = {int(number) for number, word in reliability.items() if word == "Good"}
    kstest = 204
    assert {test.number for test in dieharder.TESTS} == good_ones - {kstest}


def certify(*arguments: str, data: bytes = b"") -> tuple[int, str]:
    result = CliRunner().invoke(app, ["certify", "battery", *arguments], input=data)
    return result.exit_code, result.stdout or result.stderr


@pytest.mark.usefixtures("_installed")
def test_the_twin_passes_a_test_of_dieharder() -> None:
    code, out = certify("dieharder", "--test", "diehard_runs", "--json", "-")
    answer = json.loads(out)
    assert (code, answer["verdict"], answer["kind"]) == (0, "pass", "dieharder")
    assert [row["name"] for row in answer["battery"]] == [
        "dieharder/diehard_runs#1",
        "dieharder/diehard_runs#2",
    ]
    assert answer["left_out"]["diehard_sums"]


@pytest.mark.usefixtures("_installed")
def test_a_bad_source_fails_a_test_of_dieharder(tmp_path: Path) -> None:
    path = tmp_path / "counted.bin"
    path.write_bytes(np.arange(12_000_000, dtype="<u4").tobytes())
    code, out = certify("dieharder", "--source", str(path), "--test", "diehard_runs")
    assert code == 1
    assert "FAIL" in out


@pytest.mark.usefixtures("_installed")
def test_too_little_data_gives_no_verdict_and_no_failure() -> None:
    code, out = certify("dieharder", "--source", "-", "--test", "diehard_runs", data=bytes(10**5))
    assert code == 2
    assert ENDED in out


def test_a_missing_battery_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    code, out = certify("practrand")
    assert code == 2
    assert "SKIPPED: PractRand is not installed" in out
    code, out = certify("dieharder")
    assert code == 2
    assert "apt install dieharder" in out
    code, out = certify("testu01")
    assert code == 2
    assert "--program" in out


@pytest.mark.parametrize("name", ["diehard_sums", "diehard_dice"])
def test_an_excluded_or_unknown_test_is_rejected(name: str) -> None:
    code, out = certify("dieharder", "--test", name)
    assert code == 2
    assert name in out
