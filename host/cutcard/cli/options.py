"""No command ignores an option: one that a mode has no use for is refused by its name."""

from __future__ import annotations

from collections.abc import Collection

import click
import typer
from click.core import ParameterSource


def refuse_given(context: click.Context, why: str, but: Collection[str] = ()) -> None:
    """Exit 2 for an option that was typed and is not among those that are of use here."""
    for parameter in context.command.params:
        name = parameter.name or ""
        typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and name not in but:
            raise typer.BadParameter(why, param_hint=parameter.opts[-1])
