"""Data that somebody brings: read as bytes or as text, and reported as a campaign is."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.keys import KeyStore
from rng_certification.base.reading import UnusableData
from rng_certification.base.text_records import LOOKED_AT, is_text, records
from rng_certification.certification import ScaledDraws, certify
from rng_certification.planted import draws

RUNNER = CliRunner()
NUMBERS = draws.good(np.random.default_rng(41), 20_000, 38)


def _text(numbers: Any) -> bytes:
    return "".join(f"{number}\n" for number in numbers).encode()


def test_draws_written_as_text_give_the_findings_of_the_same_draws_as_bytes() -> None:
    binary = certify(io.BytesIO(NUMBERS.astype("<u4").tobytes()), ScaledDraws(38))
    for written in (_text(NUMBERS), b"draw\r\n" + _text(NUMBERS).replace(b"\n", b"\r\n")):
        found = certify(io.BytesIO(written), ScaledDraws(38))
        assert found.judgement == binary.judgement
        assert found.bytes == len(written)
        assert found.sha256 != binary.sha256


@given(st.lists(st.permutations(range(5)), min_size=1))
def test_shuffles_written_as_text_are_the_same_records(packs: list[list[int]]) -> None:
    text = "\n".join(", ".join(map(str, pack)) for pack in packs).encode()
    assert _all(text, "shuffles", 5, 5) == np.array(packs, dtype="<u2").tobytes()


@given(st.binary(min_size=1))
def test_zeros_and_ones_are_the_same_bits(data: bytes) -> None:
    text = "\n".join(f"{byte:08b}" for byte in data).encode()
    assert _all(text, "bits", 8, 2) == data


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"1\n2,3\n", "line 2 has 2 numbers: text needs one draw a line"),
        (b"1\n38\n", "line 2: '38' is no number of 0 .. 37"),
        (b"1\n-1\n", "line 2: '-1'"),
        (b"n\n1\nx\n", "line 3: 'x'"),
        (b"hello world\nhello world\n", "line 2: 'hello' is no number"),
        (b"1\n" + b"9" * 5000 + b"\n", "line 2: '99999999999999999999'"),
        (b"1\n" + b"9" * 100_000, "line 2 is longer"),
        ("1\n\u0663\n".encode(), "line 2"),
    ],
)  # fmt: skip
def test_text_that_is_no_draws_is_named_with_its_line(text: bytes, problem: str) -> None:
    with pytest.raises(UnusableData, match=problem):
        _all(text, "draws", 1, 38)


def test_bits_that_are_no_whole_byte_or_go_on_as_something_else_are_refused() -> None:
    with pytest.raises(UnusableData, match="3 bits"):
        _all(b"00000000111", "bits", 8, 2)
    with pytest.raises(UnusableData, match="something else"):
        _all(b"01" * 100 + b"\xff", "bits", 8, 2)


def test_random_records_are_not_taken_for_text() -> None:
    assert not is_text("draws", NUMBERS.astype("<u4").tobytes()[:LOOKED_AT])
    assert not is_text("bits", np.random.default_rng(1).bytes(LOOKED_AT))
    assert not is_text("bits", b"\x55" * LOOKED_AT)
    assert not is_text("shuffles", np.arange(52, dtype="<u2").tobytes())


def _all(text: bytes, kind: str, each: int, span: int) -> bytes:
    stream, found = records(io.BytesIO(text), kind, each, span), b""
    while piece := stream.read(1):
        found += piece
    return found


class TestReport:
    @pytest.fixture(autouse=True)
    def key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("CUTCARD_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("CUTCARD_PASSPHRASE", "long enough")
        public = KeyStore().make("house", "report", "long enough")
        path = tmp_path / "house.pub"
        path.write_text(public.raw.hex())
        return path

    @pytest.fixture
    def data(self, tmp_path: Path) -> Path:
        path = tmp_path / "own.csv"
        path.write_bytes(_text(NUMBERS))
        return path

    def _certify(self, data: Path, out: Path) -> Any:
        line = ["certify", "--input", str(data), "--kind", "draws", "--range", "38"]
        return RUNNER.invoke(app, [*line, "--out", str(out), "--key", "house"])

    def _verify(self, out: Path, key: Path, *more: str) -> tuple[int, dict[str, Any]]:
        line = ["certify", "verify", str(out / "report.json"), "--public-key", str(key), "--json"]
        result = RUNNER.invoke(app, [*line, *more])
        return result.exit_code, {c["check"]: c for c in json.loads(result.stdout)["checks"]}

    def test_own_data_gets_page_pdf_and_json_that_hold(
        self, data: Path, tmp_path: Path, key: Path
    ) -> None:
        out = tmp_path / "own"
        result = self._certify(data, out)
        assert result.exit_code == 0, result.output
        assert "Signed with key 1, house" in result.stdout
        assert (out / "report.pdf").read_bytes().startswith(b"%PDF")
        page = (out / "report.html").read_text()
        assert "cutcard judged it and did not make it" in page
        assert "cutcard&#39;s firmware" not in page
        code, found = self._verify(out, key, "--input", str(data))
        assert code == 0
        assert [name for name, check in found.items() if check["holds"] is not True] == []

        code, found = self._verify(out, key)
        assert (code, found["rerun"]["holds"]) == (0, None)
        assert "--input" in found["rerun"]["says"]

        other = tmp_path / "other.csv"
        other.write_bytes(_text(NUMBERS[::-1]))
        code, found = self._verify(out, key, "--input", str(other))
        assert (code, found["rerun"]["holds"]) == (1, False)
        assert "another SHA-256" in found["rerun"]["says"]

        refused = self._certify(other, out)
        assert refused.exit_code == 2
        assert "another plan" in refused.output

    def test_a_campaign_takes_no_data(self, reported: Path, key: Path, data: Path) -> None:
        from rng_certification.report.verification import checks
        from rng_certification.tests.finished_campaign import signer

        path = reported / "report.json"
        found = {c.name: c for c in checks(path, signer(1).public.raw, 0, data)}
        assert found["rerun"].holds is False
