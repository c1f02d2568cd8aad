"""Growing samples: the volumes of the looks, their alpha, and the end."""

from __future__ import annotations

import io
import json
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.base.reading import UnusableDataError
from rng_certification.certification import Certificate, certify, subject_of
from rng_certification.planted import draws, hidden
from rng_certification.repeated_looks import FIRST, Look, LookLimit, alpha_of, grow
from rng_certification.report.verification import checks
from rng_certification.report.writing import write_report
from rng_certification.tests.finished_campaign import signer

RANGE = 3750
GOOD = draws.good(np.random.default_rng(71), 2 * FIRST // 4 + 5, RANGE).astype("<u4").tobytes()


def _grown(data: bytes, until: str, seconds: int = 0) -> tuple[Certificate, list[Look]]:
    looks: list[Look] = []
    ticks = count(0, seconds)
    stream, subject = io.BytesIO(data), subject_of("draws", RANGE)
    clock = lambda: float(next(ticks))  # noqa: E731
    return grow(stream, subject, LookLimit.of(until), looks.append, clock=clock), looks


def test_all_looks_together_spend_no_more_than_alpha() -> None:
    spent = sum(alpha_of(look, 0.005) for look in range(1, 100_000))
    assert 0.00499 < spent < 0.005
    assert alpha_of(1, 0.005) == pytest.approx(0.0025)


@example(record=2, last=(1 << 24) + 1)  # an odd byte after the fifth look: no sixth look
@example(record=3 * FIRST, last=40 * FIRST)  # one record is larger than the first look
@given(
    record=st.one_of(st.integers(1, 5000), st.integers(1, 8 * FIRST)),
    last=st.integers(1, 40 * FIRST),
)
def test_looks_double_and_the_last_is_at_the_declared_volume(record: int, last: int) -> None:
    volumes = list(LookLimit("", bytes=last).volumes(record))
    assert volumes[-1] == max(1, last // record) * record
    assert volumes == sorted(set(volumes))
    assert all(volume % record == 0 for volume in volumes)
    begin = max(FIRST, record)
    assert volumes[:-1] == [(begin << k) // record * record for k in range(len(volumes) - 1)]


def test_an_odd_byte_after_a_look_adds_no_second_look_at_the_same_volume() -> None:
    volumes = list(LookLimit("", bytes=16_777_217).volumes(record=2))
    assert volumes == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST, 16 * FIRST]


def test_a_time_limit_has_unlimited_looks() -> None:
    assert list(islice(LookLimit.of("1h").volumes(4), 3)) == [FIRST, 2 * FIRST, 4 * FIRST]


@pytest.mark.parametrize(
    ("said", "bytes_", "seconds"),
    [
        ("64GB", 64 * 10**9, None),
        ("1.5 MiB", 3 << 19, None),
        ("1.001 KB", 1001, None),  # 1000.9999 in binary floating point
        ("90s", None, 90.0),
        ("30min", None, 1800.0),
        ("1h", None, 3600.0),
    ],
)
def test_volumes_and_times_are_parsed_in_common_units(
    said: str, bytes_: int | None, seconds: float | None
) -> None:
    assert LookLimit.of(said) == LookLimit(said, bytes_, seconds)


@pytest.mark.parametrize("said", ["", "64", "64 gigs", "0GB", "-1h", "1e9GB", "nan h"])
def test_other_texts_are_rejected_as_volumes(said: str) -> None:
    with pytest.raises(ValueError, match="use for example 64GB, 100MiB"):
        LookLimit.of(said)


def test_a_good_source_passes_at_the_last_look_only_at_its_share_of_alpha() -> None:
    certificate, looks = _grown(GOOD, "2MiB")
    assert [look.bytes for look in looks] == [FIRST, 2 * FIRST]
    assert certificate.judgement.passed
    assert certificate.judgement.alpha == alpha_of(2)
    assert certificate.bytes == 2 * FIRST
    assert certificate.as_json()["looks"][0]["verdict"] == "pass"


def test_a_look_finds_the_same_as_a_certification_of_the_same_volume() -> None:
    """Earlier looks do not change the tests of the later data."""
    certificate, _ = _grown(GOOD, "2MiB")
    whole = certify(io.BytesIO(GOOD[: 2 * FIRST]), subject_of("draws", RANGE))
    assert [t.finding for t in certificate.judgement.tests] == [
        t.finding for t in whole.judgement.tests
    ]


def test_a_failure_ends_the_run_at_the_first_look() -> None:
    bad = hidden.scaled_48(np.random.default_rng(3), FIRST // 4, RANGE).astype("<u4").tobytes()
    certificate, looks = _grown(bad, "64GB")
    assert not certificate.judgement.passed
    assert len(looks) == 1


def test_an_expired_time_limit_ends_the_run_at_the_next_look_and_not_before() -> None:
    """Five seconds between two readings of the clock, and a limit of six."""
    certificate, looks = _grown(GOOD, "6s", seconds=5)
    assert len(looks) == 2
    assert certificate.judgement.passed


def test_data_that_ends_before_the_declared_volume_gives_no_verdict() -> None:
    with pytest.raises(UnusableDataError, match="before the look at 4,194,304"):
        _grown(GOOD, "4MiB")


def test_text_is_rejected_because_it_has_no_volume() -> None:
    with pytest.raises(UnusableDataError, match="text has no volume"):
        _grown(b"1\n" * 4096, "1MiB")


def test_the_command_prints_each_look_and_its_report_verifies(tmp_path: Path) -> None:
    data, out = tmp_path / "draws.u32", tmp_path / "own"
    bad = hidden.scaled_48(np.random.default_rng(3), FIRST // 2, RANGE)
    data.write_bytes(bad.astype("<u4").tobytes())
    line = ["certify", "--input", str(data), "--kind", "draws", "--range", str(RANGE)]
    result = CliRunner().invoke(app, [*line, "--until", "64GB", "--out", str(out)])
    assert result.exit_code == 1, result.output
    assert "look 1 at 1,048,576 bytes, alpha 0.0025: fail" in result.stderr
    plan = json.loads((out / "plan.json").read_text())
    assert plan["alpha"] == alpha_of(1)
    assert plan["parts"][0]["parameters"]["looks"] == ["1048576 bytes at alpha 0.0025"]
    write_report(out, signer(1))
    found = checks(out / "report.json", signer(1).public.raw, 0, data)
    assert {check.name: check.holds for check in found}["rerun"] is True
