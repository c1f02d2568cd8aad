"""No command ignores an option: one that a mode has no use for is refused by its name."""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

import typer


def called_wrongly(message: str) -> NoReturn:
    """Exit 2, with what was wrong on standard error."""
    typer.echo(message, err=True)
    raise typer.Exit(2)


def refuse(context: typer.Context, why: str, *names: str) -> None:
    """Exit 2 where one of these was typed; `why` says with what it goes, or does not go."""
    for parameter in context.command.params:
        if parameter.name in names and _was_typed(context, parameter.name):
            option = max(parameter.opts, key=len)
            named = option if option.startswith("-") else option.upper()
            raise typer.BadParameter(why, param_hint=named)


def refuse_all_but(context: typer.Context, why: str, names: Collection[str] = ()) -> None:
    """Exit 2 where anything else was typed than these."""
    others = [parameter.name or "" for parameter in context.command.params]
    refuse(context, why, *(name for name in others if name not in names))


def _was_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
