"""Help as people read it: paragraphs that fill the line, and options without Python's words."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from typer._click.core import Command, Context
from typer.core import TyperArgument, TyperGroup, TyperOption

WORDS = {int: "N", float: "NUMBER", Path: "FILE"}  # what an option takes; anything else is TEXT


def readable(command: Command) -> None:
    """Set the help of a command, and of all below it, as it is to be read."""
    command.help = filled(command.help or "")
    for taken in (*command.params, command.get_help_option(Context(command))):
        if isinstance(taken, TyperOption) and taken.metavar is None:
            taken.metavar = _word(taken)
        if isinstance(taken, TyperArgument) and not taken.type_descriptor.is_choice:
            taken.display_type_rich = lambda ctx: None  # type: ignore[method-assign]
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            readable(below)


def filled(text: str) -> str:
    """A docstring with each paragraph in one line: a terminal breaks it where it ends."""
    return "\n\n".join(map(_paragraph, text.split("\n\n")))


def _paragraph(text: str) -> str:
    """What is indented is an example and keeps its lines; only in colour does it keep its margin,
    which is taken off where a line begins with it."""
    lines = text.split("\n")
    if lines[0].startswith(" "):
        return "\n".join(f"[cyan]{line}[/cyan]" for line in lines)
    return " ".join(lines)


def _word(option: TyperOption) -> str | None:
    """What stands behind an option: nothing where it is only said or not."""
    if option.is_flag:
        return ""
    described = option.type_descriptor
    if described.is_choice:
        return None
    taken = (*get_args(described.annotation), described.annotation)[0]
    return WORDS.get(taken, "TEXT")
