"""Parse plain words and numbers without pydantic, which is loaded only for other values.

typer passes every value to pydantic, which takes longer to load than a quick command to run.
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
POWER_OF_TEN = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,15}))?[eE]\+?([0-9]{1,2})")
NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


def take_plainly(command: Command) -> None:
    """Let the parameters of a command, and of all its subcommands, parse plain values by
    themselves."""
    for taken in (*command.params, command.get_help_option(Context(command))):
        if isinstance(taken, TyperArgument | TyperOption):
            described = taken.type_descriptor
            limited = described.is_ranged or described.is_choice or described.is_file
            if described.parameter_info.parser is not None:
                continue
            if not limited:
                taken._runtime_param = _Plainly(described.parameter_info, described.annotation)
            elif described.is_ranged:
                taken._runtime_param = _InRange(described.parameter_info, described.annotation)
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            take_plainly(below)


@dataclass(frozen=True)
class _Plainly(RuntimeParam):
    def _coerce_value(self, value: Any, param: Any, ctx: Context) -> Any:
        kind = _kind(self.annotation)
        value = _without_exponent(value) if kind is int else value
        plain = _plain(value, kind, several=param.multiple or param.nargs == -1)
        if plain is None:
            plain = _judged(value, kind, param, ctx)
        if isinstance(plain, float) and not isfinite(plain):
            raise BadParameter("the value is not a number", ctx=ctx, param=param)
        return plain


@dataclass(frozen=True)
class _InRange(RuntimeParam):
    """A number with limits, which typer checks."""

    def _coerce_value(self, value: Any, param: Any, ctx: Context) -> Any:
        kind = _kind(self.annotation)
        return _judged(_without_exponent(value) if kind is int else value, kind, param, ctx)


def _kind(annotation: Any) -> Any:
    """Return `int` for `int | None`."""
    return next((each for each in get_args(annotation) if each is not type(None)), annotation)


def _without_exponent(value: Any) -> Any:
    """Return `1e6` as `1000000`, and anything that is not an integer unchanged."""
    written = POWER_OF_TEN.fullmatch(value) if isinstance(value, str) else None
    if written is None:
        return value
    whole, decimals, exponent = written[1], (written[2] or "").rstrip("0"), int(written[3])
    if len(decimals) > exponent:
        return value
    return whole + decimals.ljust(exponent, "0")


def _judged(value: Any, kind: Any, param: Any, ctx: Context) -> Any:
    """Return the value as typer converts it; an error names the valid forms of a number."""
    judge = build_runtime_param(param.type_descriptor)
    try:
        return judge._coerce_value(value, param=param, ctx=ctx)
    except BadParameter as error:
        if not isinstance(value, str):
            raise
        if kind is int and "valid integer" in error.message:
            error.message = f"'{value}' is not a whole number; write 1000000, 1_000_000 or 1e6"
        elif kind is float and "valid number" in error.message:
            error.message = f"'{value}' is not a number; write 0.5 or 1e-3"
        raise


def _plain(value: Any, kind: Any, *, several: bool) -> Any:
    """Return the value as its type, or None if typer must convert it."""
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
