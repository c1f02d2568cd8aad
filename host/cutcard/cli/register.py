"""`cutcard rulebook register`: the register as pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutcard.cli.options import refuse
from cutcard.rulebooks.register.entries import REGISTERS
from cutcard.rulebooks.register.page import register_page


def print_register(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help=", ".join(REGISTERS))] = "",
    write: Annotated[
        Path | None, typer.Option(help="Write the pages of all registers into this folder.")
    ] = None,
) -> None:
    """Every rule of a rulebook: its kind, where it is implemented, which case shows it.

    For example: cutcard rulebook register nz-division-2
    """
    if write is not None:
        refuse(context, "does not go with --write, which writes them all", "name")
        for each in REGISTERS:
            (write / f"{each}.md").write_text(register_page(each), "utf-8")
        typer.echo(f"{len(REGISTERS)} pages written into {write}")
    elif name in REGISTERS:
        typer.echo(register_page(name), nl=False)
    else:
        typer.echo(f"name one of {', '.join(REGISTERS)}, not {name!r}", err=True)
        raise typer.Exit(2)
