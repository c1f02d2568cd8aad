"""Answers to a mistyped command, a missing file and a number in another form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer.main
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.cli.tables.person import titles


def run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def words_of(text: str) -> str:
    """Return the text of a panel without its frame and its line breaks."""
    return re.sub(r"[\s│╭╮╰╯─]+", " ", text)


def groups(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield each group of commands with the names in it."""
    if hasattr(command, "get_command"):
        context = click.Context(command)
        names = command.list_commands(context)
        yield path, names
        for name in names:
            yield from groups(command.get_command(context, name), (*path, name))


@pytest.mark.parametrize(("path", "names"), list(groups(typer.main.get_command(app))))
def test_every_group_suggests_the_command_of_a_mistyped_name(
    path: tuple[str, ...], names: list[str]
) -> None:
    port = ("bench:carousel-38",) if path == ("device",) else ()
    for name in names:
        mistyped = name[:-2] + name[-1] + name[-2]
        if mistyped not in names:
            answer = run(*path, *port, mistyped)
            assert answer.exit_code == 2
            assert "Did you mean" in words_of(answer.stderr), f"{path} {mistyped}"
            assert f"'{name}'" in answer.stderr


MISSING = [
    "attest bench:carousel-38 --reference {}",
    "case explain {}",
    "case run {}",
    "certify --cover {}",
    "certify noise {} --sample-bits 8",
    "certify report {}",
    "certify verify {} --public-key 00",
    "console {}",
    "edge game uk-blackjack --decks 6 --paytable {}",
    "edge game {} --decks 6",
    "edge side {} perfect-pairs --decks 6",
    "edge prizes --table {}",
    "edge simulate uk-blackjack --decks 6 --strategy {}",
    "flash bench:carousel-38 {}",
    "image verify {} --public-key 00",
    "journal export {} --page out",
    "journal replay {}",
    "journal show {}",
    "journal verify {}",
    "keys make a --purpose image --passphrase-file {}",
    "machine assess {}.toml",
    "machine check {}",
    "machine show {}.toml",
    "prize verify {} --public-key 00",
    "reference {} out",
    "rulebook check {}",
    "rulebook show {}",
    "table run {}",
    "tournament check {}",
]


@pytest.mark.parametrize("line", MISSING)
def test_missing_file_exits_2_without_an_error_number(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = run(*line.format("./absent").split())
    assert answer.exit_code == 2, answer.output
    assert "Errno" not in answer.output


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("1e2", 100), ("1.5e2", 150), ("2E+2", 200), ("2_00", 200)],
)
def test_count_of_rounds_may_have_an_exponent(typed: str, expected: int) -> None:
    """Too few rounds are rejected with their number before anything is compiled."""
    answer = run("edge", "simulate", "uk-blackjack", "--decks", "1", "--rounds", typed)
    assert answer.exit_code == 2
    assert f"--rounds {expected}: from 1,000" in answer.stderr


@pytest.mark.parametrize("typed", ["1.5", "1e-3", "1.55e1", "many"])
def test_count_that_is_not_an_integer_is_rejected_with_the_valid_forms(typed: str) -> None:
    answer = run("edge", "simulate", "uk-blackjack", "--decks", "1", "--rounds", typed)
    assert answer.exit_code == 2
    expected = f"'{typed}' is not a whole number; write 1000000, 1_000_000 or 1e6"
    assert expected in words_of(answer.stderr)


def test_limited_number_may_have_an_exponent() -> None:
    answer = run("device", "bench:carousel-38", "load", "1e3")
    assert answer.exit_code == 2
    assert "Input should be less than or equal to 255" in words_of(answer.stderr)


def test_folder_instead_of_a_journal_is_answered_with_its_journals(tmp_path: Path) -> None:
    assert "It contains no journal" in run("journal", "show", str(tmp_path)).stderr
    for place in ("table.journal", "pit/table-2.journal"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).touch()
    for command in ("show", "verify", "replay"):
        answer = run("journal", command, str(tmp_path))
        assert answer.exit_code == 2
        assert f"{tmp_path}/pit/table-2.journal, {tmp_path}/table.journal" in answer.stderr


def test_missing_title_is_answered_with_all_titles() -> None:
    answer = run("person", "add", "Ana")
    assert answer.exit_code == 2
    assert answer.stderr.strip().endswith(", ".join(titles()))
