"""docs/reference/commands.md, generated from the help texts of `cutcard` by `make pages`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer.main
from typer._click.core import Context

from cutcard.cli.help_text import readable
from cutcard.cli.main import app

HEAD = """# Commands

All commands of `cutcard` with their arguments and options, as `--help` prints them. Start with
`cutcard doctor`, which lists the installed parts. `make pages` writes this page.
"""
STYLE = re.compile(r"\[/?(?:bold|italic|dim|cyan|green|red|yellow)?\]")


def page() -> str:
    """Return the text of docs/reference/commands.md."""
    root = typer.main.get_command(app)
    readable(root)
    return "\n".join([HEAD, *_sections(root, Context(root, info_name="cutcard"))])


def _sections(command: Any, context: Context, depth: int = 2) -> Iterator[str]:
    """Yield the section of each command below a group."""
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        inner = Context(below, parent=context, info_name=name)
        if below.hidden:
            continue
        yield from _section(below, inner, depth)
        if hasattr(below, "list_commands"):
            yield from _sections(below, inner, depth + 1)


def _section(command: Any, context: Context, depth: int) -> Iterator[str]:
    yield f"{'#' * depth} {context.command_path}\n"
    yield f"{_text(command.help)}\n"
    if not hasattr(command, "list_commands"):
        usage = " ".join(command.collect_usage_pieces(context))
        yield f"Usage: `{context.command_path} {usage}`\n"
        rows = [_row(each, context) for each in command.params if not _is_left_out(each)]
        if rows:
            yield "\n".join(["| argument or option | meaning |", "|---|---|", *rows]) + "\n"


def _is_left_out(parameter: Any) -> bool:
    return bool(getattr(parameter, "hidden", False)) or "--help" in parameter.opts


def _row(parameter: Any, context: Context) -> str:
    if parameter.param_type_name == "argument":
        shown = parameter.metavar or parameter.name.upper()
    else:
        names = ", ".join([*parameter.opts, *parameter.secondary_opts])
        value = parameter.metavar
        shown = f"{names} {parameter.display_type(context) if value is None else value}"
    return f"| `{_cell(shown.strip())}` | {_cell(_text(parameter.help))} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _text(help_text: str | None) -> str:
    """Return a help text as Markdown: its indented examples become a list of code."""
    text = STYLE.sub("", (help_text or "").replace("\f", "").replace("\b", "")).strip()
    parts = []
    for part in text.split("\n\n"):
        lines = part.splitlines()
        if all(line.startswith("  ") for line in lines):
            parts.append(f"- `{' '.join(line.strip() for line in lines)}`")
        else:
            parts.append(part.replace("<", "\\<").replace("[", "\\["))
    return "\n\n".join(parts)
