"""Checkpoints of the ledger: a cut end is consistent, and contradicts them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.journal import TableKey
from cutcard.meters.checkpoints import key_of
from cutcard.transparency import VerifierKey, parsed
from cutcard.transparency.submission import archived
from cutcard.transparency.witness import Witness
from tests.transparency.served_witness import served

NOW = 1_763_500_000


@pytest.fixture(autouse=True)
def database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a ledger with three deposits."""
    path = tmp_path / "meters.sqlite"
    monkeypatch.setenv("CUTCARD_METERS", str(path))
    call("create", "city", "--meter", "blackjack-jackpots=10000@1.5%")
    for number in range(3):
        call("deposit", "12", "50", "--key", f"deposit {number}")
    return path


def call(*arguments: str, exit_code: int = 0) -> str:
    result = CliRunner().invoke(app, ["meter", *arguments])
    assert result.exit_code == exit_code, result.output
    return result.output


@pytest.fixture
def sign(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def signed(*witnesses: str, exit_code: int = 0) -> dict[str, Any]:
        options = [word for each in witnesses for word in ("--witness", each)]
        key = ("--signing-key", str(tmp_path / "meters.key"))
        said: dict[str, Any] = json.loads(
            call("checkpoint", *key, *options, "--json", exit_code=exit_code)
        )
        return said

    return signed


def test_a_cut_end_passes_verification_and_contradicts_a_checkpoint(
    tmp_path: Path, database: Path, sign: Callable[..., dict[str, Any]]
) -> None:
    shutil.copy(database, tmp_path / "older.sqlite")
    call("deposit", "12", "50", "--key", "last")
    notes = str(tmp_path / "notes")
    public = sign(notes)["public"]
    compared = ("verify", "--checkpoints", notes, "--public-key", public)
    assert "The ledger is valid" in call(*compared)
    shutil.copy(tmp_path / "older.sqlite", database)
    assert "The ledger is valid" in call("verify")
    assert "entries were taken off its end" in call(*compared, exit_code=1)


def test_a_ledger_that_was_written_anew_contradicts_a_checkpoint(
    tmp_path: Path, database: Path, sign: Callable[..., dict[str, Any]]
) -> None:
    notes = str(tmp_path / "notes")
    public = sign(notes)["public"]
    database.unlink()
    call("create", "city", "--meter", "blackjack-jackpots=10000@1.5%")
    for number in range(5):
        call("deposit", "12", "500", "--key", f"deposit {number}")
    compared = ("verify", "--checkpoints", notes, "--public-key", public)
    assert "are not those of a checkpoint" in call(*compared, exit_code=1)
    assert "are not those of a checkpoint" in call(
        "checkpoint", "--signing-key", str(tmp_path / "meters.key"), exit_code=1
    )
    assert len(archived((tmp_path / "meters.key.checkpoints").read_text())) == 1


def test_a_ledger_that_grows_is_cosigned(
    tmp_path: Path, sign: Callable[..., dict[str, Any]]
) -> None:
    own = TableKey.generate()
    name = VerifierKey("house/witness", bytes.fromhex(own.public), cosigns=True)
    public = sign()["public"]
    witness = Witness(tmp_path / "w", name, own.signature, [key_of(public)], clock=lambda: NOW)
    with served(witness) as url:
        sign(f"{url}#{name}")
        call("deposit", "12", "50", "--key", "last")
        note = sign(f"{url}#{name}")["note"]
    assert parsed(note).cosignature(name) is not None
    assert "does not answer" in sign(url, exit_code=1)["failed"][0]
    file = witness.path_of(key_of(public).name)
    call("verify", "--checkpoints", str(file), "--public-key", public)


@pytest.mark.parametrize(
    ("key", "content"), [("ab" * 32, None), ("ab", None), (None, "x"), (None, "")]
)
def test_verify_rejects_what_is_no_checkpoint_of_the_key(
    tmp_path: Path, sign: Callable[..., dict[str, Any]], key: str | None, content: str | None
) -> None:
    notes = tmp_path / "notes"
    public = sign(str(notes))["public"]
    if content is not None:
        notes.write_text(content)
    said = call(
        *("verify", "--checkpoints", str(notes), "--public-key", key or public), exit_code=2
    )
    assert "--checkpoints" in said


def test_verify_names_a_missing_file_of_checkpoints(tmp_path: Path) -> None:
    options = ("--checkpoints", str(tmp_path / "missing"), "--public-key", "ab" * 32)
    assert "No such file" in call("verify", *options, exit_code=2)
