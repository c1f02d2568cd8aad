"""`cutcard machine assess`: its quick answers, and its refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.boards.machine_command import app


def _assess(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["assess", *words])
    return done.exit_code, done.stdout, done.stderr


def test_single_pass_over_shelves_fails_and_is_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "shelves.svg"
    code, out, _ = _assess("shelves-10", "--pack", "52", "--json", "--picture", str(picture))
    found = json.loads(out)
    assert code == 1
    assert found["packs"][0]["counters"][0]["bits"] == pytest.approx(0.41, abs=0.01)
    assert "<svg" in picture.read_text("utf-8")


def test_text_output_names_the_limit() -> None:
    code, out, _ = _assess("shelves-10", "--pack", "52")
    assert code == 1
    assert "FAIL" in out
    assert "0.25" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("carousel-38", "--pack", "53"), "carousel-38 admits"),
        (("shoe-8",), "only a shuffler can be assessed"),
        (("no-such-machine",), "no-such-machine"),
        (("shelves-10", "--picture", "x.pdf"), "must end in .svg or .png"),
    ],
)
def test_machine_that_cannot_be_assessed_is_reported(words: tuple[str, ...], said: str) -> None:
    code, _, err = _assess(*words)
    assert code == 2
    assert said in err
