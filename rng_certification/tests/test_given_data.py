"""Given data: read as bytes or as text, and reported like a campaign."""

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
from cutcard.keys import SigningKeyStore
from cutcard.machines import find
from rng_certification.base.reading import UnusableDataError
from rng_certification.base.text_records import LOOKED_AT, TextForm
from rng_certification.campaign.given import subject_again
from rng_certification.campaign.plan_reading import read_plan
from rng_certification.certification import Layout, ScaledDraws, Shuffles, certify, subject_of
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.steps import (
    BIN_SHIFT,
    CARD_MASK,
    DEALT,
    FED,
    PUSHED,
    STEP_SHIFT,
    UNSEEN_BIN,
    Steps,
    without_bins,
)
from rng_certification.continuous.subject import ContinuousHistory
from rng_certification.jackpot.press_columns import PressColumns
from rng_certification.jackpot.subject import Presses
from rng_certification.planted import draws, jackpot
from rng_certification.twin import streams
from rng_certification.twin.streams import Mechanism

RUNNER = CliRunner()
NUMBERS = draws.good(np.random.default_rng(41), 20_000, 38)
DRAWS = ScaledDraws(38).text
BITS = subject_of("bits").text


def _text(numbers: Any) -> bytes:
    return "".join(f"{number}\n" for number in numbers).encode()


def _rows(first: int, separator: str = ",") -> bytes:
    """Return draws as the third column of a CSV file, with a text that contains a separator."""
    heading = separator.join(("time", "button", "number"))
    lines = (
        separator.join((str(place), f'"left{separator} low"', str(number + first)))
        for place, number in enumerate(NUMBERS)
    )
    return "\n".join((heading, *lines, "")).encode()


@pytest.mark.parametrize("column", ["number", "3"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_column_of_a_csv_file_gives_the_findings_of_the_same_draws(
    column: str, separator: str
) -> None:
    binary = certify(io.BytesIO(NUMBERS.astype("<u4").tobytes()), ScaledDraws(38))
    subject = ScaledDraws(38, Layout(column))
    assert certify(io.BytesIO(_rows(0, separator)), subject).judgement == binary.judgement


def test_draws_numbered_from_1_give_the_findings_of_the_same_draws() -> None:
    binary = certify(io.BytesIO(NUMBERS.astype("<u4").tobytes()), ScaledDraws(38))
    subject = ScaledDraws(38, Layout("number", 1))
    assert certify(io.BytesIO(_rows(1)), subject).judgement == binary.judgement


def test_shuffles_numbered_from_1_are_read() -> None:
    packs = np.argsort(np.random.default_rng(3).random((1_000, 5)), axis=1)
    text = "".join(" ".join(map(str, pack + 1)) + "\n" for pack in packs).encode()
    assert certify(io.BytesIO(text), Shuffles(5, Layout(first=1))).sample == 1_000


@pytest.mark.parametrize(
    ("text", "layout", "said"),
    [
        (_rows(0), Layout(), "choose a column with --column NAME or --column 1"),
        (_text(NUMBERS + 1), Layout(), "if the file numbers from 1, add --first 1"),
        (
            _rows(0),
            Layout("draw"),
            "line 1 has no column 'draw'; it has 'time', 'button', 'number'",
        ),
        (_rows(0), Layout("4"), "line 1 has 3 columns, not 4"),
        (_rows(0), Layout("number", 1), "is not a number from 1 to 38"),
        (NUMBERS.astype("<u4").tobytes(), Layout(first=1), "this data is binary"),
    ],
)
def test_an_unsuitable_layout_is_rejected_with_the_right_option(
    text: bytes, layout: Layout, said: str
) -> None:
    with pytest.raises(UnusableDataError) as error:
        certify(io.BytesIO(text), ScaledDraws(38, layout))
    assert said in str(error.value)


def test_a_report_of_a_column_is_judged_again_from_the_same_column(tmp_path: Path) -> None:
    file, out = tmp_path / "draws.csv", tmp_path / "own"
    file.write_bytes(_rows(1))
    typed = ["certify", "--input", str(file), "--kind", "draws", "--range", "38", "--out", str(out)]
    result = RUNNER.invoke(app, [*typed, "--column", "number", "--first", "1"])
    assert result.exit_code == 0, result.output
    (part,) = read_plan(json.loads((out / "plan.json").read_text())).parts
    assert part.parameters == {"range": 38, "column": "number", "first": 1}
    with file.open("rb") as stream:
        assert certify(stream, subject_again(part)).sample == len(NUMBERS)


def test_draws_written_as_text_give_the_findings_of_the_same_draws_as_bytes() -> None:
    binary = certify(io.BytesIO(NUMBERS.astype("<u4").tobytes()), ScaledDraws(38))
    for written in (_text(NUMBERS), b"draw\r\n" + _text(NUMBERS).replace(b"\n", b"\r\n")):
        found = certify(io.BytesIO(written), ScaledDraws(38))
        assert found.judgement == binary.judgement
        assert found.bytes == len(written)
        assert found.sha256 != binary.sha256


@given(st.lists(st.permutations(range(5)), min_size=1))
def test_shuffles_written_as_text_give_the_same_records(packs: list[list[int]]) -> None:
    text = "\n".join(", ".join(map(str, pack)) for pack in packs).encode()
    assert _all(text, Shuffles(5).text) == np.array(packs, dtype="<u2").tobytes()


@given(st.binary(min_size=1))
def test_zeros_and_ones_give_the_same_bits(data: bytes) -> None:
    text = "\n".join(f"{byte:08b}" for byte in data).encode()
    assert _all(text, BITS) == data


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"1\n2,3\n", "line 2 has 2 numbers: text needs one draw on each line"),
        (b"1\n38\n", "line 2: '38' is not a number from 0 to 37"),
        (b"1\n-1\n", "line 2: '-1'"),
        (b"n\n1\nx\n", "line 3: 'x'"),
        (b"hello world\nhello world\n", "line 2: 'hello' is not a number"),
        (b"1\n" + b"9" * 5000 + b"\n", "line 2: '99999999999999999999'"),
        (b"1\n" + b"9" * 100_000, "line 2 is longer"),
        ("1\n\u0663\n".encode(), "line 2"),
        (b"1\n2" + b" " * 70_000 + b"99\n3\n", "line 2 is longer than any record"),
    ],
)  # fmt: skip
def test_invalid_text_of_draws_is_rejected_with_its_line(text: bytes, problem: str) -> None:
    with pytest.raises(UnusableDataError, match=problem):
        _all(text, DRAWS)


