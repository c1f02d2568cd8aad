"""Invalid options of `cutcard certify`: rejected before any estimate or file."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--decks 9", "--decks"),
        ("--machine nothing", "--machine"),
        ("--prizes nothing", "--prizes"),
        ("--rulebooks nothing", "unknown rulebook 'nothing'"),
        ("--machine controller-4 --rulebooks uk-blackjack", "omit --rulebooks"),
        ("--profile nothing", "--profile"),
        ("--require Z", "unknown layer 'Z'"),
        ("--evidence missing.json", "--evidence"),
        ("--cover missing.toml", "--cover"),
        ("--key missing", "no key named 'missing'"),
        ("--json missing/answer.json", "--json"),
        ("--scheduler nonsense", "write tcp://HOST:PORT"),
        ("--scheduler tcp://127.0.0.1:9", "no Dask scheduler answers"),
        ("--seed a --applicant-nonce b", "--applicant-nonce"),
        ("--processes 0", "--processes"),
    ],
)
def test_an_invalid_option_is_rejected_before_an_estimate(
    options: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    answer = CliRunner().invoke(app, ["certify", *options.split(), "--out", "folder"])
    assert answer.exit_code == 2
    assert problem in " ".join(answer.output.split())
    assert "Certifying" not in answer.output
    assert not Path("folder").exists()


def test_a_folder_that_cannot_be_written_is_rejected_before_an_estimate(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = CliRunner().invoke(app, ["certify", "--out", str(tmp_path / "file" / "folder")])
    assert answer.exit_code == 2
    assert "Certifying" not in answer.output
    assert "--out" in answer.output


def test_a_profile_and_a_machine_are_combined() -> None:
    options = "certify --machine drum-60 --profile shuffler --plan"
    answer = CliRunner().invoke(app, options.split())
    assert answer.exit_code == 0
    assert '"machine": "drum-60"' in answer.stdout
    assert '"profile": "shuffler"' in answer.stdout
