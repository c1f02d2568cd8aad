"""Help texts for people: filled paragraphs, and readable option types."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from typer._click.core import Command, Context
from typer.core import TyperArgument, TyperGroup, TyperOption

# the type of an option's value; anything else is TEXT
WORDS = {int: "N", float: "NUMBER", Path: "FILE"}


def readable(command: Command) -> None:
    """Make the help of a command, and of all its subcommands, readable."""
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
    """Join each paragraph of a docstring into one line, so that the terminal breaks it."""
    return "\n\n".join(map(_paragraph, text.split("\n\n")))


def _paragraph(text: str) -> str:
    """Format a paragraph; an indented one is an example and keeps its lines.

    The margin of a line is removed if the line begins with it; only colour markup preserves it.
    """
    lines = text.split("\n")
    if lines[0].startswith(" "):
        return "\n".join(f"[cyan]{line}[/cyan]" for line in lines)
    return " ".join(lines)


def _word(option: TyperOption) -> str | None:
    """Return the word for an option's value, or None for a flag."""
    if option.is_flag:
        return ""
    described = option.type_descriptor
    if described.is_choice:
        return None
    taken = (*get_args(described.annotation), described.annotation)[0]
    return WORDS.get(taken, "TEXT")