def test_an_incomplete_byte_or_other_characters_in_bits_are_rejected() -> None:
    with pytest.raises(UnusableDataError, match="3 bits"):
        _all(b"00000000111", BITS)
    with pytest.raises(UnusableDataError, match="other characters later"):
        _all(b"01" * 100 + b"\xff", BITS)


def test_random_records_are_not_mistaken_for_text() -> None:
    assert not DRAWS.fits(NUMBERS.astype("<u4").tobytes()[:LOOKED_AT])
    assert not BITS.fits(np.random.default_rng(1).bytes(LOOKED_AT))
    assert not BITS.fits(b"\x55" * LOOKED_AT)
    assert not Shuffles(52).text.fits(np.arange(52, dtype="<u2").tobytes())


def _all(text: bytes, form: TextForm) -> bytes:
    return b"".join(form.records(io.BytesIO(text)))


class TestPresses:
    """A jackpot's presses, by any controller: table, box, time in milliseconds, prize."""

    PRIZES = "madness-21,pontoon-pandemonium-9"
    LINES = (b"table,box,time,prize", b"1,7,0,3749", b"2,1,250,99", b"1,3,250,0")

    def test_a_line_becomes_a_record_of_sixteen_bytes(self) -> None:
        form = subject_of("presses", prizes=self.PRIZES).text
        made = PressColumns.of_bytes(_all(b"\n".join(self.LINES), form))
        assert made.tables.tolist() == [0, 1, 0]
        assert made.boxes.tolist() == [6, 0, 2]
        assert made.times.tolist() == [0, 250, 250]
        assert made.draws.tolist() == [3749, 99, 0]

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            (b"3,1,250,7", "line 2: '3' is not a number from 1 to 2"),
            (b"1,8,250,7", "line 2: '8' is not a number from 1 to 7"),
            (b"1,1,7", "line 2 has 3 numbers: text needs one press"),
            (b"1,1,2026-11-17,7", "line 2: '2026-11-17'"),
            (b"2,1,250,100", "press 1 is prize 100 at table 2, box 1"),
            (b"1,1,10,7\n1,1,9,7", "press 2 is earlier than the press before it"),
        ],
    )
    def test_an_impossible_press_is_rejected_with_its_line_or_number(
        self, line: bytes, problem: str
    ) -> None:
        text = b"1,1,5,7\n" + line + b"\n"
        with pytest.raises(UnusableDataError, match=problem):
            certify(io.BytesIO(text), subject_of("presses", prizes=self.PRIZES))

    def test_a_prize_that_depends_on_the_pause_fails_and_has_a_report(self, tmp_path: Path) -> None:
        data, out = tmp_path / "presses.csv", tmp_path / "own"
        made = PressColumns.of_bytes(
            jackpot.worse_after_quick_press(np.random.default_rng(8), 20_000, by=0.5).tobytes()
        )
        columns = zip(made.tables + 1, made.boxes + 1, made.times, made.draws, strict=True)
        data.write_text(
            "table,box,time,prize\n" + "".join(",".join(map(str, c)) + "\n" for c in columns)
        )
        line = ["certify", "--input", str(data), "--kind", "presses", "--out", str(out)]
        result = RUNNER.invoke(app, [*line, "--prizes", ",".join(["madness-21"] * 4)])
        assert result.exit_code == 1, result.output
        assert "pauses/any-table" in result.stdout
        again = subject_again(read_plan(json.loads((out / "plan.json").read_text())).parts[0])
        assert isinstance(again, Presses)


