"""The commands with output for scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from cutcard.cli.main import app

# They write a file, serve a page, or play an interactive game.
WITHOUT = {
    *("console", "edge figures", "edge page", "journal export", "machine wiring"),
    *("person add", "person remove", "play", "reference", "tournament blank", "witness"),
}


def without_json(command: Any, words: tuple[str, ...] = ()) -> Iterator[str]:
    if hasattr(command, "list_commands"):
        context = typer.Context(command)
        for name in command.list_commands(context):
            yield from without_json(command.get_command(context, name), (*words, name))
    elif not any("--json" in parameter.opts for parameter in command.params):
        yield " ".join(words)


def test_every_command_that_answers_a_question_has_json() -> None:
    assert set(without_json(typer.main.get_command(app))) == WITHOUT
