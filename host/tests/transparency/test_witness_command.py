"""The command `cutcard witness`: its key, its options, and a server that cosigns."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.journal import TableKey
from cutcard.table.replay.witnessing import key_of
from cutcard.transparency import Checkpoint, Leaves, VerifierKey, leaf_hash, parsed, signed_note
from cutcard.transparency.submission import add_checkpoint


def cutcard(*arguments: str) -> tuple[int, str]:
    answer = CliRunner().invoke(app, arguments)
    return answer.exit_code, answer.output


def test_a_witness_cosigns_for_the_tables_that_it_was_given(tmp_path: Path) -> None:
    table = TableKey.generate()
    folder = str(tmp_path / "witness")
    command = [sys.executable, "-m", "cutcard.cli", "witness", folder]
    options = ["--table", table.public, "--http-port", "0"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        url, _, said = program.stdout.readline().strip().partition("#")
        tree = Leaves()
        tree.add(leaf_hash(b"record"))
        owner = key_of(table.public)
        note = signed_note(Checkpoint(owner.name, 1, tree.root()), owner, table.signature)
        lines = add_checkpoint(url, 0, (), note)
        program.send_signal(signal.SIGTERM)
    assert program.returncode == 0
    key = VerifierKey.parse(said)
    assert parsed(note + lines).cosignature(key) is not None
    code, printed = cutcard("witness", folder, "--key")
    assert (code, printed.strip()) == (0, str(key))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "name the public key of each table"),
        (("--table", "ab"), "64 hexadecimal digits"),
        (("--table", "ab" * 32, "--bind", "256.0.0.1"), "256.0.0.1:8031"),
    ],
)
def test_wrong_options_are_rejected(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    code, output = cutcard("witness", str(tmp_path / "witness"), *options)
    assert (code, said in " ".join(output.split())) == (2, True), output


def test_a_damaged_key_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "witness.key").write_text("ab\n")
    (tmp_path / "witness.key").chmod(0o600)
    code, output = cutcard("witness", str(tmp_path), "--key")
    assert (code, "does not hold the key" in " ".join(output.split())) == (2, True), output
