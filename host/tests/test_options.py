"""No command ignores an option: an option without effect in a mode is refused by its name."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from cutcard.cli.main import app

RUNNER = CliRunner()


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("edge prizes crown-melbourne-26 --table mine.txt", "RULEBOOK"),
        ("rulings --markdown --json", "--json"),
        ("rulings --markdown --rulebook uk-blackjack", "--rulebook"),
        ("rulings --markdown --irregularity malfunction", "--irregularity"),
        ("rulings --markdown --fault malfunction", "--fault"),
        ("rulebook register nz-division-2 --write .", "NAME"),
        ("rulebook register nz-division-2 --markdown --json", "--json"),
        ("rulebook readings --markdown --json", "--json"),
        ("table run plan.toml --rulebook nz-division-2", "--rulebook"),
        ("table run plan.toml --decks 8", "--decks"),
        ("table run --player Ana:1:20", "--player"),
        ("table run . --rounds 5", "--rounds"),
        ("table run . --cards bench:shoe-8", "--cards"),
        ("edge game uk-blackjack --decks 6 --json --csv", "--csv"),
        ("edge game uk-blackjack --decks 6 --csv --readings", "--readings"),
        ("edge sweep --json --csv", "--csv"),
        ("image build --board rp2 --passphrase-file x", "--passphrase-file"),
        ("machine show carousel-38 --board pico", "--board"),
        ("machine show carousel-38 --compiled --json", "--json"),
        ("case run . --json --quiet", "--quiet"),
        ("journal show x --all --from 2026", "--from"),
        ("journal show x --all --csv", "--csv"),
        ("journal show x --csv --json", "--csv"),
        ("certify --input x --kind bits --seed 4", "--seed"),
        ("certify --input x --kind bits --profile gli-19", "--profile"),
        ("certify --input x --kind bits --processes 2", "--processes"),
        ("certify --input x --kind bits --batteries", "--batteries"),
        ("certify --input x --kind bits --port /dev/null", "--port"),
        ("certify --input x --kind bits --scheduler tcp://x:1", "--scheduler"),
        ("certify --input x --kind bits --plan", "--input"),
        ("certify --input x --kind bits --key house", "--key"),
        ("certify --input x --kind bits --out y --passphrase-file z", "--passphrase-file"),
        ("certify --plan --out x", "--out"),
        ("certify --plan --key house", "--key"),
        ("certify --plan --json -", "--json"),
        ("certify --plan --processes 2", "--processes"),
        ("certify --passphrase-file x", "--passphrase-file"),
        ("certify --kind bits", "--kind"),
        ("certify --key house report folder", "--key"),
        ("certify --json - verify report.json --public-key x", "--json"),
        ("certify report folder --passphrase-file x", "--passphrase-file"),
        ("certify verify report.json --public-key x --input y --rerun all", "--rerun"),
        ("certify noise x --sample-bits 1 --claim 0.5 --seed 3", "--seed"),
        ("certify collect --from twin --what bits --out x --deck 104", "--deck"),
        ("certify collect --from twin --what bits --out x --decks 4", "--decks"),
        ("certify collect --from /dev/null --what bits --out x --seed s", "--seed"),
        ("certify collect --from /dev/null --what bits --out x --machine drum-60", "--machine"),
        ("certify battery dieharder --length 30", "--length"),
        ("certify battery dieharder --program x", "--program"),
        ("certify battery practrand --quick", "--quick"),
        ("certify battery practrand --test x", "--test"),
        ("certify battery practrand --source x --seed s", "--seed"),
    ],
)
def test_unused_option_is_refused(line: str, option: str) -> None:
    result = RUNNER.invoke(app, line.split(), env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert option.lower() in result.stderr.lower()


def _commands(command: Any, path: str = "cutcard") -> Iterator[tuple[str, Callable[..., Any]]]:
    if callback := getattr(command, "callback", None):
        yield path, callback
    context = typer.Context(command)
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from _commands(command.get_command(context, name), f"{path} {name}")


def _read_in(function: Callable[..., Any]) -> set[str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def test_every_option_of_every_command_is_read_by_it() -> None:
    walked = dict(_commands(typer.main.get_command(app)))
    assert len(walked) > 50
    unread = [
        f"{path}: {name}"
        for path, function in walked.items()
        for name in inspect.signature(inspect.unwrap(function)).parameters
        if name not in _read_in(function)
    ]
    assert unread == []
