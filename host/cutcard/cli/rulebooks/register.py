"""`cutcard rulebook register` and `readings`: the status of every rule, and doubtful rules."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cutcard.cli.options import called_wrongly, refuse
from cutcard.columns import show_table, wrapped
from cutcard.rulebooks.readings import as_markdown, readings
from cutcard.rulebooks.register.entries import REGISTERS, register
from cutcard.rulebooks.register.page import register_page

AsJson = Annotated[bool, typer.Option("--json", help="As JSON, for scripts.")]


def print_register(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help=", ".join(REGISTERS))] = "",
    write: Annotated[
        Path | None, typer.Option(help="Write the pages of all registers into this folder.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As the page docs/rulebooks/NAME.md.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List every rule of a rulebook: its kind, its implementation, and the case that shows it.

    For example: cutcard rulebook register nz-division-2
    """
    if write is not None:
        why = "cannot be combined with --write, which writes them all"
        refuse(context, why, "name", "markdown", "as_json")
        _write_pages(write)
        return
    if markdown:
        refuse(context, "cannot be combined with --markdown: choose one of them", "as_json")
    if name not in REGISTERS:
        called_wrongly(f"name one of {', '.join(REGISTERS)}, not {name!r}")
    title, lines = register(name)
    if as_json:
        typer.echo(json.dumps([asdict(line) for line in lines]))
    elif markdown:
        typer.echo(register_page(name), nl=False)
    else:
        headings = ("rule", "kind", "what it says", "where", "case")
        rows = [(", ".join(n.rules), n.kind, n.says, n.by, n.case) for n in lines]
        show_table(headings, rows, title=title)


def _write_pages(folder: Path) -> None:
    try:
        for name in REGISTERS:
            (folder / f"{name}.md").write_text(register_page(name), "utf-8")
    except OSError as error:
        called_wrongly(f"--write {folder}: {error.strerror}; name a writable folder")
    typer.echo(f"{len(REGISTERS)} pages written into {folder}")


def print_readings(
    context: typer.Context,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As the page docs/reference/rulebooks/readings.md.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the numbered readings of doubtful rules, with the reason and the case that shows
    each."""
    if markdown:
        refuse(context, "cannot be combined with --markdown: choose one of them", "as_json")
        typer.echo(as_markdown(), nl=False)
    elif as_json:
        typer.echo(json.dumps([reading._asdict() for reading in readings().values()]))
    else:
        for reading in readings().values():
            shown = f"Shown by {reading.case}" if reading.case else ""
            said = (reading.text, f"Why: {reading.why}", *filter(None, [shown]))
            typer.echo("\n".join(wrapped(f"{reading.number}. {'; '.join(reading.of)}")))
            for text in said:
                typer.echo("\n".join(wrapped(text, 80, "   ", "   ")))