class TestSteps:
    """A continuous shuffler's history, from any machine: fed, pushed, dealt, round."""

    SETTINGS = ("--machine", "carousel-38", "--deck", "312")

    @pytest.fixture(scope="class")
    @classmethod
    def history(cls) -> Steps:
        machine = Mechanism.of(find("carousel-38"))
        return np.concatenate(list(streams.history(streams.start("steps"), machine, 312, 14_000)))

    def test_steps_written_as_text_give_the_same_records(self, history: Steps) -> None:
        names = {FED: "fed {card} {bin}", PUSHED: "pushed {card} {bin}", DEALT: "dealt {card}"}
        lines = [
            names.get(step >> STEP_SHIFT, "round").format(
                card=step & CARD_MASK, bin=step >> BIN_SHIFT & 0xFFF
            )
            for step in history[:3000].tolist()
        ]
        form = subject_of("steps", 312, machine="carousel-38").text
        assert _all("\n".join(lines).encode(), form) == history[:3000].astype("<u4").tobytes()

    def test_an_unobserved_bin_may_be_omitted(self) -> None:
        form = subject_of("steps", 312, machine="carousel-38").text
        step = int.from_bytes(_all(b"fed 7\n", form), "little")
        assert (step & CARD_MASK, step >> BIN_SHIFT & 0xFFF) == (7, UNSEEN_BIN)

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (b"round\ndeal 7\n", "line 2: 'deal' is not a step; use fed, pushed, dealt or round"),
            (b"fed 312\n", "line 1: '312' is not a number from 0 to 311"),
            (b"fed 1 38\n", "line 1: '38' is not a number from 0 to 37"),
            (b"step,card\nround 7\n", "line 2: round with 1 numbers is not a valid step"),
        ],
    )
    def test_an_invalid_step_is_rejected_with_its_line(self, text: bytes, problem: str) -> None:
        with pytest.raises(UnusableDataError, match=problem):
            _all(text, subject_of("steps", 312, machine="carousel-38").text)

    def test_a_history_seen_at_the_table_is_judged(self, history: Steps, tmp_path: Path) -> None:
        data, out = tmp_path / "history.u32", tmp_path / "own"
        data.write_bytes(without_bins(history).astype("<u4").tobytes())
        line = ["certify", "--input", str(data), "--kind", "steps", *self.SETTINGS]
        result = RUNNER.invoke(app, [*line, "--out", str(out)])
        assert result.exit_code == 0, result.output
        part = read_plan(json.loads((out / "plan.json").read_text())).parts[0]
        again = subject_again(part)
        assert isinstance(again, ContinuousHistory)
        assert again.settings == Settings.of(find("carousel-38"), 312)

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (("--deck", "312"), "steps need their machine"),
            (("--machine", "carousel-38"), "steps need the number of cards"),
            (("--machine", "carousel-38", "--deck", "313"), "admits no pack of 313"),
            (("--machine", "drum-60", "--deck", "52"), "does not take discards back"),
            (("--machine", "carousel-39", "--deck", "312"), "no machine of this name"),
            ((*SETTINGS, "--range", "38"), "only valid with --kind draws"),
        ],
    )
    def test_invalid_usage_names_the_missing_or_wrong_option(
        self, arguments: tuple[str, ...], problem: str, tmp_path: Path
    ) -> None:
        data = tmp_path / "none"
        data.write_bytes(b"")
        line = ["certify", "--input", str(data), "--kind", "steps", *arguments]
        result = RUNNER.invoke(app, line, env={"COLUMNS": "200"})
        assert result.exit_code == 2
        assert problem in " ".join(result.output.split())


class TestReport:
    @pytest.fixture(autouse=True)
    def key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("CUTCARD_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("CUTCARD_PASSPHRASE", "long enough")
        public = SigningKeyStore().make("house", "report", "long enough")
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

    def test_given_data_gets_page_pdf_and_json_that_verify(
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
        assert "its SHA-256 differs" in found["rerun"]["says"]

        refused = self._certify(other, out)
        assert refused.exit_code == 2
        assert "another plan" in " ".join(refused.output.replace("│", "").split())

    def test_a_campaign_report_rejects_given_data(
        self, reported: Path, key: Path, data: Path
    ) -> None:
        from rng_certification.report.verification import checks
        from rng_certification.tests.finished_campaign import signer

        path = reported / "report.json"
        found = {c.name: c for c in checks(path, signer(1).public.raw, 0, data)}
        assert found["rerun"].holds is False
