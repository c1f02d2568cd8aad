"""Every command that takes a public key parses it in the same way."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.keys.public_half import BadPublicKeyError, read_public_key

DIGITS = "2f" * 32


def test_digits_and_a_file_of_them_are_the_same_key(tmp_path: Path) -> None:
    file = tmp_path / "house.pub"
    file.write_text(DIGITS + "\n")
    assert read_public_key(DIGITS) == read_public_key(str(file)) == b"\x2f" * 32


@pytest.mark.parametrize("text", ["", "12", DIGITS + "00", "2f " * 32, "{}", '{"raw": 5}', "[" * 9])
def test_invalid_key_is_reported_with_its_text(tmp_path: Path, text: str) -> None:
    file = tmp_path / "house.pub"
    file.write_text(text)
    for given in (text, str(file)):
        with pytest.raises(BadPublicKeyError, match="64 hexadecimal digits"):
            read_public_key(given)


@pytest.mark.parametrize("command", ["image verify", "prize verify", "certify verify"])
def test_every_command_refuses_an_empty_key(tmp_path: Path, command: str) -> None:
    file = tmp_path / "file"
    file.write_text("")
    result = CliRunner().invoke(app, [*command.split(), str(file), "--public-key", ""])
    assert result.exit_code == 2
    assert "64 hexadecimal digits" in result.output.replace("\n", " ")


def test_missing_key_is_reported_before_the_passphrase_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("CUTCARD_PASSPHRASE", raising=False)
    data = ["certify", "--input", "x", "--kind", "bits", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, [*data, "--key", "nobody"])
    assert "no key named 'nobody' exists" in result.output
