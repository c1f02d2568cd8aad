"""Every command is run by a test, or by a page that a test runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import typer.main

from cutcard.cli.main import app
from tests.cli.exercised import Words, lines_of, typed_in_pages, typed_in_tests

ROOT = Path(__file__).parents[3]
FOLDERS = ("host/tests", "hil_tests", "rng_certification/tests")
HERE = (Path(__file__), Path(__file__).with_name("exercised.py"))


def every_command(command: Any, path: Words = ()) -> Iterator[Words]:
    """Yield the words of each command below a group, and of a group that runs by itself."""
    if not hasattr(command, "get_command"):
        yield path
        return
    if path and getattr(command, "invoke_without_command", False):
        yield path
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from every_command(command.get_command(context, name), (*path, name))


def untyped(lines: set[Words]) -> list[str]:
    typed = {line[:end] for line in lines for end in range(1, min(len(line), 3) + 1)}
    return [
        " ".join(path) for path in every_command(typer.main.get_command(app)) if path not in typed
    ]


def test_every_command_is_run_by_a_test_or_a_page() -> None:
    sources = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    lines = typed_in_tests([file for file in sources if file not in HERE]) | typed_in_pages()
    missing = untyped(lines)
    assert missing == [], f"add a test that types: cutcard {', cutcard '.join(missing)}"


def test_unused_command_is_named() -> None:
    source = (
        'import cutcard.cli\nrun(["journal", *words])\nrun("show", file)\nrun("verify", "--help")'
    )
    missing = untyped(set(lines_of(source)))
    assert "journal show" not in missing
    assert {"journal verify", "journal replay", "rulings"} <= set(missing)
