"""Refusals of commands. None ignores an option: an unused option is refused by name."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Collection
from typing import NoReturn

import typer

from cutcard.untrusted import printable

_UNBROKEN = "\N{NO-BREAK SPACE}"


def called_wrongly(message: str) -> NoReturn:
    """Print the error on standard error and exit with 2."""
    complain(message)
    raise typer.Exit(2)


def complain(message: str) -> None:
    """Print a message on standard error: unchanged in a pipe, wrapped between words on a terminal.

    Text in `backticks` is to be typed, and stays on one line. Control characters from a foreign
    file are not printed.
    """
    message = "\n".join(map(printable, message.split("\n")))
    if sys.stderr.isatty():
        from cutcard.columns import wrapped  # only an error needs it

        whole = re.sub("`[^`]+`", lambda typed: typed[0].replace(" ", _UNBROKEN), message)
        message = "\n".join(wrapped(whole, shutil.get_terminal_size().columns))
        message = message.replace(_UNBROKEN, " ")
    typer.echo(message, err=True)


def refuse(context: typer.Context, why: str, *names: str) -> None:
    """Exit 2 if one of these options was given; `why` is the reason."""
    for parameter in context.command.params:
        if parameter.name in names and _was_typed(context, parameter.name):
            option = max(parameter.opts, key=len)
            named = option if option.startswith("-") else option.upper()
            raise typer.BadParameter(why, param_hint=named)


def refuse_all_but(context: typer.Context, why: str, names: Collection[str] = ()) -> None:
    """Exit 2 if any other option was given."""
    others = [parameter.name or "" for parameter in context.command.params]
    refuse(context, why, *(name for name in others if name not in names))


def _was_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
