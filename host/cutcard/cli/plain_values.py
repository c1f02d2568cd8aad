"""Words and numbers are taken as they were typed: what judges all else is loaded only for that.

typer hands every value to pydantic, which takes longer to load than a quick command to run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import Any, get_args

from typer._click.core import Command, Context
from typer._click.exceptions import BadParameter
from typer._coercion import RuntimeParam, build_runtime_param
from typer.core import TyperArgument, TyperGroup, TyperOption

INTEGER = re.compile(r"-?[0-9]{1,15}")
NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


def take_plainly(command: Command) -> None:
    """Let the parameters of a command, and of all below it, take what is plain by themselves."""
    for taken in (*command.params, command.get_help_option(Context(command))):
        if isinstance(taken, TyperArgument | TyperOption):
            described = taken.type_descriptor
            limited = described.is_ranged or described.is_choice or described.is_file
            if not limited and described.parameter_info.parser is None:
                taken._runtime_param = _Plainly(described.parameter_info, described.annotation)
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            take_plainly(below)


@dataclass(frozen=True)
class _Plainly(RuntimeParam):
    def _coerce_value(self, value: Any, param: Any, ctx: Context) -> Any:
        kind = next((each for each in get_args(self.annotation) if each is not type(None)), None)
        several = param.multiple or param.nargs == -1
        plain = _plain(value, kind or self.annotation, several=several)
        if plain is None:
            judge = build_runtime_param(param.type_descriptor)
            plain = judge._coerce_value(value, param=param, ctx=ctx)
        if isinstance(plain, float) and not isfinite(plain):
            raise BadParameter("it takes a number, which this is not", ctx=ctx, param=param)
        return plain


def _plain(value: Any, kind: Any, *, several: bool) -> Any:
    """The value as one of its kind; None where it is not for us to say."""
    if several:
        words = isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
        return list(value) if kind in (str, list[str]) and words else None
    if kind is str and isinstance(value, str):
        return value
    if kind is int and (type(value) is int or _is_like(INTEGER, value)):
        return int(value)
    if kind is float and (type(value) is float or _is_like(NUMBER, value)):
        return float(value)
    return None


def _is_like(form: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None
