"""How a command ends when a device said no: what was wrong, what to do next, and the exit code."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import typer

from cutcard.cli.options import complain
from cutcard.devices import BadArgumentError, BadPortError, DeviceError


def fail(error: DeviceError, as_json: bool, **more: Any) -> NoReturn:
    """Exit 2 where the command was called wrongly, else 1; `more` is for a script."""
    if as_json:
        typer.echo(json.dumps({"error": error.problem, "hint": error.hint} | more, indent=2))
    else:
        complain(f"{error.problem}\n{error.hint}")
    raise typer.Exit(2 if isinstance(error, BadPortError | BadArgumentError) else 1)
